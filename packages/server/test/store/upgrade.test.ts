import { readFileSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { migrate } from '../../src/store/migrate.ts'
import { makePlace, open } from './engine.ts'

const BEFORE = ['0001_init.sql', '0002_sign_in.sql']
const textOf = (name: string) => readFileSync(new URL(`../../migrations/${name}`, import.meta.url), 'utf8')

describe('an SQLite file of an earlier version', () => {
  it('keeps its jobs and its ledger when they are moved into the trees of their keys', async () => {
    const place = await makePlace('an SQLite file')
    onTestFinished(place.remove)
    const earlier = new Sqlite(place.url.replace(/^file:/, ''))
    earlier.exec('CREATE TABLE migrations (name TEXT PRIMARY KEY)')
    for (const name of BEFORE) {
      earlier.exec(textOf(name))
      earlier.prepare('INSERT INTO migrations (name) VALUES (?)').run(name)
    }
    earlier.exec(`
      INSERT INTO accounts (id, name, email, status, callback_secret, created_at)
        VALUES ('a', 'a', 'a@example.com', 'active', 'sealed', 1);
      INSERT INTO wallets (id, account_id, token_hash, currency, posted, held, entries, created_at)
        VALUES ('w', 'a', 't', 'GHS', 90, 30, 2, 1);
      INSERT INTO ledger VALUES ('w', 1, 'credit', 100, 0, 100, NULL, 1), ('w', 2, 'post', 10, 100, 90, 'm', 2);
      INSERT INTO outbox VALUES ('j', 'await', 5, 6, 1, 2, 3, 'ref', 4, 7), ('k', 'callback', 1, 0, 0, 0, 0, NULL, 0, 0);
    `)
    const rowsOf = (table: string) => `SELECT * FROM ${table} ORDER BY 1, 2`
    const before = ['outbox', 'ledger'].map((table) => earlier.prepare(rowsOf(table)).all())
    earlier.close()

    const database = open(place.url)
    onTestFinished(() => database.close())
    expect(await migrate(database)).toEqual(['0003_intake.sql', '0004_clustered.sqlite.sql'])
    const after = await database.read(({ run }) =>
      Promise.all(['outbox', 'ledger'].map((table) => run(rowsOf(table), []))),
    )
    expect(after).toEqual(before)
    expect(after.map((rows) => rows.length)).toEqual([2, 2])
    const twice = database.write(({ run }) =>
      run('INSERT INTO ledger SELECT * FROM ledger WHERE seq = 1', []),
    )
    await expect(twice).rejects.toThrow(/UNIQUE/)
  })
})
