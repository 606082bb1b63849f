import { describe, expect, it } from 'vitest'
import type {
  Carrier,
  CarrierEvents,
  Receipt,
  Submission,
  SubmitOutcome,
} from '../../../src/delivery/carrier.ts'
import { type Simulated, Simulator } from '../../../src/delivery/carriers/simulator.ts'
import { epochMs, TicketMaker } from '../../../src/kernel/ids.ts'
import { createMovedClock } from '../../../src/testing/clock.ts'
import { NOW } from '../../support/rows-of.ts'
import { simulated } from '../../support/simulated.ts'
import { turns } from '../../support/turns.ts'

const DELAY = 100
const newId = new TicketMaker((size) => crypto.getRandomValues(new Uint8Array(size))).make

const submission = (recipient = '233241234567'): Submission => ({
  ticket: newId(NOW),
  sender: 'WIGWAG',
  recipient,
  content: 'Hello',
  encoding: 'GSM-7' as const,
  expiresAt: epochMs(NOW + 60_000),
  reference: 0,
  taken: [],
})

function open(trouble: Parameters<typeof simulated>[0] = {}, options: Partial<Simulated> = {}) {
  const clock = createMovedClock(NOW)
  const given = { ...simulated(trouble), delayMs: DELAY, ...options }
  const carrier: Carrier = new Simulator({ clock, random: () => 0.5 }, given)
  const receipts: Receipt[] = []
  let changes = 0
  const events: CarrierEvents = {
    onReceipts: async (given) => void receipts.push(...given),
    onLateAnswer() {},
    onChange: () => changes++,
    onFault(error) {
      throw error
    },
  }
  carrier.start(events)
  return {
    carrier,
    receipts,
    changes: () => changes,
    pass: (ms: number) => clock.moveTo(epochMs(clock.now() + ms)),
    submit: (recipient?: string) => carrier.submit(submission(recipient)),
    many: (count: number) => Promise.all(Array.from({ length: count }, () => carrier.submit(submission()))),
    /** A simulator that starts after this one has ended. */
    restarted: () => new Simulator({ clock, random: () => 0.25 }, given),
  }
}

const kinds = (outcomes: readonly SubmitOutcome[]) => new Set(outcomes.map(({ kind }) => kind))
const share = (outcomes: readonly SubmitOutcome[], kind: SubmitOutcome['kind']) =>
  outcomes.filter((outcome) => outcome.kind === kind).length / outcomes.length
const refOf = (outcome: SubmitOutcome): string => {
  if (outcome.kind !== 'accepted') throw new Error(`expected it to be taken, not ${outcome.kind}`)
  return outcome.refs[0]?.ref ?? ''
}

describe('a simulated carrier', () => {
  it('gives each message a reference of its own, by which its receipt names it', async () => {
    const { many, pass, receipts, restarted } = open()
    const refs = [...(await many(100)), await restarted().submit(submission())].map(refOf)
    expect(new Set(refs).size).toBe(101)
    pass(DELAY)
    expect(receipts).toEqual(refs.slice(0, 100).map((ref) => ({ ref, verdict: 'success' })))
  })

  it.each([
    ['233241234567', 'success'],
    ['233241200001', 'undelivered'],
    ['233241200002', 'expired'],
    ['233241200006', 'success'],
    ['233241200005', undefined],
  ])('is asked by reference, also after a restart: %s is %s', async (to, verdict) => {
    const { carrier, pass, restarted, submit } = open()
    const about = { sender: 'WIGWAG', ref: refOf(await submit(to)) }
    await carrier.close(0)
    const { query } = restarted()
    pass(DELAY - 1)
    expect(await query?.(about)).toBeUndefined()
    pass(1)
    expect((await query?.(about))?.verdict).toBe(verdict)
  })

  it('knows nothing of a reference that is not its own', async () => {
    const { carrier } = open()
    expect(await carrier.query?.({ sender: 'WIGWAG', ref: 'abc' })).toBeUndefined()
    expect(await carrier.query?.({ sender: 'WIGWAG', ref: 'sim-success-x-1' })).toBeUndefined()
  })

  it('has capacity for its window less what is under way, and says when there is capacity again', async () => {
    const { carrier, changes, pass, many } = open({}, { window: 8, answerMs: 50 })
    expect(carrier.capacity()).toBe(8)
    const seven = many(7)
    await turns()
    expect([carrier.capacity(), carrier.state().inWindow]).toEqual([1, 7])
    pass(25)
    // The ninth waits for a place.
    const two = many(2)
    await turns()
    expect([carrier.capacity(), carrier.state().inWindow]).toEqual([0, 8])
    expect(changes()).toBe(0)
    pass(25)
    await seven
    await turns()
    expect([carrier.capacity(), changes()]).toEqual([6, 1])
    pass(50)
    expect(kinds(await two)).toEqual(new Set(['accepted']))
  })

  it('says so also when somebody else has asked meanwhile, and saw a little of it', async () => {
    const { carrier, changes, pass, many } = open({}, { window: 40, answerMs: 50 })
    const first = many(3)
    await turns()
    pass(25)
    const others = many(37)
    await turns()
    expect(carrier.capacity()).toBe(0)
    pass(25)
    await first
    expect([carrier.capacity(), changes()]).toEqual([3, 0])
    pass(25)
    await others
    await turns()
    expect(changes()).toBe(1)
  })

  it('takes no more than its pace, and leaves what it cannot take within a tenth of a second to the outbox', async () => {
    const { carrier, pass, many, receipts } = open({ early: 100 }, { tps: 10 })
    const ten = many(10)
    await turns()
    expect([carrier.capacity(), receipts.length]).toEqual([0, 1])
    for (let taken = 2; taken <= 10; taken++) {
      pass(99)
      await turns()
      expect(receipts).toHaveLength(taken - 1)
      pass(1)
      await turns()
      expect([carrier.capacity(), receipts.length]).toEqual([Math.max(0, taken - 9), taken])
    }
    expect(kinds(await ten)).toEqual(new Set(['accepted']))
  })

  it('tells those that found no turn to come later', async () => {
    const { pass, submit } = open({}, { window: 1, answerMs: 60_000 })
    void submit()
    const second = submit()
    pass(10_000)
    expect(await second).toEqual({ kind: 'later', reason: 'the carrier is busy', afterMs: 1_000 })
  })
})

