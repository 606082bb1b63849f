import { randomBytes } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { enqueue, type NewJob } from '../../../src/flow/jobs/outbox.ts'
import { JobQueue } from '../../../src/flow/jobs/queue.ts'
import { SetBacks } from '../../../src/flow/jobs/set-back.ts'
import { epochMs, TicketMaker } from '../../../src/kernel/ids.ts'
import { type Clock, systemClock } from '../../../src/kernel/process/clock.ts'
import { type Database, StoreUnavailable } from '../../../src/store/database.ts'
import { type EngineName, useStore } from '../../support/engine.ts'
import { claim, laneOf, unclaimed } from '../../support/jobs.ts'

const START = 1_700_000_000_000
const DAY = 86_400_000

describe.each<EngineName>(['SQLite in memory', 'PostgreSQL'])('a clock that is set back, on %s', (engine) => {
  const store = useStore(engine)
  let newId = new TicketMaker(randomBytes).make
  // A maker goes on from the latest time that it has seen.
  beforeEach(() => {
    newId = new TicketMaker(randomBytes).make
  })

  function openQueue(now: number, database: Database = store.database) {
    let back = 0
    let elapsed = 0.5
    const said: number[] = []
    const clock: Clock = { ...systemClock, elapsed: () => elapsed, now: () => epochMs(now - back) }
    const setBacks = new SetBacks(database, clock, (byMs) => said.push(byMs))
    const queue = new JobQueue(database, (forget) => setBacks.follow(forget))
    return {
      said,
      setBack(ms: number) {
        back += ms
      },
      pass(ms: number) {
        elapsed += ms
        back -= ms
      },
      claimed: async () =>
        (await queue.claim(laneOf('dispatch'), { now: clock.now(), leaseMs: 30_000, limit: 9_999 })).length,
    }
  }
  const put = (at: number, changes: Partial<NewJob>[]) =>
    store.database.write((tx) =>
      enqueue(
        tx,
        changes.map((each) => unclaimed(newId(at), { runAt: at, ...each })),
      ),
    )
  const plans = async () => {
    const rows = await store.database.read(({ run }) =>
      run<{ at: number }>('SELECT run_at AS at FROM outbox ORDER BY id', []),
    )
    return rows.map(({ at }) => at)
  }

  it('makes due what was due, and keeps the pauses of the rest, for more jobs than a slice', async () => {
    const { claimed, setBack, said } = openQueue(START)
    expect(await claimed()).toBe(0)
    await put(START, [{}, { runAt: START - 5 }, { runAt: START + 7_000, kind: 'callback' }])
    await put(START, Array(1_200).fill({ runAt: START + 60_000, kind: 'await' }))
    await put(START, [{ kind: 'scheduled', runAt: START + DAY }])
    setBack(3 * DAY)
    expect(await claimed()).toBe(2)
    const now = START - 3 * DAY
    expect(said).toEqual([3 * DAY])
    const later = Array(1_200).fill(now + 60_000)
    expect(await plans()).toEqual([now, now, now + 7_000, ...later, START + DAY])
  })

  it('is noticed by a process that starts afterwards', async () => {
    await put(START, [{}])
    expect(await openQueue(START - 3 * DAY).claimed()).toBe(1)
  })

  it('ends the lease of a process that died within a minute, and gives a living one time to renew', async () => {
    const { claimed, setBack } = openQueue(START)
    expect(await claimed()).toBe(0)
    await put(START, [{ leaseUntil: START + 30_000, epoch: 1 }])
    setBack(3 * DAY)
    expect(await claimed()).toBe(0)
    const after = (ms: number) =>
      claim(store.database, laneOf('dispatch'), {
        now: epochMs(START - 3 * DAY + ms),
        leaseMs: 1,
        limit: 1,
      })
    expect(await after(30_000)).toHaveLength(0)
    expect(await after(60_001)).toHaveLength(1)
  })

  it('is noticed after it was set ahead as far', async () => {
    const { claimed, setBack, said } = openQueue(START)
    setBack(-3 * DAY)
    expect(await claimed()).toBe(0)
    await put(START + 3 * DAY, [{}])
    setBack(3 * DAY)
    expect(await claimed()).toBe(1)
    expect(said).toEqual([3 * DAY])
  })

  it('makes due what was decided before and is stored a little later', async () => {
    const { claimed, setBack, pass } = openQueue(START)
    expect(await claimed()).toBe(0)
    setBack(3 * DAY)
    expect(await claimed()).toBe(0)
    await put(START, [{ runAt: START + 800 }, { runAt: START - 2 * DAY }])
    pass(1_000)
    expect(await claimed()).toBe(1)
    expect((await plans()).at(-1)).toBe(START - 2 * DAY)
  })

  it('makes due what was decided before and stored just before the process ended', async () => {
    const first = openQueue(START)
    expect(await first.claimed()).toBe(0)
    first.setBack(3 * DAY)
    expect(await first.claimed()).toBe(0)
    await put(START, [{ runAt: START + 800 }])
    expect(await openQueue(START - 3 * DAY + 500).claimed()).toBe(0)
    expect(await openQueue(START - 3 * DAY + 1_000).claimed()).toBe(1)
  })

  it('changes nothing when it is a small step, or a step ahead', async () => {
    const { claimed, setBack, said } = openQueue(START)
    await put(START, [{ runAt: START + 9 * DAY }])
    for (const ms of [1_000, 2_000, -3 * DAY, 4_000]) {
      setBack(ms)
      await claimed()
    }
    expect(said).toEqual([])
    expect(await plans()).toEqual([START + 9 * DAY])
  })

  describe('with several gateways', () => {
    const now = START - 3 * DAY

    it('moves nothing again that another has planned by the right clock', async () => {
      const [first, second] = [openQueue(START), openQueue(START, store.another())]
      expect([await first.claimed(), await second.claimed()]).toEqual([0, 0])
      await put(START, [{ runAt: START + 60_000 }])
      for (const each of [first, second]) each.setBack(3 * DAY)
      second.pass(3)
      expect(await first.claimed()).toBe(0)
      await put(START + 1, [{ runAt: now + 3_600_000 }])
      expect(await second.claimed()).toBe(0)
      expect(await plans()).toEqual([now + 60_000, now + 3_600_000])
      expect([...first.said, ...second.said]).toEqual([3 * DAY])
    })

    it('is handled once when they notice it at the same moment', async () => {
      const gateways = [
        openQueue(START),
        openQueue(START, store.another()),
        openQueue(START, store.another()),
      ]
      for (const each of gateways) await each.claimed()
      await put(START, Array(1_200).fill({ runAt: START + 60_000 }))
      for (const each of gateways) each.setBack(3 * DAY)
      await Promise.all(gateways.map((each) => each.claimed()))
      expect(await plans()).toEqual(Array(1_200).fill(now + 60_000))
      expect(gateways.flatMap(({ said }) => said)).toEqual([3 * DAY])
    })

    it('is handled each time, also by as much as before', async () => {
      const gateways = [openQueue(START), openQueue(START, store.another())]
      for (const each of gateways) await each.claimed()
      for (const turn of [gateways, gateways.toReversed()]) {
        await put(START, [{ runAt: START + 60_000 }])
        for (const each of turn) {
          each.setBack(3 * DAY)
          await each.claimed()
        }
        expect((await plans()).at(-1)).toBe(now + 60_000)
        for (const each of turn) {
          each.pass(2)
          each.setBack(-3 * DAY)
          await each.claimed()
        }
      }
      expect(gateways.flatMap(({ said }) => said)).toEqual([3 * DAY, 3 * DAY])
    })
  })

  it('is handled once, however often a process starts until the clock has caught up', async () => {
    const now = START - 3 * DAY
    await put(START, [{ runAt: START + 60_000 }])
    expect(await openQueue(now).claimed()).toBe(0)
    await put(START + 1, [{ runAt: now + 3_600_000 }])
    for (const later of [1_000, 30_000, 59_000]) {
      const { claimed, said } = openQueue(now + later)
      expect(await claimed()).toBe(0)
      expect(said).toEqual([])
    }
    expect(await plans()).toEqual([now + 60_000, now + 3_600_000])
    const { claimed, said } = openQueue(now - DAY)
    expect(await claimed()).toBe(0)
    expect(said).toEqual([DAY])
    expect(await plans()).toEqual([now + 60_000 - DAY, now + 3_600_000 - DAY])
  })

  it('is planned to its end by the next process when the first one died meanwhile', async () => {
    const now = START - 3 * DAY
    await put(START, Array(1_200).fill({ runAt: START + 60_000 }))
    let writes = 0
    const dying: Database = {
      ...store.database,
      async write(work, options) {
        if (++writes === 3) throw new StoreUnavailable('on purpose')
        return store.database.write(work, options)
      },
    }
    await expect(openQueue(now, dying).claimed()).rejects.toThrow(StoreUnavailable)
    expect(new Set(await plans()).size).toBe(2)
    expect(await openQueue(now + 10).claimed()).toBe(0)
    const rest = new Set(await plans())
    expect([...rest].every((at) => at <= now + 60_000)).toBe(true)
  })
})
