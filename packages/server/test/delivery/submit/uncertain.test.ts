import { describe, expect, it } from 'vitest'
import { OperatorCarriers } from '../../../src/delivery/operate/carriers.ts'
import { TicketMaker } from '../../../src/kernel/ids.ts'
import { turns } from '../../support/turns.ts'
import { accepted, BALANCE, openDelivery, PRICE, RETRIES, VALIDITY } from '../delivering.ts'

const NORTH = ['north']

/** A delivery whose one message got no answer from its carrier. */
async function openUncertain() {
  const opened = await openDelivery({ carriers: NORTH })
  opened.carrier.onSubmit = () => ({ kind: 'uncertain' })
  const ticket = await opened.send()
  await opened.work()
  const newId = new TicketMaker((size) => new Uint8Array(size).fill(8)).make
  return { ...opened, ticket, parts: new OperatorCarriers({ ...opened, newId }) }
}

describe('a message that the carrier did not answer', () => {
  it('is held, listed, and expires at the end of its validity', async () => {
    const { ticket, parts, carrier, work, pass, message } = await openUncertain()
    expect((await parts.uncertain(10)).messages).toMatchObject([
      { ticket, carrier: 'north', accountId: 'account-w' },
    ])
    pass(VALIDITY - 1)
    await work()
    expect(await message(ticket)).toMatchObject({ status: 'pending' })
    pass(1)
    await work()
    expect(await message(ticket)).toMatchObject({ status: 'expired', cost: 0 })
    expect(carrier.submitted).toEqual([ticket])
    expect((await parts.uncertain(10)).messages).toEqual([])
  })

  it('is submitted again where the operator wants that, until the retries are used up', async () => {
    const { send, work, pass, carrier, message } = await openDelivery({ carriers: NORTH })
    carrier.unanswered = 'again'
    carrier.onSubmit = () => ({ kind: 'uncertain' })
    const ticket = await send()
    await work()
    for (const pause of RETRIES) {
      pass(pause)
      await work()
    }
    pass(VALIDITY / 2)
    await work()
    expect(carrier.submitted).toEqual(Array(RETRIES.length + 1).fill(ticket))
    expect(await message(ticket)).toMatchObject({ status: 'pending' })
  })

  /** A message that is to be submitted again, because the first submission got no answer. */
  async function openAgain() {
    const opened = await openDelivery({ carriers: NORTH })
    opened.carrier.unanswered = 'again'
    opened.carrier.onSubmit = () => ({ kind: 'uncertain' })
    const ticket = await opened.send()
    await opened.work()
    return { ...opened, ticket }
  }

  it('is not submitted again where the operator wants that, once it was taken after all', async () => {
    const { carrier, ticket, pass, work, message } = await openAgain()
    carrier.answerLate(ticket, accepted('a'))
    await turns()
    pass(VALIDITY / 2)
    await work()
    expect(carrier.submitted).toEqual([ticket])
    await carrier.take([{ ref: 'a', verdict: 'success' }])
    expect(await message(ticket)).toMatchObject({ status: 'success', carrierRef: 'a' })
  })

  it('is not submitted again by one that has just claimed it for that, once it was taken after all', async () => {
    const { carrier, ticket, pass, take, handOver, laneOf } = await openAgain()
    pass(RETRIES[0] ?? 0)
    const claimed = await take('dispatch')
    expect(claimed).toHaveLength(1)
    carrier.answerLate(ticket, accepted('a'))
    await turns()
    await handOver(claimed)
    expect(carrier.submitted).toEqual([ticket])
    expect(await laneOf(ticket)).toMatchObject({ kind: 'await', lane: 'north' })
  })

  it('is submitted again in the parts alone that were not taken after all', async () => {
    const { carrier, ticket, pass, work } = await openAgain()
    carrier.answerLate(ticket, {
      kind: 'partly',
      refs: [{ part: 0, ref: 'a' }],
      parts: 2,
      rest: { kind: 'uncertain' },
    })
    await turns()
    await work()
    expect(carrier.submitted).toEqual([ticket])
    const taken: (readonly number[])[] = []
    carrier.onSubmit = (submission) => {
      taken.push(submission.taken)
      return { kind: 'accepted', refs: [{ part: 1, ref: 'b' }], parts: 2 }
    }
    pass(RETRIES[0] ?? 0)
    await work()
    expect(taken).toEqual([[0]])
  })

  it('is not rejected by the late answer to the first of two submissions when the second was taken', async () => {
    const { carrier, ticket, pass, work, message } = await openAgain()
    carrier.onSubmit = () => accepted('b')
    pass(RETRIES[0] ?? 0)
    await work()
    carrier.answerLate(ticket, { kind: 'rejected', reason: 'blocked' })
    for (let rounds = 0; rounds < 12; rounds++) {
      await turns()
      pass(10_000)
    }
    expect(await message(ticket)).toMatchObject({ status: 'pending' })
    await carrier.take([{ ref: 'b', verdict: 'success' }])
    expect(await message(ticket)).toMatchObject({ status: 'success' })
  })

  it('is rejected by a late answer while it waits to be submitted again', async () => {
    const { carrier, ticket, pass, work, message } = await openAgain()
    carrier.answerLate(ticket, { kind: 'rejected', reason: 'blocked' })
    await turns()
    expect(await message(ticket)).toMatchObject({ status: 'rejected' })
    pass(VALIDITY / 2)
    await work()
    expect(carrier.submitted).toEqual([ticket])
  })

  it('has the answer after all: its receipt is heard, also if it came before the answer', async () => {
    const { ticket, parts, carrier, message, wallet } = await openUncertain()
    await carrier.take([{ ref: 'a', verdict: 'success' }])
    carrier.answerLate(ticket, accepted('a'))
    await turns()
    expect(await message(ticket)).toMatchObject({ status: 'success', carrierRef: 'a' })
    expect(await wallet()).toMatchObject({ posted: BALANCE - PRICE, held: 0 })
    expect((await parts.uncertain(10)).messages).toEqual([])
  })

  it('is no longer uncertain once it was answered', async () => {
    const { ticket, parts, carrier, message } = await openUncertain()
    carrier.answerLate(ticket, accepted('a'))
    await turns()
    expect((await parts.uncertain(10)).messages).toEqual([])
    await carrier.take([{ ref: 'a', verdict: 'undelivered' }])
    expect(await message(ticket)).toMatchObject({ status: 'undelivered' })
  })

  it('is held by nobody until its validity ends: there is nothing to ask its carrier', async () => {
    const { ticket, parts, take, pass } = await openUncertain()
    pass(VALIDITY - 1)
    expect(await take('await')).toEqual([])
    expect(await parts.settle(ticket, 'success')).toMatchObject({ settled: true })
  })

  it('is asked about in time once it was answered, however late that was', async () => {
    const { ticket, carrier, work, pass, message } = await openUncertain()
    pass(VALIDITY / 2)
    await work()
    carrier.answerLate(ticket, accepted('a'))
    await turns()
    carrier.onQuery = (ref) => ({ ref, verdict: 'success' })
    pass(carrier.receiptExpectedMs)
    await work()
    expect(await message(ticket)).toMatchObject({ status: 'success', carrierRef: 'a' })
  })

  it('is submitted again after a refusal that comes while it is still being noted as uncertain', async () => {
    const { send, take, handOver, work, pass, carrier } = await openDelivery({
      carriers: NORTH,
    })
    const refusal = { kind: 'later', reason: 'throttled', afterMs: 1 } as const
    carrier.onSubmit = ({ ticket }) => {
      carrier.answerLate(ticket, refusal)
      return { kind: 'uncertain' }
    }
    await send()
    await handOver(await take('dispatch'))
    carrier.onSubmit = () => accepted('a')
    for (let half = 0; half < 4; half++) {
      await turns()
      pass(500)
    }
    await turns()
    await work()
    expect(carrier.submitted).toHaveLength(2)
  })

  it('gets only its missing parts again when they were refused after all', async () => {
    const { ticket, carrier, work } = await openUncertain()
    const rest = { kind: 'not_taken', reason: 'system error' } as const
    carrier.answerLate(ticket, { kind: 'partly', refs: [{ part: 0, ref: 'a' }], parts: 2, rest })
    await turns()
    const taken: (readonly number[])[] = []
    carrier.onSubmit = (submission) => {
      taken.push(submission.taken)
      return { kind: 'accepted', refs: [{ part: 1, ref: 'b' }], parts: 2 }
    }
    await work()
    expect(taken).toEqual([[0]])
  })

  it('is owed for once it was answered, each part once', async () => {
    const opened = await openDelivery({ carriers: NORTH, cost: 9_000 })
    opened.carrier.onSubmit = () => ({ kind: 'uncertain' })
    const ticket = await opened.send()
    await opened.work()
    const refs = [0, 1, 2].map((part) => ({ part, ref: `r${part}` }))
    for (const known of [1, 2, 3]) {
      opened.carrier.answerLate(ticket, { kind: 'accepted', refs: refs.slice(0, known), parts: 3 })
      await turns()
    }
    const owed = await opened.database.read(({ run }) => run('SELECT parts, cost FROM carrier_totals', []))
    expect(owed).toEqual([{ parts: 3, cost: 27_000 }])
  })

  it('stays uncertain while a part of it is', async () => {
    const { ticket, parts, carrier, message } = await openUncertain()
    carrier.answerLate(ticket, { kind: 'accepted', refs: [{ part: 1, ref: 'b' }], parts: 2 })
    await turns()
    expect((await parts.uncertain(10)).messages).toHaveLength(1)
    carrier.answerLate(ticket, { kind: 'accepted', refs: [{ part: 0, ref: 'a' }], parts: 2 })
    await turns()
    expect((await parts.uncertain(10)).messages).toEqual([])
    for (const ref of ['a', 'b']) await carrier.take([{ ref, verdict: 'success' }])
    expect(await message(ticket)).toMatchObject({ status: 'success', carrierRef: 'a b' })
  })

  it.each([
    [{ kind: 'rejected', reason: 'blocked' }, 'rejected'],
    [{ kind: 'later', reason: 'throttled', afterMs: 1 }, 'pending'],
  ] as const)('was refused after all: %o', async (outcome, status) => {
    const { ticket, carrier, work, message } = await openUncertain()
    carrier.answerLate(ticket, outcome)
    await turns()
    expect(await message(ticket)).toMatchObject({ status })
    carrier.onSubmit = () => accepted('a')
    await work()
    expect(carrier.submitted).toHaveLength(status === 'pending' ? 2 : 1)
  })
})

