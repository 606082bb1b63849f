import { describe, expect, it } from 'vitest'
import { choose, wayOf } from '../../../src/delivery/plan/choose.ts'
import type { CarrierPlan } from '../../../src/delivery/plan/plan.ts'
import { type Route, RouteTable, type Way } from '../../../src/delivery/plan/routes.ts'
import { TicketMaker } from '../../../src/kernel/ids.ts'

const way = (name: string, changes: Partial<Way> = {}): Way => ({
  name,
  priority: 1,
  weight: 1,
  cost: undefined,
  ...changes,
})
const route = (conditions: Partial<Route>, ...ways: Way[]): Route => ({
  prefix: '',
  networks: [],
  senders: [],
  accounts: [],
  ways,
  ...conditions,
})
const planWith = (...routes: Route[]): CarrierPlan => ({
  carriers: new Map(),
  routes: new RouteTable(routes),
  warnings: [],
  fixed: [],
})

const message = {
  ticket: 't-1',
  recipient: '233241234567',
  sender: 'Ama',
  accountId: 'acc',
  network: '62001',
}
const up = () => true
const names = (ways: readonly Way[]) => ways.map(({ name }) => name)

let seed = 1
const ticketFor = new TicketMaker((size) =>
  Uint8Array.from({ length: size }, () => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0
    return seed >>> 24
  }),
).make
const tickets = Array.from({ length: 10_000 }, (_, i) => ticketFor(1_700_000_000_000 + i / 10))

describe('the route of a message', () => {
  it('is the one with the longest prefix', () => {
    const plan = planWith(
      route({}, way('any')),
      route({ prefix: '233' }, way('gh')),
      route({ prefix: '23324' }, way('mtn')),
    )
    const taken = (recipient: string) => names(choose(plan, { ...message, recipient }, up))
    expect(taken('233241234567')).toEqual(['mtn'])
    expect(taken('233501234567')).toEqual(['gh'])
    expect(taken('49170')).toEqual(['any'])
  })

  it('is the one for its account before those for its sender, its network and its number', () => {
    const routes = [
      route({ accounts: ['acc', 'other'] }, way('account')),
      route({ senders: ['Ama'] }, way('sender')),
      route({ networks: ['62001'] }, way('network')),
      route({ prefix: '233241234567' }, way('number')),
      route({}, way('any')),
    ]
    for (let first = 0; first < routes.length; first++) {
      const plan = planWith(...routes.slice(first).reverse())
      expect(names(choose(plan, message, up))).toEqual(routes[first]?.ways.map(({ name }) => name))
    }
  })

  it('has to fit in all its conditions', () => {
    const plan = planWith(
      route({ accounts: ['acc'], prefix: '49' }, way('account to 49')),
      route({ senders: ['Ama'], networks: ['62002'] }, way('sender on 62002')),
      route({ senders: ['Ama'], prefix: '233' }, way('sender to 233')),
    )
    expect(names(choose(plan, message, up))).toEqual(['sender to 233'])
    expect(choose(plan, { ...message, sender: 'Kofi' }, up)).toEqual([])
    expect(choose(plan, { ...message, recipient: '1' }, up)).toEqual([])
  })

  it('is none for a network when the network is not known', () => {
    const plan = planWith(route({ networks: ['62001'] }, way('network')), route({}, way('any')))
    expect(names(choose(plan, { ...message, network: null }, up))).toEqual(['any'])
  })
})

describe('the carriers of a message', () => {
  it('come by priority, and those that are not up behind the others', () => {
    const plan = planWith(route({}, way('a'), way('b', { priority: 2 }), way('c', { priority: 3 })))
    expect(names(choose(plan, message, up))).toEqual(['a', 'b', 'c'])
    expect(names(choose(plan, message, (name) => name !== 'a'))).toEqual(['b', 'c', 'a'])
    expect(names(choose(plan, message, () => false))).toEqual(['a', 'b', 'c'])
  })

  it('share messages by weight', () => {
    const plan = planWith(route({}, way('a', { weight: 3 }), way('b'), way('c', { priority: 2 })))
    const firsts = tickets.map((ticket) => choose(plan, { ...message, ticket }, up)[0]?.name)
    expect(firsts.filter((name) => name === 'a').length / tickets.length).toBeCloseTo(0.75, 1)
    expect(firsts).not.toContain('c')
  })

  it('stay the same for the same message, also when another carrier is added', () => {
    const before = planWith(route({}, way('a'), way('b')))
    const after = planWith(route({}, way('a'), way('b'), way('c')))
    for (const ticket of tickets.slice(0, 500)) {
      const first = names(choose(before, { ...message, ticket }, up))
      expect(names(choose(before, { ...message, ticket }, up))).toEqual(first)
      expect(names(choose(after, { ...message, ticket }, up)).filter((name) => name !== 'c')).toEqual(first)
    }
  })

  it('are known by name, with their cost', () => {
    const plan = planWith(route({ prefix: '233' }, way('a', { weight: 7 })), route({}, way('a'), way('b')))
    expect(wayOf(plan, message, 'a')).toEqual(way('a', { weight: 7 }))
    expect(wayOf(plan, message, 'b')).toBeUndefined()
  })

  it('are found among a thousand routes without looking at each', () => {
    let looks = 0
    const routes = Array.from({ length: 1_000 }, (_, i): Route => {
      const senders = i % 3 === 0 ? [`S${i % 50}`] : []
      const counted = route({ senders }, way('a', { weight: 3 }), way('b'))
      return Object.defineProperty(counted, 'prefix', {
        get() {
          looks++
          return String(1_000 + i * 7)
        },
      })
    })
    const plan = planWith(...routes, route({}, way('a', { weight: 3 }), way('b')))
    expect(looks).toBeGreaterThanOrEqual(routes.length)
    looks = 0
    for (const [i, ticket] of tickets.entries())
      expect(
        choose(plan, { ...message, ticket, recipient: String(10_000_000 + i * 7_919) }, up),
      ).toHaveLength(2)
    // Where to look was found when the table was built; a scan would read the routes' prefixes again.
    expect(looks).toBe(0)
  })
})
