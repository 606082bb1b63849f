import { describe, expect, it, onTestFinished } from 'vitest'
import { aPlace } from '../../support/bench.ts'
import { eventually } from '../../support/eventually.ts'
import { call, openFront, SINGLE, single } from '../../support/front.ts'
import { handClock, passUntil } from '../../support/hand-clock.ts'
import { lockFile } from '../../support/lock.ts'
import { connectTo, freshPostgres } from '../../support/postgres.ts'

/** Longer than a full disk counts. */
const A_WHILE = 10_000

async function frontOn(url: string) {
  const clock = handClock()
  const front = await openFront(url, {}, { clock })
  onTestFinished(() => front.close())
  const status = async (path: string) => (await fetch(`${front.url}${path}`)).status
  return {
    front,
    clock,
    status,
    /** The last answer is used again for a second. */
    becomes: (ready: number, afterMs = 1_000) =>
      eventually(`/readyz answers ${ready}`, async () => {
        expect(await status('/livez')).toBe(200)
        clock.pass(afterMs)
        return (await status('/readyz')) === ready
      }),
  }
}

/** Runs statements beside the gateway. */
async function beside(url: string) {
  const client = await connectTo(url)
  onTestFinished(() => client.end())
  return (text: string) => client.query(text)
}

describe('/readyz', () => {
  it('answers 503 while another program keeps an SQLite file locked, and 200 again by itself', async () => {
    const url = await aPlace('an SQLite file')
    const { becomes, clock, status } = await frontOn(url)
    expect(await status('/readyz')).toBe(200)
    const unlock = await lockFile(url)
    clock.pass(1_000)
    const asked = status('/readyz')
    await passUntil(clock, asked)
    expect(await asked).toBe(503)
    expect(await status('/livez')).toBe(200)
    await unlock()
    await becomes(200)
  })

  it('answers 503 while PostgreSQL is read-only, as sends do, and 200 again by itself', async () => {
    const { url, drop } = await freshPostgres()
    onTestFinished(drop)
    const { front, becomes, status } = await frontOn(url)
    const account = await front.account('ama', 10_000_000)
    const run = await beside(url)
    const name = new URL(url).pathname.slice(1)
    /** Changes what new connections get, and ends those that the gateway has. */
    const readOnly = async (change: string) => {
      await run(`ALTER DATABASE "${name}" ${change}`)
      await run(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
      )
    }
    expect(await status('/readyz')).toBe(200)
    await readOnly('SET default_transaction_read_only = on')
    await becomes(503)
    expect((await call(front.url, account, { path: SINGLE, body: single() })).status).toBe(503)
    await readOnly('RESET default_transaction_read_only')
    await becomes(200)
    await eventually(
      'sends work again',
      async () => (await call(front.url, account, { path: SINGLE, body: single() })).status === 200,
    )
  })

  it('answers 503 after a disk was full for a message, though it has room for less', async () => {
    const url = await aPlace('PostgreSQL')
    const { front, becomes, status } = await frontOn(url)
    const account = await front.account('ama', 10_000_000)
    const run = await beside(url)
    await run(`CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION USING ERRCODE = '53100'; END $$`)
    await run('CREATE TRIGGER no_room BEFORE INSERT ON messages FOR EACH ROW EXECUTE FUNCTION no_room()')
    expect(await status('/readyz')).toBe(200)
    expect((await call(front.url, account, { path: SINGLE, body: single() })).status).toBe(503)
    await becomes(503)
    await run('DROP TRIGGER no_room ON messages; DROP FUNCTION no_room')
    await becomes(200, A_WHILE)
  })

  it('writes at most once a second, however often it is asked', async () => {
    const { front, clock, status } = await frontOn(await aPlace('an SQLite file'))
    const probe = () =>
      front.gateway.database.read(({ run }) =>
        run("SELECT value FROM settings WHERE name = 'write_probe'", []),
      )
    expect(await status('/readyz')).toBe(200)
    const first = await probe()
    expect(first).toHaveLength(1)
    for (let asked = 0; asked < 20; asked++) expect(await status('/readyz')).toBe(200)
    expect(await probe()).toEqual(first)
    clock.pass(1_000)
    expect(await status('/readyz')).toBe(200)
    expect(await probe()).not.toEqual(first)
  })
})
