import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'

const WITHIN_MS = 1_000
const REST_MS = 50

export interface Probe {
  /** When a commit by a new connection was answered, by any of the servers. */
  commits: readonly number[]
  stop(): Promise<void>
}

/** Commits a row on whatever server takes it, by new connections again and again: what the manager itself makes possible. */
export function startProbe(urls: readonly string[]): Probe {
  const commits: number[] = []
  let stopped = false

  async function tryOn(connectionString: string): Promise<void> {
    while (!stopped) {
      const client = new pg.Client({
        connectionString,
        connectionTimeoutMillis: WITHIN_MS,
        query_timeout: WITHIN_MS,
      })
      client.on('error', () => undefined)
      try {
        await client.connect()
        await client.query('INSERT INTO commits DEFAULT VALUES')
        commits.push(performance.now())
      } catch {
        // It does not take writes now.
      }
      client.connection.stream.destroy()
      await pause(REST_MS)
    }
  }

  const all = urls.map(tryOn)
  return {
    commits,
    async stop() {
      stopped = true
      await Promise.all(all)
    },
  }
}
