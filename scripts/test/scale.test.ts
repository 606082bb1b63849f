import { describe, expect, it } from 'vitest'
import { createHost, createLog, createRandom, createThread, createTimeline } from '../scale/machine.ts'
import { line } from '../scale/measure.ts'
import { capacity, FULL, walletCapacity } from '../scale/paper.ts'
import { fitHop } from '../scale/scale.ts'
import { type Costs, type Model, simulate } from '../scale/simulate.ts'

const costs: Costs = {
  client: 10,
  accept: { gateway: { message: 30, statement: 100 }, database: { message: 20, statement: 200 } },
  finish: { gateway: { message: 20, statement: 80 }, database: { message: 25, statement: 150 } },
}

function model(changes: Partial<Model> = {}): Model {
  return {
    ...{ costs, processors: { shared: 2 }, gateways: 1, connections: 32, wallets: 1, paidBy: 'connection' },
    ...{ flushesUs: [500, 700, 1_200], standbyUs: 0, hopUs: 20, carrierUs: 100_000, seconds: 0.5, seed: 1 },
    ...changes,
  }
}

describe('the simulation', () => {
  it.each([
    ['one connection', { connections: 1 }],
    ['many', { connections: 256 }],
    ['four wallets', { wallets: 4 }],
    ['three gateways', { gateways: 3, processors: { gateway: 1, database: 2 } }],
    ['slices in turn', { wallets: 8, paidBy: 'turn' }],
  ] as const)('ends each accepted message once: %s', (_what, changes) => {
    const { accepted, finals } = simulate(model(changes))
    expect(accepted).toBeGreaterThan(250)
    expect(finals).toBe(accepted)
  })

  it.each([{ shared: 2 }, { gateway: 1, database: 3 }])(
    'is busy for what its messages and statements cost, no more and no less: %o',
    (processors) => {
      const { accepted, statements, busyUs } = simulate(model({ processors, gateways: 2 }))
      const busyFor = (of: 'gateway' | 'database') =>
        accepted * (costs.accept[of].message + costs.finish[of].message) +
        statements.accept * costs.accept[of].statement +
        statements.finish * 2 * costs.finish[of].statement
      expect(busyUs / (busyFor('gateway') + busyFor('database') + accepted * costs.client)).toBeCloseTo(1, 6)
    },
  )

  it('answers a single client after the sum of the steps', () => {
    const { acceptsPerSecond, p50Ms, acceptBatch } = simulate(
      model({
        ...{ connections: 1, processors: { gateway: 1, database: 1 }, flushesUs: [500], standbyUs: 1_000 },
        // No ending is in the way.
        carrierUs: 10_000_000,
      }),
    )
    const latency = 30 + 100 + 20 + 200 + 500 + 1_000 + 4 * 20
    expect(acceptBatch).toBe(1)
    expect(p50Ms).toBeCloseTo(latency / 1_000, 6)
    expect((acceptsPerSecond * (latency + costs.client)) / 1e6).toBeCloseTo(1, 1)
  })

  it('is the same for the same seed, and another for another', () => {
    expect(simulate(model())).toEqual(simulate(model()))
    expect(simulate(model({ seed: 2 })).accepted).not.toBe(simulate(model()).accepted)
  })

  it('is never slower with more processors', () => {
    const at = [1, 2, 4, 8, 16].map(
      (shared) => simulate(model({ processors: { shared }, connections: 96 })).finalsPerSecond,
    )
    for (const [index, perSecond] of at.entries()) {
      const fewer = at[index - 1] ?? 0
      expect(perSecond, `${at}`).toBeGreaterThanOrEqual(0.99 * fewer)
    }
    expect(at[2]).toBeGreaterThan(1.3 * (at[0] ?? 0))
  })

  it('never lets one wallet do more than the formula says, and comes near to it', () => {
    const large = { processors: { gateway: 8, database: 64 }, gateways: 8, connections: 1_024 } as const
    const flushesUs = [5_000]
    const { finalsPerSecond, acceptBatch, finishBatch } = simulate(model({ ...large, flushesUs, seconds: 2 }))
    const commits = { costs, commitUs: 5_000 }
    expect(finalsPerSecond).toBeLessThanOrEqual(walletCapacity(commits, FULL))
    const atBatches = walletCapacity(commits, { accept: acceptBatch, finish: finishBatch })
    expect(finalsPerSecond / atBatches).toBeGreaterThan(0.8)
    expect(finalsPerSecond / atBatches).toBeLessThan(1.25)
  })

  it('does more with slices of a wallet, unless each batch locks them all', () => {
    const large = { processors: { gateway: 1, database: 64 }, gateways: 8, connections: 1_024 } as const
    const slow = { ...large, standbyUs: 20_000, seconds: 3 }
    const one = simulate(model(slow)).finalsPerSecond
    const split = simulate(model({ ...slow, wallets: 8, paidBy: 'gateway' })).finalsPerSecond
    const spread = simulate(model({ ...slow, wallets: 8, paidBy: 'turn' })).finalsPerSecond
    expect(split).toBeGreaterThan(1.5 * one)
    expect(spread).toBeLessThan(1.2 * one)
  })

  it('finds the hand-over that was put in', () => {
    const single = model({ connections: 1, hopUs: 120 })
    const found = fitHop({ ...single, hopUs: 0 }, simulate(single).acceptsPerSecond)
    expect(found).toBeGreaterThan(110)
    expect(found).toBeLessThan(130)
  })
})

