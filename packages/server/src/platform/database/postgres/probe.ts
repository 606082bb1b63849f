import type pg from 'pg'
import type { Hosts } from './hosts.ts'
import { setUp } from './session.ts'
import type { SilenceOptions } from './silence.ts'

/** A commit of its own that changes no row, so it waits for what every commit waits for and for no lock. */
const COMMIT = "SELECT pg_logical_emit_message(true, 'wigwag', '')"

export function createProbe(hosts: Hosts, connection: pg.ClientConfig): SilenceOptions['probe'] {
  return async function probe(passed) {
    const client = new hosts.Client(connection)
    client.on('error', () => undefined)
    try {
      await client.connect()
      await setUp(client, 'to write', { standbyWillDo: false }).catch((error: unknown) => {
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
