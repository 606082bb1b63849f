import { inject, onTestFinished } from 'vitest'
import { type Harness, openHarness } from '../harness.ts'
import { connectTo, freshPostgres } from '../postgres.ts'

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

/** Makes a request while the disk has no page left. */
export async function whileFull({ database }: Harness, request: () => Promise<Response>): Promise<Response> {
  const allow = (pages: number) => database.read(({ run }) => run(`PRAGMA max_page_count = ${pages}`, []))
  await allow(1)
  const response = await request()
  await allow(2 ** 30)
  return response
}

/** A gateway on PostgreSQL that waits only a moment for a lock. */
export async function openOnPostgres(): Promise<{ harness: Harness; url: string }> {
  const { url, drop } = await freshPostgres()
  onTestFinished(drop)
  const harness = await openHarness({ database: `${url}?options=-c%20lock_timeout%3D300` })
  return { harness, url }
}

/** From now on the gateway's database takes no connection, and those there are break. */
export async function cutOff(url: string): Promise<void> {
  const name = new URL(url).pathname.slice(1)
  const client = await connectTo(inject('postgresUrl'))
  await client.query(`ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS false`)
  await client.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name])
  await client.end()
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
