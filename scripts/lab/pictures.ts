/**
 * Takes a picture of every page of the console and of the desk, in three widths and two themes, for people to look at. Starts a
 * sandbox for it, with a month of messages, and one on a bad night.
 *
 *   npm run lab -- pictures                    all of them, into pictures/
 *   npm run lab -- pictures wallet message  the pages of these names
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { launchBrowser } from '../../packages/server/test/browser/chromium.ts'
import { openDesk, type Session, signIn, takePicture } from './pictures/camera.ts'
import { askForSenders, writePastMonth } from './pictures/history.ts'
import { openNight } from './pictures/night.ts'
import { openReceiver } from './pictures/receiver.ts'
import { openSandbox } from './pictures/sandbox.ts'
import { type Scene, scenesOf } from './pictures/scenes.ts'
import { furnish } from './pictures/town.ts'

const WIDTHS = [1_440, 1_024, 360]
const THEMES = ['light', 'dark'] as const
const WHENS = ['before', 'after', 'night'] as const

const root = join(import.meta.dirname, '../..')
const into = join(root, 'pictures')
const wanted = process.argv.slice(2)

const isWanted = ({ name }: Scene) => wanted.length === 0 || wanted.includes(name)
const scenes = (when: (typeof WHENS)[number]) => scenesOf(when).filter(isWanted)
const [before, after, night] = [scenes('before'), scenes('after'), scenes('night')]

const main = join(root, 'packages/server/dist/main.js')
const names = WHENS.flatMap(scenesOf).map(({ name }) => name)
const unknown = wanted.filter((name) => !names.includes(name))
if (unknown.length > 0)
  throw new Error(`expected pages out of ${names.join(', ')}; got ${unknown.join(', ')}`)
mkdirSync(into, { recursive: true })
const browser = await launchBrowser()
try {
  if (before.length + after.length > 0) await inFolder(takeTown)
  if (night.length > 0) await inFolder(takeNight)
} finally {
  await browser.close()
}

/** A shop's month in a sandbox. */
async function takeTown(folder: string): Promise<void> {
  const receiver = await openReceiver()
  const sandbox = await openSandbox(main, folder)
  try {
    const session = await signIn(browser, sandbox)
    const desk = await openDesk(browser, sandbox)
    const takeAll = (scenes: readonly Scene[], tickets: Record<string, string>) =>
      take(scenes, tickets, ({ desk: isDesk }) =>
        isDesk ? { session: desk, url: sandbox.deskUrl } : { session, url: sandbox.url },
      )
    await takeAll(before, {})
    writePastMonth(join(folder, 'wigwag.db'))
    askForSenders(join(folder, 'wigwag.db'))
    await takeAll(after, await furnish(sandbox, receiver.url))
  } finally {
    await sandbox.stop()
    receiver.close()
  }
}

/** A bad night at the desk. */
async function takeNight(folder: string): Promise<void> {
  const sandbox = await openNight(main, folder)
  try {
    const session = await openDesk(browser, sandbox)
    await take(night, {}, () => ({ session, url: sandbox.deskUrl }))
  } finally {
    await sandbox.stop()
  }
}

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'wigwag-pictures-'))
  try {
    await work(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function take(
  scenes: readonly Scene[],
  tickets: Record<string, string>,
  placeOf: (scene: Scene) => { session: Session; url: string },
): Promise<void> {
  for (const theme of THEMES) {
    for (const width of WIDTHS) {
      for (const scene of scenes)
        await takePicture({ browser, ...placeOf(scene), scene, tickets, theme, width, into })
    }
  }
  console.log(`${scenes.length * THEMES.length * WIDTHS.length} pictures in ${into}`)
}
