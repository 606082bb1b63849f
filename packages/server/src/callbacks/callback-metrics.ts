import type { Database } from '../platform/database/database.ts'
import { type Metrics, MOST_COUNTED, type Watched } from '../platform/metrics.ts'

const DEAD: Watched = {
  name: 'wigwag_callbacks_dead',
  help: `The database: callbacks that were given up and not replayed since. Counted up to ${MOST_COUNTED}.`,
  labels: [],
}
const KEEP_MS = 15_000

/** Shows how many callbacks were given up. */
export function watchCallbacks({
  database,
  metrics,
}: {
  database: Database
  metrics: Pick<Metrics, 'watch'>
}): void {
  const count = async () => {
    const [row] = await database.read(({ run }) =>
      run<{ dead: number }>(
        `SELECT count(*) AS dead FROM (SELECT 1 FROM callbacks WHERE state = 'dead' LIMIT ${MOST_COUNTED}) AS found`,
        [],
      ),
    )
    return [{ name: DEAD.name, labels: {}, value: row?.dead ?? 0 }]
  }
  metrics.watch([DEAD], count, { keepMs: KEEP_MS })
}
