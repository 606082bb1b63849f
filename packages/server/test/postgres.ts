import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'

export interface FreshPostgres {
  url: string
  drop(): Promise<void>
}

/** An empty database on the run's PostgreSQL. Drop it when the file is done. */
export async function freshPostgres(): Promise<FreshPostgres> {
  const server = inject('postgresUrl')
  const name = `wigwag_test_${randomBytes(6).toString('hex')}`
  await administer(server, `CREATE DATABASE ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return { url: url.href, drop: () => administer(server, `DROP DATABASE ${name} WITH (FORCE)`) }
}

/** A connection beside the gateway's own, to look and to get in the way. */
export async function connectTo(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  return client
}

async function administer(server: string, statement: string): Promise<void> {
  const client = await connectTo(server)
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
