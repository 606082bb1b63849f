import type pg from 'pg'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import type { AccountSecrets } from '../../src/accounts/operator.ts'
import type { Database } from '../../src/platform/database/database.ts'
import { settled } from '../support/books.ts'
import { open } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import { BALANCE, call, type Front, openFront, SINGLE, single } from '../support/front.ts'
import { forkPostgresPair, type PostgresPair } from '../support/postgres.fork.ts'
import { connectTo } from '../support/postgres.ts'

let pair: PostgresPair
let front: Front
let account: AccountSecrets
let other: pg.Client
/** The same database beside the gateway. */
let books: Database
beforeAll(async () => {
  pair = await forkPostgresPair()
  front = await openFront(pair.url)
  account = await front.account('standby-gone', 1_000_000_000)
  other = await connectTo(pair.url)
  books = open(pair.url)
})
afterAll(async () => {
  await front?.close()
  await other?.end()
  await books?.close()
  await pair?.stop()
})

/** From now on commits wait for standbys of these names. */
async function waitFor(standbys: string): Promise<void> {
  await other.query(`ALTER SYSTEM SET synchronous_standby_names = '${standbys}'`)
  await other.query('SELECT pg_reload_conf()')
}

async function waiting(): Promise<number> {
  const { rows } = await other.query<{ n: number }>(
    "SELECT count(*)::INT AS n FROM pg_stat_activity WHERE wait_event = 'SyncRep'",
  )
  return rows[0]?.n ?? 0
}

it('refuses sends while commits wait for a standby that is gone, and reads on', async () => {
  const send = (key?: string) =>
    call(front.url, account, { path: SINGLE, body: single(), ...(key && { key }) })
  const codeOf = ({ status, text }: { status: number; text: string }) => [status, JSON.parse(text).code]
  expect((await send('before')).status).toBe(200)
  await settled(books)
  onTestFinished(() => waitFor(''))
  await waitFor('gone')
  // By a connection of the test, so that the gateway does not know yet.
  const shown = books.write(({ run }) => run("SELECT pg_logical_emit_message(true, 'test', '')", []))
  await eventually('commits wait', async () => (await waiting()) > 0)
  // Both that may commit at a time do.
  const first = send('meanwhile')
  await eventually('that of a send too', async () => (await waiting()) > 1)
  const second = send('beside-it')
  expect(codeOf(await first)).toEqual([503, 'outcome_unknown'])
  expect((await second).status).toBe(503)
  for (const refused of [await send(), await send('later')])
    expect(codeOf(refused)).toEqual([503, 'unavailable'])
  expect((await call(front.url, account, { path: BALANCE })).status).toBe(200)
  await waitFor('')
  await shown
  await expect.poll(async () => (await send('meanwhile')).status).toBe(200)
  expect((await send()).status).toBe(200)
})