describe('its parts', () => {
  it('wait at a single thread as the formula for even work says', () => {
    const [workUs, load] = [100, 0.7]
    const waits = arrivals(workUs, load, (timeline) => createThread(createHost(timeline, 1)))
    // Pollaczek and Khinchine, for work that takes the same time each time.
    const formula = (load * workUs) / (2 * (1 - load))
    expect(waits / formula).toBeGreaterThan(0.95)
    expect(waits / formula).toBeLessThan(1.05)
  })

  it('wait at a processor that is shared evenly as its formula says', () => {
    const [workUs, load] = [100, 0.7]
    const waits = arrivals(workUs, load, (timeline) => createHost(timeline, 1))
    const formula = workUs / (1 - load) - workUs
    expect(waits / formula).toBeGreaterThan(0.95)
    expect(waits / formula).toBeLessThan(1.05)
  })

  it('share processors evenly, and no task runs on two', () => {
    const timeline = createTimeline()
    const host = createHost(timeline, 2)
    const ended: number[] = []
    for (const us of [10, 20, 30]) host.run(us, () => ended.push(timeline.now()))
    timeline.run()
    // At two thirds of the speed until the first ends, then each alone.
    expect(ended.map(Math.round)).toEqual([15, 25, 35])
    expect(host.busy()).toBeCloseTo(60, 6)
  })

  it('store with one flush what came before it began', () => {
    const timeline = createTimeline()
    const log = createLog(timeline, () => 100)
    const stored: number[] = []
    for (const at of [0, 10, 50, 99, 150])
      timeline.after(at, () => log.commit(() => stored.push(timeline.now())))
    timeline.run()
    expect(stored).toEqual([100, 200, 200, 200, 300])
    expect(log.flushes()).toBe(3)
  })
})

describe('costs', () => {
  it('are split into those of a message and those of a statement', () => {
    const single = { cost: 230, statements: 1 }
    const many = { cost: 40, statements: 0.05 }
    const { statement, message } = line([single, many])
    expect(statement).toBeCloseTo(200, 6)
    expect(message).toBeCloseTo(30, 6)
  })

  it('are never below zero, and explain the larger load in any case', () => {
    const cheaper = line([
      { cost: 10, statements: 1 },
      { cost: 40, statements: 0.05 },
    ])
    expect(cheaper).toEqual({ statement: 0, message: 40 })
    const steep = line([
      { cost: 2_000, statements: 1 },
      { cost: 10, statements: 0.05 },
    ])
    expect(steep.message).toBe(0)
    expect(steep.statement * 0.05).toBeCloseTo(10, 6)
  })

  it('make capacities that fall as they grow', () => {
    expect(capacity(1, 70)).toBeCloseTo(10_000, 6)
    expect(capacity(8, 70)).toBeCloseTo(80_000, 6)
    const at = (commitUs: number) => walletCapacity({ costs, commitUs }, FULL)
    expect(at(80_000)).toBeLessThan(at(1_000))
    // With nothing but commits, each message pays its part of both of its batches.
    const free = { message: 0, statement: 0 }
    const side = { gateway: free, database: free }
    const commits = { costs: { client: 0, accept: side, finish: side }, commitUs: 1_000 }
    expect(walletCapacity(commits, { accept: 100, finish: 50 })).toBeCloseTo(1e6 / (10 + 20), 6)
  })
})

/** The average wait of messages that come at random, at something that is busy for a part of the time. */
function arrivals(
  workUs: number,
  load: number,
  create: (timeline: ReturnType<typeof createTimeline>) => { run(us: number, done: () => void): void },
): number {
  const timeline = createTimeline()
  const random = createRandom(7)
  const at = create(timeline)
  const messages = 200_000
  let waited = 0
  let left = messages
  function arrive(): void {
    const came = timeline.now()
    at.run(workUs, () => {
      waited += timeline.now() - came - workUs
    })
    if (--left > 0) timeline.after((-Math.log(1 - random()) * workUs) / load, arrive)
  }
  arrive()
  timeline.run()
  return waited / messages
}
