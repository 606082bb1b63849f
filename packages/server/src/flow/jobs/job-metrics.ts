import type { EpochMs } from '../../kernel/ids.ts'
import type { Clock } from '../../kernel/process/clock.ts'
import {
  COUNT_KEPT_MS,
  type Metrics,
  MOST_COUNTED,
  type Sample,
  type Watched,
} from '../../kernel/process/metrics.ts'
import type { Database, Tx } from '../../store/database.ts'
import { JOB_KINDS, type JobKind } from '../../store/schema/schema.ts'
import { firstOfEachOwner } from './claim.ts'
import { lanesWithJobs } from './lanes.ts'
import { countSetAside, type LaneName } from './outbox.ts'

const JOBS: Watched = {
  name: 'wigwag_jobs',
  help: `The database: jobs that are not done, by kind, those for later included. Counted up to ${MOST_COUNTED} in each lane.`,
  labels: ['kind'],
  aggregator: 'max',
}
const AGE: Watched = {
  name: 'wigwag_jobs_oldest_due_seconds',
  help: 'The database: for how long the job that no process works on and that has waited longest has been due, by kind.',
  labels: ['kind'],
  aggregator: 'max',
}
const SET_ASIDE: Watched = {
  name: 'wigwag_jobs_set_aside',
  help: 'The database: jobs that keep failing and are retried once an hour, by kind.',
  labels: ['kind'],
  aggregator: 'max',
}

export interface JobMetricsOptions {
  database: Database
  clock: Clock
  metrics: Pick<Metrics, 'watch'>
}

/** Shows how much work waits. */
export function watchJobs({ database, clock, metrics }: JobMetricsOptions): void {
  async function read(): Promise<Sample[]> {
    const samples: Sample[] = []
    for (const kind of JOB_KINDS) samples.push(...(await samplesOf(database, kind, clock.now())))
    return samples
  }
  metrics.watch([JOBS, AGE], read, { keepMs: COUNT_KEPT_MS })
  metrics.watch([SET_ASIDE], async () => {
    const counts = await database.read(countSetAside)
    return counts.map(({ kind, count }) => ({ name: SET_ASIDE.name, labels: { kind }, value: count }))
  })
}

async function samplesOf(database: Database, kind: JobKind, now: EpochMs): Promise<Sample[]> {
  let jobs = 0
  let oldest: number = now
  for (const lane of ['', ...(await database.read((tx) => lanesWithJobs(tx, kind)))]) {
    jobs += await database.read((tx) => count(tx, { kind, lane }))
    for (const { runAt } of await firstOfEachOwner(database, { kind, lane }, now))
      oldest = Math.min(oldest, runAt)
  }
  const labels = { kind }
  return [
    { name: JOBS.name, labels, value: jobs },
    { name: AGE.name, labels, value: (now - oldest) / 1_000 },
  ]
}

/** Reads the index alone. */
async function count({ run }: Tx, { kind, lane }: LaneName): Promise<number> {
  const [row] = await run<{ jobs: number }>(
    `SELECT count(*) AS jobs FROM (SELECT 1 FROM outbox WHERE kind = $1 AND lane = $2 LIMIT ${MOST_COUNTED}) AS found`,
    [kind, lane],
  )
  return row?.jobs ?? 0
}
