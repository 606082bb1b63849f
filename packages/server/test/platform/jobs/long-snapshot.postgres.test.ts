import { afterAll, expect, it } from 'vitest'
import { dueOf } from '../../../src/flow/jobs/claim.ts'
import { enqueue, removeHeld } from '../../../src/flow/jobs/outbox.ts'
import { JobQueue } from '../../../src/flow/jobs/queue.ts'
import { epochMs } from '../../../src/kernel/ids.ts'
import type { Database, Tx } from '../../../src/store/database.ts'
import { open } from '../../support/engine.ts'
import { laneOf, unclaimed } from '../../support/jobs.ts'
import { connectTo, freshPostgres } from '../../support/postgres.ts'
import { NOW } from '../../support/rows-of.ts'

const SECONDS = 80
const A_SECOND = 50

const { url, drop } = await freshPostgres()
const database = open(url)
afterAll(async () => {
  await database.close()
  await drop()
})

interface Explained {
  'QUERY PLAN': [{ Plan: { 'Shared Hit Blocks': number; 'Shared Read Blocks': number } }]
}

/** The database, with a count of the pages that its statements visit. */
function counting(): { pages(): number; database: Database } {
  let pages = 0
  const counted = (tx: Tx): Tx => ({
    ...tx,
    async run(text, values) {
      const explain = `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`
      const [row] = await tx.run<Explained>(explain, values)
      const plan = row?.['QUERY PLAN'][0].Plan
      pages += (plan?.['Shared Hit Blocks'] ?? 0) + (plan?.['Shared Read Blocks'] ?? 0)
      return tx.run(text, values)
    },
  })
  return {
    pages() {
      const counted = pages
      pages = 0
      return counted
    },
    database: {
      ...database,
      read: (work) => database.read((tx) => work(counted(tx))),
      write: (work, options) => database.write((tx) => work(counted(tx)), options),
    },
  }
}

it('a claim visits no more pages the longer another transaction keeps its snapshot', async () => {
  const client = await connectTo(url)
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
  await client.query('SELECT count(*) FROM outbox')
  const counter = counting()
  let on: Database = database
  const queue = new JobQueue({
    ...database,
    read: (work) => on.read(work),
    write: (work, options) => on.write(work, options),
  })
  const lane = laneOf('dispatch')
  const visited: number[] = []
  for (let second = 0; second < SECONDS; second++) {
    const now = epochMs(NOW + second * 1_000)
    const jobs = Array.from({ length: A_SECOND }, (_, index) =>
      unclaimed(`job-${second}-${index}`, { runAt: now }),
    )
    await database.write((tx) => enqueue(tx, jobs))
    const claim = () => {
      queue.notify(lane, jobs.map(dueOf))
      return queue.claim(lane, { now, leaseMs: 30_000, limit: 2 * A_SECOND })
    }
    const claimed = await claim()
    expect(claimed).toHaveLength(A_SECOND)
    await database.write((tx) => removeHeld(tx, claimed))
    on = counter.database
    expect(await claim()).toEqual([])
    on = database
    visited.push(counter.pages())
  }
  await client.query('COMMIT')
  await client.end()
  const [early = 0, late = 0] = [visited[SECONDS / 4], visited[SECONDS - 1]]
  expect(late).toBeLessThan(2 * early)
})
