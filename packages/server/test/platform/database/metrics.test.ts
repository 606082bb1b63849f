import { pino } from 'pino'
import { describe, expect, it, onTestFinished } from 'vitest'
import { messagesByCarrier } from '../../../src/delivery/operate/overview.ts'
import { watchJobs } from '../../../src/flow/jobs/job-metrics.ts'
import { epochMs } from '../../../src/kernel/ids.ts'
import { systemClock } from '../../../src/kernel/process/clock.ts'
import type { Tx } from '../../../src/store/database.ts'
import { migrate } from '../../../src/store/schema/migrate.ts'
import { openExplainer } from '../../history/explain.ts'
import { makePlace, open } from '../../support/engine.ts'
import { exposed } from '../../support/exposed.ts'
import { openFront } from '../../support/front.ts'
import { lockFile } from '../../support/lock.ts'

async function openOn(engine: 'PostgreSQL' | 'an SQLite file', lockWaitMs = 100) {
  const place = await makePlace(engine)
  const front = await openFront(
    place.url,
    { postgresConnections: 3 },
    { lockWaitMs, log: pino({ level: 'silent' }) },
  )
  onTestFinished(async () => {
    await front.close()
    await place.remove()
  })
  const values = async (name: string) => {
    const response = await fetch(`${front.url}/metrics`)
    const { samples } = exposed(await response.text())
    return samples.filter((sample) => sample.name === name).map(({ labels, value }) => ({ ...labels, value }))
  }
  return { front, place, values }
}

describe('metrics of the store', () => {
  it('say that it takes no writes, and are answered all the same', async () => {
    const { place, values } = await openOn('an SQLite file')
    const unlock = await lockFile(place.url, 'writers')
    try {
      expect(await values('wigwag_store_writable')).toEqual([{ value: 0 }])
      expect(await values('wigwag_build_info')).toMatchObject([{ engine: 'sqlite' }])
    } finally {
      await unlock()
    }
  })

  it('say that it takes writes', async () => {
    const { values } = await openOn('an SQLite file')
    expect(await values('wigwag_store_writable')).toEqual([{ value: 1 }])
    expect(await values('wigwag_database_connections_max')).toEqual([])
  })

  it.each(['an SQLite file', 'PostgreSQL'] as const)('say how long writes take on %s', async (engine) => {
    const { front, values } = await openOn(engine)
    const read = async () => {
      const [[writes], [seconds]] = await Promise.all([
        values('wigwag_database_writes_total'),
        values('wigwag_database_write_seconds_total'),
      ])
      return { writes: writes?.value ?? Number.NaN, seconds: seconds?.value ?? Number.NaN }
    }
    const before = await read()
    const work = () => new Promise<void>((resolve) => setTimeout(resolve, 200))
    await front.gateway.database.write(work)
    await expect(front.gateway.database.write(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
    const after = await read()
    expect(after.writes - before.writes).toBeGreaterThanOrEqual(2)
    expect(after.seconds - before.seconds).toBeGreaterThanOrEqual(0.19)
  })

  it('say how many connections are in use and how much waits for one', async () => {
    const { front, values } = await openOn('PostgreSQL')
    const { database } = front.gateway
    expect(await values('wigwag_database_connections_max')).toEqual([
      { pool: 'read', value: 1 },
      { pool: 'write', value: 2 },
    ])
    let end = () => {}
    const held = new Promise<void>((resolve) => {
      end = resolve
    })
    const work = Array.from({ length: 5 }, () => database.write(() => held))
    try {
      await expect
        .poll(() => values('wigwag_database_connections_in_use'))
        .toContainEqual({ pool: 'write', value: 2 })
      const [, write] = await values('wigwag_database_connections_waiting')
      expect(write?.value).toBeGreaterThanOrEqual(3)
    } finally {
      end()
      await Promise.all(work)
    }
  })

  it('are read by indexes, or from so many rows and no more', async () => {
    const place = await makePlace('an SQLite file')
    const database = open(place.url)
    await migrate(database)
    const explainer = await openExplainer(place.url)
    onTestFinished(async () => {
      await explainer.close()
      await database.close()
      await place.remove()
    })
    const plans: string[] = []
    async function read<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
      const results: T[] = []
      plans.push(...(await explainer.plansOf(async (tx) => results.push(await work(tx)))))
      const [result] = results
      if (result === undefined) throw new Error('nothing was read')
      return result
    }
    const gauges: (() => Promise<unknown>)[] = []
    watchJobs({
      database: { ...database, read },
      clock: systemClock,
      metrics: { watch: (_gauges: unknown, gauge: () => Promise<unknown>) => void gauges.push(gauge) },
    })
    // One after the other, or one would be told of the statements of another.
    for (const gauge of gauges) await gauge()
    await read((tx) => messagesByCarrier(tx, [], { now: epochMs(1), most: 10 }))
    expect(plans.length).toBeGreaterThan(10)
    for (const plan of plans) expect(plan).not.toMatch(/^SCAN (outbox|messages|m|callbacks|carrier_refs)$/m)
    expect(plans.filter((plan) => plan.includes('outbox_faults'))).toHaveLength(1)
    const uncertain = plans.filter((plan) => plan.includes('submitted_at'))
    expect(uncertain).toEqual([expect.stringContaining('outbox_unanswered')])
  })
})
