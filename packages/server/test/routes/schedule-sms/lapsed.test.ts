import { describe, expect, it } from 'vitest'
import { releaseScheduled } from '../../../src/delivery/submit/routing.ts'
import type { Job } from '../../../src/flow/jobs/outbox.ts'
import { epochMs } from '../../../src/kernel/ids.ts'
import { createMovedClock } from '../../../src/testing/clock.ts'
import { at, cancel, recordOf, schedule } from '../../isolation/scheduling.ts'
import { aPlace, type Bench, ENGINES_WITH_FILE, openBench, START } from '../../support/bench.ts'
import { claim, laneOf } from '../../support/jobs.ts'

const DUE = epochMs(START + 60_000)
const LEASE_MS = 30_000

/** Two claims of one scheduled message: the second one came when the lease of the first had ended. */
async function claimTwice(bench: Bench) {
  const { database } = bench
  const { Ticket } = await schedule(bench, at(DUE))
  const take = (now: number) =>
    claim(database, laneOf('scheduled'), { now: epochMs(now), leaseMs: LEASE_MS, limit: 10 })
  const clock = createMovedClock(epochMs(DUE + LEASE_MS))
  const release = (jobs: readonly Job[]) => releaseScheduled({ database, clock }, jobs)
  return { Ticket, release, claims: [await take(DUE), await take(DUE + LEASE_MS)] as const }
}

async function jobOf({ database }: Bench, ticket: string) {
  const [job] = await database.read(({ run }) =>
    run<{ kind: string; run_at: number }>('SELECT kind, run_at FROM outbox WHERE id = $1', [ticket]),
  )
  return job
}

describe.each(ENGINES_WITH_FILE)('two gateways that hold one scheduled message on %s', (engine) => {
  it.each([
    ['first', 0, 1],
    ['last', 1, 0],
  ] as const)('send it once when the one that stalled comes %s', async (_, one, two) => {
    const bench = await openBench({ database: await aPlace(engine), config: { pollMs: 10_000 } })
    const { Ticket, release, claims } = await claimTwice(bench)
    await release(claims[one])
    await release(claims[two])
    expect(await jobOf(bench, Ticket)).toEqual({ kind: 'dispatch', run_at: DUE + LEASE_MS })
    bench.jump(60_000 + LEASE_MS)
    const delivered = async () => (await recordOf(bench, Ticket)).Status === 'success'
    await bench.until('it is delivered', delivered, 10_000)
    const { Totals } = await (await bench.call('GET', '/v1/insights/delivery?GroupBy=day')).json()
    expect(Totals).toMatchObject({ Sent: 1, Delivered: 1 })
  })

  it('send nothing of it when it was cancelled in between', async () => {
    const bench = await openBench({ database: await aPlace(engine) })
    const { Ticket, release, claims } = await claimTwice(bench)
    expect((await cancel(bench, Ticket)).status).toBe(200)
    for (const jobs of claims) await release(jobs)
    expect(await jobOf(bench, Ticket)).toBeUndefined()
    expect((await recordOf(bench, Ticket)).Status).toBe('cancelled')
  })
})
