import { COUNT_KEPT_MS, type Metrics, type Watched } from '../../kernel/process/metrics.ts'
import type { Database } from '../../store/database.ts'

export interface WatchCountOptions {
  database: Database
  metrics: Pick<Metrics, 'watch'>
}

/** Shows what a statement counts, as `count`. */
export function watchCount(
  { database, metrics }: WatchCountOptions,
  gauge: Omit<Watched, 'labels'>,
  statement: string,
): void {
  const read = async () => {
    const [row] = await database.read(({ run }) => run<{ count: number }>(statement, []))
    return [{ name: gauge.name, labels: {}, value: row?.count ?? 0 }]
  }
  metrics.watch([{ ...gauge, labels: [] }], read, { keepMs: COUNT_KEPT_MS })
}
