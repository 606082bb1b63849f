import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { runProcess, startProcess } from '../cli/process.ts'
import { temporaryFolder } from '../cli/program.ts'
import { eventually } from '../support/eventually.ts'
import { connectTo, emptyPostgres } from '../support/postgres.ts'

const folder = temporaryFolder()
const MESSAGES = 20_000

async function aTarget(): Promise<string> {
  const { url, drop } = await emptyPostgres()
  onTestFinished(drop)
  return url
}

/** A stopped gateway's file with many messages. */
async function aFile(name: string): Promise<string> {
  const file = join(folder, name)
  const create = ['account', 'create', '--name', 'Acme', '--email', 'ops@acme.example', '--balance', '100']
  const database = `file:${file}`
  await runProcess(['migrate', '--database', database], { cwd: folder })
  expect((await runProcess([...create, '--database', database], { cwd: folder })).code).toBe(0)
  const source = new Sqlite(file)
  source.exec(`
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${MESSAGES})
    INSERT INTO messages (id, account_id, wallet_id, sender, recipient, content, reference, status, encoding, segments,
        country, price, balance_before, balance_after, created_at, effected_at, sender_key)
      SELECT printf('%08d', i), a.id, w.id, 'ACME', '233241234567', 'Hello ' || i, '', 'failed', 'GSM-7', 1, 'GH', 1, 0, 0,
        i, i, i FROM n, accounts a, wallets w`)
  source.close()
  return file
}

/** How many rows of the move are there; undefined when no move is under way. */
async function rowsThere(client: Awaited<ReturnType<typeof connectTo>>): Promise<number | undefined> {
  const found = await client.query("SELECT value FROM settings WHERE name = 'moving'").catch(() => undefined)
  const text: unknown = found?.rows[0]?.value
  return typeof text === 'string' ? JSON.parse(text).rows : undefined
}

/**
 * Resolves when so many rows are there, after which the move waits: it notes each slice in this row, and its end. Looked for
 * in PostgreSQL itself, since this process may be slow to look.
 */
async function held(client: Awaited<ReturnType<typeof connectTo>>, rows: number): Promise<void> {
  const isThere = `CASE WHEN name = 'moving' THEN (value::json ->> 'rows')::int >= ${rows} END`
  await client.query('BEGIN')
  await client.query(`DO $$ BEGIN
    LOOP
      PERFORM 1 FROM settings WHERE ${isThere} FOR UPDATE;
      EXIT WHEN FOUND;
      PERFORM pg_sleep(0.002);
    END LOOP;
  END $$`)
}