describe('a simulated carrier in trouble', () => {
  it('leaves some unanswered, of which it delivers some all the same', async () => {
    const { many, pass, receipts } = open({ unanswered: 30 })
    const outcomes = await many(1_000)
    expect(share(outcomes, 'uncertain')).toBeGreaterThan(0.2)
    expect(share(outcomes, 'uncertain')).toBeLessThan(0.4)
    pass(DELAY)
    const accepted = outcomes.filter(({ kind }) => kind === 'accepted').length
    expect(receipts.length).toBeGreaterThan(accepted)
    expect(receipts.length).toBeLessThan(1_000)
  })

  it('loses some receipts, and tells of them when asked', async () => {
    const { carrier, many, pass, receipts } = open({ forget: 30 })
    const refs = (await many(1_000)).map(refOf)
    pass(DELAY)
    expect(receipts.length).toBeGreaterThan(600)
    expect(receipts.length).toBeLessThan(800)
    const heard = new Set(receipts.map(({ ref }) => ref))
    const lost = refs.find((one) => !heard.has(one)) ?? ''
    expect(await carrier.query?.({ sender: 'WIGWAG', ref: lost })).toEqual({ ref: lost, verdict: 'success' })
  })

  it('sends a receipt before it answers', async () => {
    const { receipts, submit } = open({ early: 100 })
    let heard = 0
    const answer = submit().finally(() => {
      heard = receipts.length
    })
    expect(receipts).toEqual([{ ref: refOf(await answer), verdict: 'success' }])
    expect(heard).toBe(1)
  })

  it('sends a receipt only after it was asked for it, and did not know the end yet', async () => {
    const { carrier, pass, receipts, submit } = open({ late: 100 })
    const ref = refOf(await submit())
    pass(carrier.receiptExpectedMs)
    expect(await carrier.query?.({ sender: 'WIGWAG', ref })).toBeUndefined()
    expect(receipts).toEqual([])
    pass(5_000)
    expect(receipts).toEqual([{ ref, verdict: 'success' }])
  })

  it('sends a receipt again a second later', async () => {
    const { pass, receipts, submit } = open({ twice: 100 })
    const ref = refOf(await submit())
    pass(DELAY)
    expect(receipts).toEqual([{ ref, verdict: 'success' }])
    pass(1_000)
    expect(receipts).toHaveLength(2)
  })

  it('disconnects for a second: what is unanswered is uncertain, what comes then is for later', async () => {
    const { submit, pass, carrier, changes } = open({ disconnect: 100 }, { answerMs: 50 })
    expect(await submit()).toEqual({ kind: 'uncertain' })
    expect(carrier.state()).toMatchObject({ kind: 'away' })
    expect(carrier.capacity()).toBe(0)
    expect(await submit()).toEqual({ kind: 'later', reason: 'not connected', afterMs: 1_000 })
    pass(1_000)
    expect(carrier.state()).toMatchObject({ kind: 'up' })
    expect(carrier.capacity()).toBeGreaterThan(0)
    expect(changes()).toBeGreaterThan(1)
  })

  it('leaves nobody waiting when it is closed', async () => {
    const { submit, carrier } = open({}, { answerMs: 60_000, window: 1 })
    const waiting = submit()
    const second = submit()
    await turns()
    await carrier.close(0)
    expect((await waiting).kind).toBe('accepted')
    expect(await second).toEqual({ kind: 'later', reason: 'not connected', afterMs: 1_000 })
    expect(await submit()).toMatchObject({ kind: 'later' })
  })
})
