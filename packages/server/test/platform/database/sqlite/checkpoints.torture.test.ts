import { execFile } from 'node:child_process'
import { mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { migrate } from '../../../../src/store/schema/migrate.ts'
import { makePlace, open } from '../../../support/engine.ts'
import { eventually } from '../../../support/eventually.ts'

const COMMITS = 1_200
/** The size that the log is cut to when it begins anew; it may have been longer. */
const LIMIT = 128 * 2 ** 20
const ROWS = 60_000
/** Rows that fill a page together with few others, so that each change is one of another page. */
const LONG_ROWS = `INSERT INTO settings (name, value)
  WITH RECURSIVE n (i) AS (SELECT CAST($1 AS INTEGER) UNION ALL SELECT i + 1 FROM n WHERE i < $2 - 1)
  SELECT 'row-' || (1000000 + i), hex(randomblob(700)) FROM n`
const CHANGE = `UPDATE settings SET value = hex(randomblob(700)) WHERE name = $1`

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
    { timeout: 300_000 },
  )
  await expect(run).resolves.toEqual({ stdout: '', stderr: '' })
})

it.each([
  ['few large commits', { commits: 100, bytes: 3_000_000, every: 1, byLink: false }],
  ['few large commits to a symbolic link', { commits: 100, bytes: 3_000_000, every: 1, byLink: true }],
  ['many small ones', { commits: 40_000, bytes: 7_000, every: 200, byLink: false }],
])('the log begins anew once it is long, after %s', async (_what, { commits, bytes, every, byLink }) => {
  const place = await makePlace('an SQLite file')
  onTestFinished(place.remove)
  const file = place.url.replace(/^file:/, '')
  const link = join(await mkdtemp(join(tmpdir(), 'wigwag-checkpoints-')), 'link.db')
  onTestFinished(() => rm(dirname(link), { recursive: true, force: true }))
  if (byLink) {
    await writeFile(file, '')
    await symlink(file, link)
  }
  const database = open(byLink ? `file:${link}` : place.url)
  await migrate(database)
  const text = `INSERT INTO settings (name, value) VALUES ('long', $1) ON CONFLICT (name) DO UPDATE SET value = excluded.value`
  for (let each = 0; each < commits; each++) {
    const value = String.fromCharCode(97 + (each % 26)).repeat(bytes)
    await database.write(({ run }) => run(text, [value]))
    // As requests come in, and what the thread has to say.
    if (each % every === 0) await pause(10)
  }
  const { size } = await stat(`${file}-wal`)
  expect(size).toBeLessThanOrEqual(LIMIT)
  await database.close()
})

it('the log begins anew while commits follow one another without a pause', async () => {
  // On a disk, whose syncs take their time: in memory the thread is done between two commits.
  const folder = await mkdtemp(join(tmpdir(), 'wigwag-checkpoints-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'w.db')
  const database = open(`file:${file}`)
  await migrate(database)
  await database.write(async ({ run }) => {
    for (let row = 0; row < ROWS; row += 10_000) await run(LONG_ROWS, [row, row + 10_000])
  })
  for (let each = 0; each < 700; each++) {
    await database.write(async ({ run }) => {
      for (let n = 0; n < 200; n++) await run(CHANGE, [`row-${1_000_000 + Math.floor(Math.random() * ROWS)}`])
    })
    await turn()
  }
  // All of it is 600 MB. A little is added while the thread is at work.
  expect((await stat(`${file}-wal`)).size).toBeLessThanOrEqual(2 * LIMIT)
  await database.close()
})
