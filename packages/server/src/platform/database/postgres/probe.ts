import type pg from 'pg'
import type { Hosts } from './hosts.ts'
import { setUp, type Wanted } from './session.ts'
import type { SilenceOptions } from './silence.ts'

/** A commit that changes no row: it waits for what every commit waits for, and for no lock. */
const COMMIT = "SELECT pg_logical_emit_message(true, 'wigwag', '')"

export interface ProbeOptions {
  connection: pg.ClientConfig
  wanted: Wanted
}

export function createProbe(hosts: Hosts, { connection, wanted }: ProbeOptions): SilenceOptions['probe'] {
  return async function probe(passed, givenUp) {
    const client = new hosts.Client(connection)
    client.on('error', () => undefined)
    givenUp.addEventListener('abort', () => client.connection.stream.destroy(), { once: true })
    try {
      await client.connect()
      await setUp(client, 'to write', wanted).catch((error: unknown) => {
        hosts.failed(client)
        throw error
      })
      hosts.worked(client)
      passed('read')
      await client.query(COMMIT)
      passed('write')
    } finally {
      // One that hangs needs no farewell.
      client.connection.stream.destroy()
    }
  }
}
