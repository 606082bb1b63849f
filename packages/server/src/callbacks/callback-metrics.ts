import { MOST_COUNTED } from '../platform/metrics.ts'
import { type WatchCountOptions, watchCount } from '../platform/observe/watch-count.ts'

const DEAD = {
  name: 'wigwag_callbacks_dead',
  help: `The database: callbacks that were given up and not replayed since. Counted up to ${MOST_COUNTED}.`,
}

/** Shows how many callbacks were given up. */
export function watchCallbacks(options: WatchCountOptions): void {
  watchCount(
    options,
    DEAD,
    `SELECT count(*) AS count FROM (SELECT 1 FROM callbacks WHERE state = 'dead' LIMIT ${MOST_COUNTED}) AS found`,
  )
}
