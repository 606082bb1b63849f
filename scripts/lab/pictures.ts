/**
 * Takes a picture of every page of the console and of the desk, in three widths and two themes, for people to look at. Starts a
 * sandbox for it, with a month of messages.
 *
 *   npm run lab -- pictures                    all of them, into pictures/
 *   npm run lab -- pictures wallet message  the pages of these names
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { launchBrowser } from '../../packages/server/test/browser/chromium.ts'
import { openDesk, signIn, takePicture } from './pictures/camera.ts'
import { askForSenders, writePastMonth } from './pictures/history.ts'
import { openReceiver } from './pictures/receiver.ts'
import { openSandbox } from './pictures/sandbox.ts'
import { scenesOf } from './pictures/scenes.ts'
import { furnish } from './pictures/town.ts'

const WIDTHS = [1_440, 1_024, 360]
const THEMES = ['light', 'dark'] as const

const root = join(import.meta.dirname, '../..')
const into = join(root, 'pictures')
const wanted = process.argv.slice(2)

const folder = mkdtempSync(join(tmpdir(), 'wigwag-pictures-'))
const receiver = await openReceiver()
const sandbox = await openSandbox(join(root, 'packages/server/dist/main.js'), folder)
const browser = await launchBrowser()
const session = await signIn(browser, sandbox)
const deskSession = await openDesk(browser, sandbox)
try {
  const before = scenesOf('before')
  const after = scenesOf('after')
  const unknown = wanted.filter((name) => ![...before, ...after].some((scene) => scene.name === name))
  if (unknown.length > 0) {
    const names = [...before, ...after].map(({ name }) => name).join(', ')
    throw new Error(`expected pages out of ${names}; got ${unknown.join(', ')}`)
  }
  mkdirSync(into, { recursive: true })
  const isWanted = ({ name }: { name: string }) => wanted.length === 0 || wanted.includes(name)
  await takeAll(before.filter(isWanted), {})
  writePastMonth(join(folder, 'wigwag.db'))
  askForSenders(join(folder, 'wigwag.db'))
  const tickets = await furnish(sandbox, receiver.url)
  await takeAll(after.filter(isWanted), tickets)
} finally {
  await browser.close()
  await sandbox.stop()
  receiver.close()
  rmSync(folder, { recursive: true })
}

async function takeAll(scenes: ReturnType<typeof scenesOf>, tickets: Record<string, string>): Promise<void> {
  for (const theme of THEMES) {
    for (const width of WIDTHS) {
      for (const scene of scenes)
        await takePicture({
          browser,
          ...(scene.desk ? { session: deskSession, url: sandbox.deskUrl } : { session, url: sandbox.url }),
          ...{ scene, tickets, theme, width, into },
        })
    }
  }
  console.log(`${scenes.length * THEMES.length * WIDTHS.length} pictures in ${into}`)
}
