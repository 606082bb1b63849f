import { expect, inject, onTestFinished } from 'vitest'
import { aPlace } from '../support/bench.ts'
import { type Harness, openHarness } from '../support/harness.ts'
import { connectTo, freshPostgres } from '../support/postgres.ts'
import { turns } from '../support/turns.ts'
import { expectProblem, traces } from './refuses.ts'

/** Makes a request while a table is not there, and puts it back. */
export async function whileMissing(
  { database }: Harness,
  table: string,
  request: () => Promise<Response>,
): Promise<Response> {
  const rename = (from: string, to: string) =>
    database.write(({ run }) => run(`ALTER TABLE ${from} RENAME TO ${to}`, []))
  await rename(table, 'elsewhere')
  const response = await request()
  await rename('elsewhere', table)
  return response
}

/** Tables that a send cannot do without, each on the engine where a send writes to it. */
export const NEEDED = [
  ['SQLite', 'messages'],
  ['SQLite', 'outbox'],
  ['SQLite', 'wallets'],
  ['SQLite', 'idempotency'],
  ['PostgreSQL', 'messages'],
  ['PostgreSQL', 'outbox'],
] as const

/** A gateway on the engine of that name. */
export async function openOn(engine: (typeof NEEDED)[number][0]): Promise<Harness> {
  return engine === 'SQLite' ? openHarness() : openHarness({ database: await aPlace('PostgreSQL') })
}

/**
 * Sends again and again while neither the disk nor the database's file has a page left. Expects one to be refused, to
 * leave nothing behind, and to be taken once there is room.
 */
export async function expectNoRoom(
  send: (harness: Harness, key: string) => Promise<Response>,
): Promise<void> {
  const harness = await openHarness()
  const allow = (pages: number) =>
    harness.database.write(({ run }) => run(`PRAGMA max_page_count = ${pages}`, []))
  await allow(1)
  let taken = 0
  let response = await send(harness, 'k-0')
  while (response.status === 200) response = await send(harness, `k-${++taken}`)
  await allow(2 ** 30)
  await expectProblem(response, 'unavailable', { headers: { 'retry-after': '1' } })
  const { messages, jobs, keys } = await traces(harness)
  expect([messages.length, jobs.length, keys.length]).toEqual([taken, taken, taken])
  expectFresh(await send(harness, `k-${taken}`))
}

/** Expects a send to be taken, and not to be the repetition of one that was taken before. */
export function expectFresh({ status, headers }: Response): void {
  expect([status, headers.get('idempotent-replayed')]).toEqual([200, null])
}

/** A gateway on a PostgreSQL whose sends wait only a moment for a lock. */
export async function openHasty(): Promise<{ harness: Harness; url: string }> {
  const url = await aPlace('PostgreSQL')
  const harness = await openHarness({ database: url }, onTestFinished, { sendLockWaitMs: 8 })
  return { harness, url }
}

/** A gateway on a PostgreSQL that can be cut off. */
export async function openToCutOff(): Promise<{ harness: Harness; url: string }> {
  const { url, drop } = await freshPostgres()
  onTestFinished(drop)
  return { harness: await openHarness({ database: url }), url }
}

/** From now on the gateway's database takes no connection, and those there are break. */
export async function cutOff(url: string): Promise<void> {
  const name = new URL(url).pathname.slice(1)
  const client = await connectTo(inject('postgresUrl'))
  await client.query(`ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS false`)
  const ended = 'SELECT pg_terminate_backend(pid, 30000) FROM pg_stat_activity WHERE datname = $1'
  await client.query(ended, [name])
  await client.end()
  // A request on a connection that is only about to be found broken could not know whether it was committed.
  await turns()
}

/** Holds an idempotency key as a request that is still running would; the returned function lets it go. */
export async function holdKey(url: string): Promise<() => Promise<void>> {
  const client = await connectTo(url)
  const { rows } = await client.query(
    'DELETE FROM idempotency RETURNING scope, fingerprint, response, created_at',
  )
  await client.query('BEGIN')
  const [row] = rows
  const values = [row.scope, row.fingerprint, row.response, row.created_at]
  await client.query(
    'INSERT INTO idempotency (scope, fingerprint, response, created_at) VALUES ($1, $2, $3, $4)',
    values,
  )
  return async function letGo() {
    await client.query('ROLLBACK')
    await client.end()
  }
}