/** Ends all other connections to the database. */
async function endOthers(client: Awaited<ReturnType<typeof connectTo>>): Promise<void> {
  const others = 'datname = current_database() AND pid <> pg_backend_pid()'
  await client.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${others}`)
}

describe('wigwag move', () => {
  it('finishes after being killed at any point, with nothing missing and nothing twice', async () => {
    const file = await aFile('many.db')
    const url = await aTarget()
    const client = await connectTo(url)
    onTestFinished(() => client.end())
    const args = ['move', '--from', `file:${file}`, '--json']
    const there = { cwd: folder, env: { WIGWAG_DATABASE_URL: url } }
    // Once it has begun, in the middle of a table, and while it compares.
    for (const enough of [0, MESSAGES / 4, MESSAGES / 2, MESSAGES]) {
      const { child, ended, stderr } = startProcess(args, there)
      const tooEarly = ended.then(() => {
        throw new Error(`it ended before it was killed: ${stderr()}`)
      })
      const begins = () => eventually('it has begun', async () => (await rowsThere(client)) !== undefined)
      await Promise.race([enough === 0 ? begins() : held(client, enough), tooEarly])
      tooEarly.catch(() => undefined)
      child.kill('SIGKILL')
      await ended
      await client.query('ROLLBACK')
      expect(await rowsThere(client)).toBeGreaterThanOrEqual(enough)
    }
    const refused = await runProcess(['account', 'list', '--database', url], { cwd: folder })
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain(`the move of ${file} into this database has not finished`)
    const { code, stdout, stderr } = await runProcess(args, there)
    expect({ code, stderr }).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Everything was moved'),
    })
    const { same, tables, books } = JSON.parse(stdout)
    expect(same).toBe(true)
    expect(tables).toContainEqual({ table: 'messages', from: MESSAGES, to: MESSAGES, same: true })
    expect(books).toContainEqual({ what: 'in wallets', currency: 'GHS', from: 100, to: 100 })
    const { rows } = await client.query(
      'SELECT count(*) AS n, count(DISTINCT content) AS texts FROM messages',
    )
    expect(rows).toEqual([{ n: String(MESSAGES), texts: String(MESSAGES) }])
    // PostgreSQL says so once the session has ended. By itself it would note another time.
    await eventually('the move has gathered statistics', async () => {
      const analyzed = await client.query(
        "SELECT 1 FROM pg_stat_user_tables WHERE relname = 'messages' AND last_analyze IS NOT NULL",
      )
      return analyzed.rowCount === 1
    })
    expect((await runProcess(['account', 'list', '--database', url], { cwd: folder })).code).toBe(0)
  })

  it('prints what was compared, and that the gateway needs its secret', async () => {
    const own = join(folder, 'small')
    mkdirSync(own)
    await runProcess(['migrate', '--database', 'file:./small.db'], { cwd: own })
    // Both addresses where others do not see them.
    const { code, stdout, stderr } = await runProcess(['move'], {
      cwd: own,
      env: {
        WIGWAG_SECRET: 'a secret that is long enough to be one',
        WIGWAG_MOVE_FROM: 'file:./small.db',
        WIGWAG_DATABASE_URL: await aTarget(),
      },
    })
    expect(code).toBe(0)
    expect(stdout).toMatch(/^TABLE +ROWS FROM +ROWS TO +CONTENT\naccounts +0 +0 +same\n/)
    expect(stdout).toMatch(/^wallets that do not add up +0 +0 +same$/m)
    expect(stderr).toBe(
      'Everything was moved and is the same. Start the gateway on it with WIGWAG_SECRET set as it was.\n',
    )
  })

  it('asks for another run when the connection to PostgreSQL is lost', async () => {
    const file = await aFile('lost.db')
    const url = await aTarget()
    const client = await connectTo(url)
    onTestFinished(() => client.end())
    const args = ['move', '--from', `file:${file}`]
    const there = { cwd: folder, env: { WIGWAG_DATABASE_URL: url } }
    const { child, ended, stderr } = startProcess(args, there)
    await eventually('the first rows are there', async () => ((await rowsThere(client)) ?? 0) > 0)
    // Between two slices a lost connection is replaced, so it is ended until that happened in one.
    await eventually('a lost connection has ended it', async () => {
      await endOthers(client)
      return child.exitCode ?? undefined
    })
    expect(await ended).toBe(1)
    expect(stderr()).toContain('The move has not finished: run the same command again to go on.')
    expect((await runProcess(args, there)).code).toBe(0)
  })

  it.each([
    ['--from', 'WIGWAG_MOVE_FROM'],
    ['--to', 'WIGWAG_DATABASE_URL'],
  ])('takes no password in %s, where others would see it', async (flag, setting) => {
    const addresses = [
      'postgres://user:geheim@db.example/wigwag',
      'postgres://user:ge:h@eim@db.example,db2.example/wigwag',
      'postgres://db.example/wigwag?user=user&password=geheim',
    ]
    for (const url of addresses) {
      const sides = {
        '--from': 'postgres://user@db.example/wigwag',
        '--to': 'postgres://user@db.example/other',
      }
      const args = Object.entries({ ...sides, [flag]: url }).flat()
      const { code, stderr } = await runProcess(['move', '--account', 'ada@example.com', ...args], {
        cwd: folder,
      })
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: `wigwag: ${flag}: a password in an address shows in the list of processes: set ${setting} to the address and leave ${flag} out\n`,
      })
      expect(stderr).not.toMatch(/geheim|h@eim/)
    }
  })

  it('goes from a file to PostgreSQL only', async () => {
    writeFileSync(join(folder, 'a.db'), '')
    const nowhere = 'postgres://user@127.0.0.1:1/wigwag'
    for (const [from, to] of [
      ['file:./a.db', 'file:./b.db'],
      [nowhere, 'file:./a.db'],
      [nowhere, nowhere],
    ] as const) {
      const { code, stderr } = await runProcess(['move', '--from', from, '--to', to], { cwd: folder })
      expect(code).toBe(2)
      expect(stderr).toContain('a move goes from an SQLite file to PostgreSQL')
    }
    const nothing = await runProcess(['move', '--to', nowhere], { cwd: folder })
    expect([nothing.code, nothing.stderr]).toEqual([
      2,
      'wigwag: expected the database to move from, in --from or WIGWAG_MOVE_FROM\n',
    ])
    const missing = await runProcess(['move', '--from', 'file:./none.db', '--to', nowhere], { cwd: folder })
    expect(missing).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('there is no database at ./none.db'),
    })
  })
})
