import { type Metrics, MOST_COUNTED } from '../platform/metrics.ts'
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

/** Counts attempts to post, and how long receivers took. */
export function countAttempts(metrics: Pick<Metrics, 'counter' | 'histogram'>) {
  const attempts = metrics.counter(
    'wigwag_callback_attempts_total',
    'This process: attempts to post a callback, by outcome.',
    ['outcome'],
  )
  const seconds = metrics.histogram({
    name: 'wigwag_callback_seconds',
    help: 'This process: how long receivers take to answer a callback.',
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 15],
  })
  return function countAttempt(outcome: string, latencyMs: number): void {
    attempts.inc({ outcome })
    seconds.observe(latencyMs / 1_000)
  }
}
