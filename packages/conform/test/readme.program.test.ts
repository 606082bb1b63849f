import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { shareWorld } from '../../server/test/assistants/oauth/world.ts'

const SOURCES = join(import.meta.dirname, '../../../scripts/test/from-sources.ts')

const world = await shareWorld({ config: { rateLimit: { perSecond: 500, burst: 1_000 } } })
const ama = await world.resident('ama')

it('begins its README with a program that runs as it is', async () => {
  const readme = await readFile(join(import.meta.dirname, '../README.md'), 'utf8')
  const [, program = ''] = /```ts\n(.*?)```/s.exec(readme) ?? []
  const folder = await mkdtemp(join(import.meta.dirname, 'readme-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'first.ts'), program)
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import', SOURCES, join(folder, 'first.ts')],
    {
      env: {
        ...process.env,
        WIGWAG_BASE_URL: world.url,
        WIGWAG_CLIENT_ID: ama.clientId,
        WIGWAG_CLIENT_SECRET: ama.clientSecret,
        WIGWAG_WALLET_TOKEN: ama.walletToken,
      },
    },
  )
  expect(stdout).toMatch(
    /^\d+ must: \d+ passed, 0 failed, \d+ not tried\n.*\nIt meets the specification\. 7 messages\n$/m,
  )
})