describe("a carrier's answer that cannot be stored at once", () => {
  const openNorth = () => openDelivery({ carriers: NORTH })
  type Opened = Awaited<ReturnType<typeof openNorth>>
  /** Lets the store refuse changes of jobs like these until the returned function is called. */
  async function refuse({ database }: Opened, when: string): Promise<() => Promise<unknown>> {
    const rule = `CREATE TRIGGER refused BEFORE UPDATE ON outbox WHEN ${when}
      BEGIN SELECT RAISE(ABORT, 'refused'); END`
    await database.write(({ run }) => run(rule, []))
    return () => database.write(({ run }) => run('DROP TRIGGER refused', []))
  }

  it('is kept until it can: a reference is not lost', async () => {
    const opened = await openNorth()
    const { send, take, handOver, pass, carrier, message, faults } = opened
    carrier.onSubmit = () => accepted('a')
    const ticket = await send()
    const allow = await refuse(opened, 'new.submitted_at > 0')
    const handing = handOver(await take('dispatch'))
    await turns()
    expect(faults).toHaveLength(1)
    await allow()
    pass(200)
    await handing
    await carrier.take([{ ref: 'a', verdict: 'success' }])
    expect(await message(ticket)).toMatchObject({ status: 'success', carrierRef: 'a' })
  })

  it('keeps no other answer from being stored', async () => {
    const opened = await openNorth()
    const { send, take, handOver, carrier, refs, pass } = opened
    carrier.onSubmit = ({ ticket }) => accepted(`r-${ticket}`)
    const [bad] = [await send(), await send(), await send()]
    const allow = await refuse(opened, `new.submitted_at > 0 AND new.id = '${bad}'`)
    const handing = handOver(await take('dispatch'))
    await turns()
    expect(await refs()).toHaveLength(2)
    await allow()
    pass(200)
    await handing
    expect(await refs()).toHaveLength(3)
  })

  it('is not there when the message could not be marked as handed over: it is submitted later', async () => {
    const opened = await openNorth()
    const { send, take, handOver, work, carrier } = opened
    carrier.onSubmit = () => accepted('a')
    const ticket = await send()
    const allow = await refuse(opened, "new.kind = 'await' AND new.submitted_at = 0")
    await expect(handOver(await take('dispatch'))).rejects.toThrow()
    expect(carrier.submitted).toEqual([])
    await allow()
    await work()
    expect(carrier.submitted).toEqual([ticket])
  })
})
