import { randomBytes } from 'node:crypto'
import { Socket } from 'node:net'
import pg from 'pg'
import { inject } from 'vitest'

export interface FreshPostgres {
  url: string
  drop(): Promise<void>
}

/** A database on the run's PostgreSQL that has the schema, and no rows. Drop it when the file is done. */
export function freshPostgres(): Promise<FreshPostgres> {
  return makeDatabase(inject('postgresUrl'), inject('postgresTemplate'))
}

/** A database without a schema, for tests of migrations. */
export function emptyPostgres(encoding = 'UTF8'): Promise<FreshPostgres> {
  return makeDatabase(inject('postgresUrl'), `template0 ENCODING '${encoding}' LOCALE 'C'`)
}

/** Copying files is what costs the server least, and the template has few. */
export async function makeDatabase(
  server: string,
  template: string,
  prefix = 'wigwag_test',
): Promise<FreshPostgres> {
  const name = `${prefix}_${randomBytes(6).toString('hex')}`
  await administer(server, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`)
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

/** Keeps a connection until the worker ends, and the worker from nothing. */
export function letEnd(client: pg.Client): void {
  const { stream } = client.connection
  if (stream instanceof Socket) stream.unref()
}

/** Where databases are made, by server. A connection costs it more than what is asked for there. */
const administering = new Map<string, Promise<pg.Client>>()

async function administer(server: string, statement: string): Promise<void> {
  let connecting = administering.get(server)
  if (!connecting) {
    connecting = connectTo(server)
    administering.set(server, connecting)
    const client = await connecting
    client.on('end', () => administering.delete(server))
    letEnd(client)
  }
  const client = await connecting
  await client.query(statement)
}
