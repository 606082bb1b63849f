import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { loadConfig } from '../../../src/config/config.ts'
import { enqueue } from '../../../src/flow/jobs/outbox.ts'
import { openOperatorParts } from '../../../src/gateway/operator-parts.ts'
import { type EpochMs, epochMs } from '../../../src/kernel/ids.ts'
import { systemClock } from '../../../src/kernel/process/clock.ts'
import type { Database } from '../../../src/store/database.ts'
import { clockOf, engineFacts } from '../../../src/store/facts.ts'
import { open, useStore } from '../../support/engine.ts'
import { eventually } from '../../support/eventually.ts'
import { claim, laneOf, unclaimed } from '../../support/jobs.ts'

const MINUTES = 60_000
const DAYS = 24 * 60 * MINUTES
const LEASE = 30_000
/** How often a gateway asks the database again. */
const AGAIN_MS = 10_000

describe('the clock of gateways on one PostgreSQL', () => {
  const store = useStore('PostgreSQL')
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  /** A gateway on a machine whose clock is off, and whose counter moves only as the test or a late answer moves it. */
  async function gatewayOff(ms: number) {
    const late = { toAskMs: 0, toHearMs: 0 }
    let counter = 0
    let answers = 0
    const machine = {
      ...systemClock,
      now: () => epochMs(systemClock.now() + ms),
      elapsed: () => counter,
    }
    const database: Database = {
      ...store.database,
      async read(work) {
        counter += late.toAskMs
        const found = await store.database.read(work)
        counter += late.toHearMs
        answers++
        return found
      },
    }
    const { clock, stop } = await clockOf(database, machine)
    onTestFinished(stop)
    return {
      clock,
      late,
      move(time: number) {
        counter += time
      },
      async askAgain() {
        const before = answers
        vi.advanceTimersByTime(AGAIN_MS)
        await eventually('the database has answered', () => answers > before)
      },
    }
  }

  /** The time of the database's own clock. */
  const told = async () => (await engineFacts(store.database)).now

  it("is the database's, however far their own are off", async () => {
    const before = await told()
    const gateways = [await gatewayOff(-10 * MINUTES), await gatewayOff(3 * DAYS)]
    const after = await told()
    for (const { clock } of gateways) {
      expect(clock.now()).toBeGreaterThanOrEqual(before)
      expect(clock.now()).toBeLessThanOrEqual(after)
    }
  })

  it('is what a gateway goes by that is given no other', async () => {
    const log = pino({ level: 'silent' })
    const config = loadConfig({ database: store.url }, {})
    const before = await told()
    vi.setSystemTime(before + 3 * DAYS)
    const parts = await openOperatorParts(config, { log, onFatal() {}, acting: { actor: 'operator:ama' } })
    onTestFinished(() => parts.close())
    const now = parts.clock.now()
    const after = await told()
    // It is off by no more than an answer took.
    const off = after - before + 2
    expect(now).toBeGreaterThanOrEqual(before - off)
    expect(now).toBeLessThanOrEqual(after + off)
  })

  it('is right again once a machine that was asleep has asked', async () => {
    const { clock, move, askAgain } = await gatewayOff(0)
    const before = clock.now()
    move(-60 * MINUTES)
    expect(clock.now()).toBe(before - 60 * MINUTES)
    const asked = await told()
    await askAgain()
    expect(clock.now()).toBeGreaterThanOrEqual(asked - 1)
    expect(clock.now()).toBeLessThanOrEqual(await told())
  })

  it.each([
    ['asks', { toAskMs: 800, toHearMs: 0 }],
    ['hears', { toAskMs: 0, toHearMs: 800 }],
  ])('is right while a gateway is so busy, or stopped, that it %s late', async (_, lateness) => {
    const { clock, late, move, askAgain } = await gatewayOff(0)
    const right = clock.now() + lateness.toHearMs
    // The database's time, which no test moves, is what it is when the question arrives.
    move(-lateness.toAskMs)
    Object.assign(late, lateness)
    await askAgain()
    expect(clock.now()).toBeGreaterThanOrEqual(right)
    expect(clock.now()).toBeLessThanOrEqual(Math.max(right, await told()))
  })

  it('is moved by no more than it was off, where a slow answer shows that', async () => {
    const { clock, late, move, askAgain } = await gatewayOff(0)
    move(-20 - 800)
    const asked = await told()
    late.toAskMs = 800
    await askAgain()
    expect(clock.now()).toBeGreaterThanOrEqual(asked - 1)
    expect(clock.now()).toBeLessThanOrEqual(await told())
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
