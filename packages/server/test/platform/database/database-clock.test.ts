import { setTimeout as pause } from 'node:timers/promises'
import { pino } from 'pino'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openOffice } from '../../../src/back-office.ts'
import { loadConfig } from '../../../src/config.ts'
import { type EpochMs, epochMs } from '../../../src/domain/ids.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import type { Database } from '../../../src/platform/database/database.ts'
import { clockOf } from '../../../src/platform/database/database-clock.ts'
import { enqueue } from '../../../src/platform/jobs/outbox.ts'
import { open, useStore } from '../../support/engine.ts'
import { eventually } from '../../support/eventually.ts'
import { claim, laneOf, unclaimed } from '../../support/jobs.ts'

const MINUTES = 60_000
const LEASE = 30_000

describe('the clock of gateways on one PostgreSQL', () => {
  const store = useStore('PostgreSQL')

  /** A gateway on a machine whose clock is off, and whose counter a test can move on. */
  async function gatewayOff(ms: number) {
    let slept = 0
    const machine = {
      ...systemClock,
      now: () => epochMs(systemClock.now() + ms),
      elapsed: () => systemClock.elapsed() + slept,
    }
    const { clock, stop } = await clockOf(store.database, machine, 20)
    onTestFinished(stop)
    const sleep = (time: number) => {
      slept += time
    }
    return { clock, sleep }
  }
  const apart = (a: EpochMs, b: EpochMs) => Math.abs(a - b)

  it("is the database's, however far their own are off", async () => {
    const [early, late] = [await gatewayOff(-10 * MINUTES), await gatewayOff(3 * 24 * 60 * MINUTES)]
    expect(apart(early.clock.now(), systemClock.now())).toBeLessThan(1_000)
    expect(apart(early.clock.now(), late.clock.now())).toBeLessThan(1_000)
  })

  it('is what a gateway goes by that is given no other', async () => {
    const log = pino({ level: 'silent' })
    const config = loadConfig({ database: store.url }, {})
    const office = await openOffice(config, { log, onFatal() {}, acting: { actor: 'operator:ama' } })
    onTestFinished(() => office.close())
    expect(office.clock).not.toBe(systemClock)
    expect(apart(office.clock.now(), systemClock.now())).toBeLessThan(1_000)
  })

  it('is right again a moment after a machine was asleep', async () => {
    const { clock, sleep } = await gatewayOff(0)
    sleep(-60 * MINUTES)
    expect(apart(clock.now(), systemClock.now())).toBeGreaterThan(59 * MINUTES)
    await eventually('it is right', () => apart(clock.now(), systemClock.now()) < 1_000)
  })

  it('is right while a gateway is so busy, or stopped, that it asks or hears late', async () => {
    let lateMs = 0
    const late: Database = {
      ...store.database,
      async read(work) {
        await pause(lateMs)
        return store.database.read(work)
      },
    }
    const { clock, stop } = await clockOf(late, systemClock, 20)
    onTestFinished(stop)
    lateMs = 800
    for (let looks = 0; looks < 10; looks++) {
      await pause(100)
      expect(apart(clock.now(), systemClock.now())).toBeLessThan(250)
    }
  })

  it('is moved by no more than it was off, where a slow answer shows that', async () => {
    let [lateMs, behindMs] = [0, 0]
    const late: Database = {
      ...store.database,
      async read(work) {
        await pause(lateMs)
        return store.database.read(work)
      },
    }
    const machine = { ...systemClock, elapsed: () => systemClock.elapsed() - behindMs }
    const { clock, stop } = await clockOf(late, machine, 20)
    onTestFinished(stop)
    ;[lateMs, behindMs] = [800, 20]
    await pause(1_500)
    expect(apart(clock.now(), systemClock.now())).toBeLessThan(250)
  })

  it('lets none of them take a lease for ended that another still holds', async () => {
    const [one, other] = [await gatewayOff(0), await gatewayOff(10 * MINUTES)]
    const take = (now: EpochMs) =>
      claim(store.database, laneOf('dispatch'), { now, leaseMs: LEASE, limit: 1 })
    const job = unclaimed('job', { runAt: one.clock.now() })
    await store.database.write((tx) => enqueue(tx, [job]))
    expect(await take(one.clock.now())).toHaveLength(1)
    expect(await take(other.clock.now())).toEqual([])
  })
})

it("the clock of a gateway on SQLite is its machine's", async () => {
  const database = open(':memory:')
  onTestFinished(() => database.close())
  const { clock } = await clockOf(database)
  expect(clock).toBe(systemClock)
})
