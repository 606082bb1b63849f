import { readdirSync, readFileSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { unevenWallets } from '../../../src/money/ledger-check.ts'
import { migrate } from '../../../src/platform/database/migrate.ts'
import { makePlace, open } from '../../support/engine.ts'

const textOf = (name: string) => readFileSync(new URL(`../../../migrations/${name}`, import.meta.url), 'utf8')

/** An SQLite file as an earlier version left it: its migrations, and then some rows. */
async function earlierFile(migrations: readonly string[], rows: string) {
  const place = await makePlace('an SQLite file')
  onTestFinished(place.remove)
  const earlier = new Sqlite(place.url.replace(/^file:/, ''))
  onTestFinished(() => void earlier.close())
  earlier.exec('CREATE TABLE migrations (name TEXT PRIMARY KEY)')
  for (const name of migrations) {
    earlier.exec(textOf(name))
    earlier.prepare('INSERT INTO migrations (name) VALUES (?)').run(name)
  }
  earlier.exec(`
    INSERT INTO accounts (id, name, email, status, callback_secret, created_at)
      VALUES ('a', 'a', 'a@example.com', 'active', 'sealed', 1);
    INSERT INTO wallets (id, account_id, token_hash, currency, posted, held, entries, created_at)
      VALUES ('w', 'a', 't', 'GHS', 90, 30, 2, 1);
    INSERT INTO ledger VALUES ('w', 1, 'credit', 100, 0, 100, NULL, 1), ('w', 2, 'post', 10, 100, 90, 'm', 2);
    ${rows}`)
  async function upgraded() {
    const database = open(place.url)
    onTestFinished(() => database.close())
    const steps = await migrate(database)
    return { database, steps, rows: (text: string) => database.read(({ run }) => run(text, [])) }
  }
  return { earlier, upgraded }
}

describe('an SQLite file of an earlier version', () => {
  it('keeps its secrets, its wallets and what refers to them when secrets become keys', async () => {
    const before = readdirSync(new URL('../../../migrations/', import.meta.url))
      .filter((name) => name < '0012' && !name.endsWith('.postgres.sql'))
      .sort()
    const { upgraded } = await earlierFile(
      before,
      `INSERT INTO clients VALUES ('c', 'a', 'digest', 1);
       UPDATE accounts SET callback_secret_previous = 'sealed before', callback_secret_rotated_at = 5;`,
    )
    const { database, rows } = await upgraded()
    const shown =
      'SELECT id, account_id, kind, owner_id, stored, created_at, used_at, ends_at FROM keys ORDER BY kind, id'
    const values = (await rows(shown)).map((row) => Object.values(row))
    expect(values).toEqual([
      ['a', 'a', 'callback', 'a', 'sealed', 5, 0, 0],
      ['a-before', 'a', 'callback', 'a', 'sealed before', 1, 0, 86_400_005],
      ['c', 'a', 'client', 'c', 'digest', 1, 0, 0],
      ['w', 'a', 'wallet', 'w', 't', 1, 0, 0],
    ])
    expect(await rows('SELECT * FROM wallets')).toEqual([
      { id: 'w', account_id: 'a', currency: 'GHS', posted: 90, held: 30, entries: 2, created_at: 1 },
    ])
    const orphan = database.write(({ run }) =>
      run("INSERT INTO ledger VALUES ('nobody', 1, 'credit', 1, 0, 1, NULL, 1)", []),
    )
    await expect(orphan).rejects.toThrow(/FOREIGN KEY/)
    await expect(database.write(({ run }) => run('DELETE FROM wallets', []))).rejects.toThrow(/FOREIGN KEY/)
  })

  it('keeps its jobs and its ledger when they are moved into the trees of their keys', async () => {
    const { earlier, upgraded } = await earlierFile(
      ['0001_init.sql', '0002_sign_in.sql'],
      `INSERT INTO outbox VALUES ('j', 'await', 5, 6, 1, 2, 3, 'ref', 4, 7), ('k', 'callback', 1, 0, 0, 0, 0, NULL, 0, 0);`,
    )
    const rowsOf = (table: string) => `SELECT * FROM ${table} ORDER BY 1, 2`
    const before = ['outbox', 'ledger'].map((table) => earlier.prepare(rowsOf(table)).all())

    const { database, steps, rows } = await upgraded()
    expect(steps).toContain('0004_clustered.sqlite.sql')
    const after = await Promise.all(['outbox', 'ledger'].map((table) => rows(rowsOf(table))))
    expect(after).toMatchObject(before)
    expect(after.map((found) => found.length)).toEqual([2, 2])
    const twice = database.write(({ run }) =>
      run('INSERT INTO ledger SELECT * FROM ledger WHERE seq = 1', []),
    )
    await expect(twice).rejects.toThrow(/UNIQUE/)
  })

  it('gives the jobs of messages that wait for a receipt to the lane of the simulator, the only carrier then', async () => {
    const before = readdirSync(new URL('../../../migrations/', import.meta.url))
      .filter((name) => name < '0010' && !name.endsWith('.postgres.sql'))
      .sort()
    const { upgraded } = await earlierFile(
      before,
      `INSERT INTO outbox (id, kind, run_at) VALUES ('a', 'await', 1), ('c', 'callback', 1), ('d', 'dispatch', 1);`,
    )
    const { rows } = await upgraded()
    expect(await rows('SELECT id, lane FROM outbox ORDER BY id')).toEqual([
      { id: 'a', lane: 'simulator' },
      { id: 'c', lane: '' },
      { id: 'd', lane: '' },
    ])
  })

  it('moves the messages that waited in the intake to their tables, with their jobs and their counts', async () => {
    const at = 1_700_000_003_000
    const hour = at - (at % 3_600_000)
    const row = (...messages: unknown[][]) =>
      JSON.stringify({
        common: {
          accountId: 'a',
          walletId: 'w',
          status: 'pending',
          balanceBefore: 90,
          balanceAfter: 90,
          sendAt: 0,
        },
        validityMs: 1_000,
        columns: [
          'id',
          'sender',
          'recipient',
          'content',
          'reference',
          'callbackUrl',
          'encoding',
          'segments',
          'country',
          'network',
          'price',
          'createdAt',
        ],
        rows: messages,
      }).replaceAll("'", "''")
    const first = [
      'm1',
      'WIGWAG',
      '233241234567',
      `"it's"\n€😀`,
      'r',
      'https://a.example/?b="',
      'UCS-2',
      2,
      'GH',
      'MTN',
      10,
      at,
    ]
    const second = ['m2', 'WIGWAG', '88213', 'Hi', '', null, 'GSM-7', 1, '001', null, 20, at + 1]
    const { upgraded } = await earlierFile(
      ['0001_init.sql', '0002_sign_in.sql', '0003_intake.sql', '0004_clustered.sqlite.sql'],
      `INSERT INTO hourly_totals VALUES ('w', ${hour}, 'GH', 'MTN', 5, 4, 1, 40);
       INSERT INTO intake VALUES (1, 'w', 10, '${row(first)}'), (2, 'w', 20, '${row(second)}');`,
    )

    const { database, rows } = await upgraded()
    expect(await rows('SELECT * FROM messages ORDER BY id')).toMatchObject([
      {
        id: 'm1',
        account_id: 'a',
        wallet_id: 'w',
        sender: 'WIGWAG',
        recipient: '233241234567',
        content: `"it's"\n€😀`,
        reference: 'r',
        callback_url: 'https://a.example/?b="',
        status: 'pending',
        encoding: 'UCS-2',
        segments: 2,
        country: 'GH',
        network: 'MTN',
        price: 10,
        cost: 0,
        balance_before: 90,
        balance_after: 90,
        created_at: at,
        effected_at: at,
        send_at: 0,
        sender_key: null,
      },
      {
        id: 'm2',
        recipient: '88213',
        reference: '',
        callback_url: null,
        country: '001',
        network: null,
        price: 20,
      },
    ])
    expect(
      await rows('SELECT id, kind, run_at, lease_until, epoch, expires_at FROM outbox ORDER BY id'),
    ).toEqual([
      { id: 'm1', kind: 'dispatch', run_at: at, lease_until: 0, epoch: 0, expires_at: at + 1_000 },
      { id: 'm2', kind: 'dispatch', run_at: at + 1, lease_until: 0, epoch: 0, expires_at: at + 1_001 },
    ])
    expect(
      await rows('SELECT country, network, sent, delivered FROM hourly_totals ORDER BY country'),
    ).toEqual([
      { country: '001', network: '', sent: 1, delivered: 0 },
      { country: 'GH', network: 'MTN', sent: 6, delivered: 4 },
    ])
    expect(await database.read((tx) => unevenWallets(tx, 9))).toEqual([])
    await expect(rows('SELECT * FROM intake')).rejects.toThrow(/no such table/)
  })

  it('counts the failed sign-ins that had a row each, and keeps what was done', async () => {
    const hour = 1_700_000_000_000 - (1_700_000_000_000 % 3_600_000)
    const row = (id: string, at: number, action: string, accountId: string | null) =>
      `('${id}', ${at}, 'portal', '${action}', ${accountId === null ? 'NULL' : `'${accountId}'`}, '{"n":"${id}"}')`
    const { upgraded } = await earlierFile(
      ['0001_init.sql', '0002_sign_in.sql'],
      `INSERT INTO audit VALUES ${[
        row('1', hour, 'portal.sign-in-failed', null),
        row('2', hour + 5, 'portal.sign-in-failed', null),
        row('3', hour + 6, 'portal.sign-in-failed', 'a'),
        row('4', hour + 7, 'portal.sign-in', 'a'),
        row('5', hour + 3_600_000, 'portal.locked', 'a'),
      ].join()};`,
    )
    const { rows } = await upgraded()
    expect(await rows('SELECT id FROM audit')).toEqual([{ id: '4' }])
    expect(await rows('SELECT * FROM audit_failures ORDER BY hour, account_id')).toMatchObject([
      { action: 'portal.sign-in-failed', account_id: '', hour, failures: 2, last_at: hour + 5 },
      { action: 'portal.sign-in-failed', account_id: 'a', hour, failures: 1, detail: '{"n":"3"}' },
      { action: 'portal.locked', account_id: 'a', hour: hour + 3_600_000, failures: 1 },
    ])
  })
})
