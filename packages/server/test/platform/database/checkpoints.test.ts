import { execFile } from 'node:child_process'
import { rm, stat } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { migrate } from '../../../src/platform/database/migrate.ts'
import { makePlace, open } from '../../support/engine.ts'
import { eventually } from '../../support/front.ts'

const COMMITS = 1_200
/** What the log is cut to when it begins anew; it may have been longer. */
const LIMIT = 128 * 2 ** 20

it('a database that is written to a lot is checkpointed long before a commit has to do it', async () => {
  const place = await makePlace('an SQLite file')
  onTestFinished(place.remove)
  const file = place.url.replace(/^file:/, '')
  const sizeOf = async (path: string) => (await stat(path)).size
  const database = open(place.url)
  await migrate(database)
  const before = await sizeOf(file)
  const write = (round: number) =>
    database.write(({ run }) =>
      run('INSERT INTO settings (name, value) VALUES ($1, $2)', [`name-${round}`, 'long '.repeat(200)]),
    )
  for (let each = 0; each < COMMITS; each++) await write(each)
  let round = COMMITS
  await eventually('pages are moved to the file', async () => {
    await write(round++)
    return (await sizeOf(file)) > before + 500_000
  })
  expect(await sizeOf(`${file}-wal`)).toBeLessThan(16_000 * 4_096)
  await database.close()
  // Nothing has the file open any more.
  await expect(stat(`${file}-wal`)).rejects.toThrow('ENOENT')
  await rm(file)
})

it('its thread keeps no process that has nothing else to do', async () => {
  const place = await makePlace('an SQLite file')
  onTestFinished(place.remove)
  const program = fileURLToPath(new URL('./commits.process.ts', import.meta.url))
  const run = promisify(execFile)(
    process.execPath,
    [program, place.url.replace(/^file:/, ''), String(COMMITS)],
    { timeout: 20_000 },
  )
  await expect(run).resolves.toEqual({ stdout: '', stderr: '' })
})

it.each([
  ['few large commits', { commits: 100, bytes: 3_000_000, every: 1 }],
  ['many small ones', { commits: 40_000, bytes: 7_000, every: 200 }],
])(
  'the log begins anew once it is long, after %s',
  { timeout: 120_000 },
  async (_what, { commits, bytes, every }) => {
    const place = await makePlace('an SQLite file')
    onTestFinished(place.remove)
    const database = open(place.url)
    await migrate(database)
    const text = `INSERT INTO settings (name, value) VALUES ('long', $1) ON CONFLICT (name) DO UPDATE SET value = excluded.value`
    for (let each = 0; each < commits; each++) {
      const value = String.fromCharCode(97 + (each % 26)).repeat(bytes)
      await database.write(({ run }) => run(text, [value]))
      // As requests come in, and what the thread has to say.
      if (each % every === 0) await pause(10)
    }
    const { size } = await stat(`${place.url.replace(/^file:/, '')}-wal`)
    expect(size).toBeLessThanOrEqual(LIMIT)
    await database.close()
  },
)
