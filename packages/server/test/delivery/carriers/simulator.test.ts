import { describe, expect, it } from 'vitest'
import type { CarrierEvents, Receipt, Submission, SubmitOutcome } from '../../../src/delivery/carrier.ts'
import {
  createSimulator,
  type SimulatorOptions,
  type Trouble,
} from '../../../src/delivery/carriers/simulator.ts'
import { createTicketMaker, epochMs } from '../../../src/domain/ids.ts'
import { createMovedClock } from '../../../src/testing/clock.ts'
import { NOW } from '../../support/rows-of.ts'

const CALM: Trouble = { throttle: 0, unanswered: 0, disconnect: 0, forget: 0 }
const newId = createTicketMaker((size) => crypto.getRandomValues(new Uint8Array(size)))

function open(trouble: Partial<Trouble>, options: Partial<SimulatorOptions> = {}) {
  const clock = createMovedClock(NOW)
  const carrier = createSimulator({
    ...{ clock, delayMs: 100, answerMs: 0, canBeAsked: false, trouble: { ...CALM, ...trouble } },
    ...options,
  })
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
  const message = (): Submission => ({
    ...{ ticket: newId(NOW), sender: 'WIGWAG', recipient: '233241234567', content: 'Hello' },
    ...{ encoding: 'GSM-7' as const, expiresAt: epochMs(NOW + 60_000), reference: 0, taken: [] },
  })
  return {
    carrier,
    receipts,
    changes: () => changes,
    pass: (ms: number) => clock.moveTo(epochMs(clock.now() + ms)),
    submit: () => carrier.submit(message()),
    many: (count: number) => Promise.all(Array.from({ length: count }, () => carrier.submit(message()))),
  }
}

const kinds = (outcomes: readonly SubmitOutcome[]) => new Set(outcomes.map(({ kind }) => kind))
const share = (outcomes: readonly SubmitOutcome[], kind: SubmitOutcome['kind']) =>
  outcomes.filter((outcome) => outcome.kind === kind).length / outcomes.length

describe('a simulated carrier in trouble', () => {
  it('throttles what is beyond its pace, and takes more a second later', async () => {
    const { many, pass, carrier } = open({ throttle: 10 })
    const first = await many(30)
    expect(share(first, 'accepted')).toBeCloseTo(1 / 3)
    expect(first[29]).toEqual({ kind: 'later', reason: 'throttled', afterMs: 1_000 })
    expect(carrier.state().rests).toBe(20)
    pass(1_000)
    expect(share(await many(10), 'accepted')).toBe(1)
  })

  it('leaves some unanswered, of which it delivers some all the same', async () => {
    const { many, pass, receipts } = open({ unanswered: 30 })
    const outcomes = await many(1_000)
    expect(share(outcomes, 'uncertain')).toBeGreaterThan(0.2)
    expect(share(outcomes, 'uncertain')).toBeLessThan(0.4)
    pass(100)
    const accepted = outcomes.filter(({ kind }) => kind === 'accepted').length
    expect(receipts.length).toBeGreaterThan(accepted)
    expect(receipts.length).toBeLessThan(1_000)
  })

  it('does not take what it leaves unanswered when it can be asked, for it says so then', async () => {
    const { many, pass, receipts } = open({ unanswered: 30 }, { canBeAsked: true })
    const accepted = (await many(1_000)).filter(({ kind }) => kind === 'accepted').length
    pass(100)
    expect(receipts).toHaveLength(accepted)
  })

  it('forgets some receipts', async () => {
    const { many, pass, receipts } = open({ forget: 30 })
    expect(kinds(await many(1_000))).toEqual(new Set(['accepted']))
    pass(100)
    expect(receipts.length).toBeGreaterThan(600)
    expect(receipts.length).toBeLessThan(800)
  })

  it('disconnects for a second: what is unanswered is uncertain, what comes then is for later', async () => {
    const { submit, pass, carrier, changes } = open({ disconnect: 100 }, { answerMs: 50 })
    expect(await submit()).toEqual({ kind: 'uncertain' })
    expect(carrier.state()).toMatchObject({ kind: 'away' })
    expect(carrier.room()).toBe(0)
    expect(await submit()).toEqual({ kind: 'later', reason: 'not connected', afterMs: 1_000 })
    pass(1_000)
    expect(carrier.state()).toMatchObject({ kind: 'up' })
    expect(changes()).toBe(2)
  })

  it('leaves nobody waiting when it is closed', async () => {
    const { submit, carrier } = open({}, { answerMs: 60_000 })
    const waiting = submit()
    await carrier.close(0)
    expect((await waiting).kind).toBe('accepted')
    expect(await submit()).toMatchObject({ kind: 'later' })
  })
})
