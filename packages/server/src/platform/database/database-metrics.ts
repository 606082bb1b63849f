import type { Metrics, Sample, Watched } from '../metrics.ts'
import type { Database, Pool } from './database.ts'
import type { WriteTimes } from './watch-writes.ts'

const WRITABLE: Watched = {
  name: 'wigwag_store_writable',
  help: 'This process: 1 while the database takes its writes, else 0, as /readyz says.',
  labels: [],
}
const IN_USE: Watched = {
  name: 'wigwag_database_connections_in_use',
  help: 'This process: connections to PostgreSQL that do work, by pool. SQLite has no pools.',
  labels: ['pool'],
}
const MOST: Watched = {
  name: 'wigwag_database_connections_max',
  help: 'This process: connections to PostgreSQL that it may open, by pool.',
  labels: ['pool'],
}
const WAITING: Watched = {
  name: 'wigwag_database_connections_waiting',
  help: 'This process: pieces of work that wait for a connection to PostgreSQL, by pool.',
  labels: ['pool'],
}

const WRITES: Watched = {
  name: 'wigwag_database_writes_total',
  help: 'This process: writes to the database, failed ones included.',
  labels: [],
  counter: true,
}
const WRITE_SECONDS: Watched = {
  name: 'wigwag_database_write_seconds_total',
  help: 'This process: how long all writes took together, waiting included.',
  labels: [],
  counter: true,
}

export interface DatabaseMetricsOptions {
  database: Database
  takesWrites(): Promise<boolean>
  writeTimes(): WriteTimes
  metrics: Pick<Metrics, 'watch'>
}

/** Shows whether the store takes writes, and how its connections are used. */
export function watchDatabase({ database, takesWrites, writeTimes, metrics }: DatabaseMetricsOptions): void {
  metrics.watch([WRITABLE], async () => [
    { name: WRITABLE.name, labels: {}, value: (await takesWrites()) ? 1 : 0 },
  ])
  metrics.watch([WRITES, WRITE_SECONDS], async () => {
    const { writes, ms } = writeTimes()
    return [
      { name: WRITES.name, labels: {}, value: writes },
      { name: WRITE_SECONDS.name, labels: {}, value: ms / 1_000 },
    ]
  })
  metrics.watch([IN_USE, MOST, WAITING], async () => (database.pools?.() ?? []).flatMap(ofPool))
}

function ofPool({ name, inUse, most, waiting }: Pool): Sample[] {
  const labels = { pool: name }
  return [
    { name: IN_USE.name, labels, value: inUse },
    { name: MOST.name, labels, value: most },
    { name: WAITING.name, labels, value: waiting },
  ]
}
