import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { migrate } from '../../src/store/schema/migrate.ts'
import { open } from '../support/engine.ts'
import { emptyPostgres, type FreshPostgres } from '../support/postgres.ts'
import { runProgram, temporaryFolder } from './program.ts'

const folder = temporaryFolder()
const run = (args: readonly string[], database: string) =>
  runProgram([...args, '--database', database], { cwd: folder })

/** One command of each kind: it reads, writes, seals, or imports a file. */
const COMMANDS = [
  ['sender', 'list', 'ama@example.com'],
  ['account', 'create', '--name', 'Ama', '--email', 'ama@example.com'],
  ['keys', 'rotate'],
  ['rates', 'import', 'rates.csv'],
]
writeFileSync(join(folder, 'rates.csv'), 'country,mcc,mnc,network,price,currency\nGH,,,,1.25,GHS\n')

let files = 0
/** The path of a database with this version's schema, changed by one statement. */
async function migrated(change: string): Promise<string> {
  files++
  const file = join(folder, `${files}.db`)
  const made = open(`file:${file}`)
  await migrate(made)
  await made.close()
  const database = new Sqlite(file)
  expect(database.prepare(change).run().changes).toBe(1)
  database.close()
  return file
}

function stepsOf(file: string): unknown[] {
  const database = new Sqlite(file, { readonly: true })
  const names = database.prepare('SELECT name FROM migrations ORDER BY name').pluck().all()
  database.close()
  return names
}

describe('a command', () => {
  it.each(COMMANDS)(
    '%s %s migrates no database: it says what to do, and changes nothing',
    async (...args) => {
      const file = await migrated("DELETE FROM migrations WHERE name = '0001_schema.sql'")
      const before = stepsOf(file)
      expect(await run(args, `file:${file}`)).toEqual({
        code: 1,
        stdout: '',
        stderr: 'wigwag: the database needs one step to be up to date: run wigwag migrate\n',
      })
      expect(stepsOf(file)).toEqual(before)
    },
  )

  it.each(COMMANDS)('%s %s makes no database: it says what to do', async (...args) => {
    const { code, stderr } = await run(args, 'file:./none.db')
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        'wigwag: there is no database at ./none.db: make it with wigwag migrate, or name another with --database or WIGWAG_DATABASE_URL\n',
    })
    expect(existsSync(join(folder, 'none.db'))).toBe(false)
  })

  it.each([...COMMANDS, ['serve', '--port', '0'], ['migrate']])(
    '%s refuses the database of a newer version in one sentence, and changes nothing',
    async (...args) => {
      const file = await migrated("INSERT INTO migrations (name) VALUES ('9999_from_the_future.sql')")
      const before = stepsOf(file)
      const { code, stderr } = await run(args, `file:${file}`)
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr:
          'wigwag: a newer version of wigwag migrated the database (9999_from_the_future.sql): use that version, or restore a backup from before\n',
      })
      expect(stepsOf(file)).toEqual(before)
    },
  )

  it.each(COMMANDS.slice(0, 2))('%s %s works beside what a newer version added', async (...args) => {
    const file = await migrated("INSERT INTO migrations (name) VALUES ('9998_widen_future.sql')")
    const create = ['account', 'create', '--name', 'Ama', '--email', 'ama@example.com']
    if (args[0] !== 'account') expect((await run(create, `file:${file}`)).code).toBe(0)
    expect((await run(args, `file:${file}`)).code).toBe(0)
  })

  it('is told by migrate that a newer version added to the database', async () => {
    const file = await migrated("INSERT INTO migrations (name) VALUES ('9998_widen_future.sql')")
    expect(await run(['migrate'], `file:${file}`)).toEqual({
      code: 0,
      stdout: '',
      stderr: `a newer version of wigwag added to the database (9998_widen_future.sql), and this version works beside it.\nThe database file:${file} was up to date.\n`,
    })
  })

  it('is not begun by serve with a carrier that it cannot read', async () => {
    const file = await migrated("DELETE FROM migrations WHERE name = '0001_schema.sql'")
    const before = stepsOf(file)
    const { code, stderr } = await runProgram(['serve', '--port', '0', '--database', `file:${file}`], {
      cwd: folder,
      env: { WIGWAG_CARRIER: 'smpp://user:secret@carrier.example:99999' },
    })
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('with a port up to 65535'),
    })
    expect(stepsOf(file)).toEqual(before)
  })
})

describe('on PostgreSQL', () => {
  let place: FreshPostgres
  beforeAll(async () => {
    place = await emptyPostgres()
  })
  afterAll(() => place?.drop())

  it('commands ask for the steps, and work when they were taken', async () => {
    const create = ['account', 'create', '--name', 'Ama', '--email', 'ama@example.com']
    for (const args of [create, ['account', 'list']]) {
      const { code, stderr } = await run(args, place.url)
      expect(code).toBe(1)
      expect(stderr).toMatch(/^wigwag: the database needs \d+ steps to be up to date: run wigwag migrate\n$/)
    }
    // Which one it was, without what may be secret.
    const { host, pathname } = new URL(place.url)
    const { code, stderr } = await run(['migrate'], place.url)
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: `The database postgres://${host}${pathname} is up to date.\n`,
    })
    expect((await run(create, place.url)).code).toBe(0)
  })
})
