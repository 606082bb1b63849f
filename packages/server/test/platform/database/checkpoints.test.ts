import { rm, stat } from 'node:fs/promises'
import { expect, it, onTestFinished } from 'vitest'
import { migrate } from '../../../src/platform/database/migrate.ts'
import { makePlace, open } from '../../support/engine.ts'
import { eventually } from '../../support/front.ts'

const COMMITS = 1_200

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
