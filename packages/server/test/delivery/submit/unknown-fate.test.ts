import { describe, expect, it } from 'vitest'
import type { SubmitOutcome } from '../../../src/delivery/carrier.ts'
import { NOW } from '../../support/rows-of.ts'
import { turns } from '../../support/turns.ts'
import {
  ASK_AGAIN,
  accepted,
  BALANCE,
  LEASE,
  losingCommits,
  openDelivery,
  PRICE,
  RETRIES,
  refusingWrites,
  VALIDITY,
} from '../delivering.ts'

/** A delivery whose one message is being submitted by a process that then vanished. */
async function openHandedOver() {
  const opened = await openDelivery()
  const ticket = await opened.send()
  opened.carrier.onSubmit = () => new Promise<never>(() => {})
  void opened.handOver(await opened.take('dispatch'))
  await turns()
  opened.pass(LEASE)
  return { ...opened, ticket }
}

/** A delivery whose one message was taken, and whose receipt is overdue. */
async function openOverdue() {
  const opened = await openDelivery()
  const ticket = await opened.send()
  await opened.work()
  opened.pass(opened.carrier.receiptExpectedMs)
  return { ...opened, ticket, ref: `ref-${ticket}` }
}

describe('a carrier', () => {
  it('gets a message only after that is written down, and its answer is written down at once', async () => {
    const { carrier, handOver, jobs, send, take } = await openDelivery()
    const ticket = await send()
    let atHandOver: unknown
    carrier.onSubmit = async () => {
      atHandOver = [await jobs('dispatch'), await jobs('await')]
      return accepted('ref')
    }
    await handOver(await take('dispatch'))
    expect(atHandOver).toMatchObject([[], [{ id: ticket }]])
    expect(await jobs('await')).toEqual([{ id: ticket, runAt: NOW + carrier.receiptExpectedMs }])
  })

  it('gets what a process that died had claimed and not handed over', async () => {
    const { carrier, pass, send, take, work } = await openDelivery()
    const ticket = await send()
    await take('dispatch')
    pass(LEASE)
    await work()
    expect(carrier.submitted).toEqual([ticket])
  })

  it('gets it all the same when the answer to that was lost: nothing was sent yet', async () => {
    const { around, loseNext } = losingCommits()
    const { carrier, handOver, jobs, send, take, work } = await openDelivery({ around })
    const ticket = await send()
    const claimed = await take('dispatch')
    loseNext()
    await expect(handOver(claimed)).rejects.toThrow()
    expect(carrier.submitted).toEqual([])
    await work()
    expect(carrier.submitted).toEqual([ticket])
    expect(await jobs('await')).toMatchObject([{ id: ticket }])
  })

  it('gets nothing from a process whose claim another has taken over', async () => {
    const { carrier, handOver, pass, send, take } = await openDelivery()
    await send()
    const before = await take('dispatch')
    pass(LEASE)
    await take('dispatch')
    await handOver(before)
    expect(carrier.submitted).toEqual([])
  })
})

describe('a message whose submission nobody saw the end of', () => {
  it('is neither submitted again nor asked about, and expires', async () => {
    const { carrier, faults, message, pass, ticket, wallet, work } = await openHandedOver()
    for (let hour = 0; hour < 5; hour++) {
      await work()
      pass(3_600_000)
    }
    expect(await message(ticket)).toMatchObject({ status: 'pending' })
    pass(VALIDITY)
    await work()
    expect(carrier).toMatchObject({ submitted: [ticket], asked: [] })
    expect(await message(ticket)).toMatchObject({ status: 'expired', submittedAt: NOW, cost: 0 })
    expect(await wallet()).toMatchObject({ posted: BALANCE, held: 0 })
    expect(faults).toMatchObject([{ message: 'the carrier has not answered for 60 s' }])
  })

  it('is submitted again with all its retries where the operator wants that', async () => {
    const { carrier, message, pass, ticket, work } = await openHandedOver()
    carrier.unanswered = 'again'
    carrier.onSubmit = () => ({ kind: 'not_taken', reason: 'busy' })
    await work()
    for (const pause of RETRIES) {
      expect(await message(ticket)).toMatchObject({ status: 'pending' })
      pass(pause)
      await work()
    }
    expect(carrier.submitted).toHaveLength(1 + RETRIES.length + 1)
    expect(await message(ticket)).toMatchObject({ status: 'failed' })
  })

  it('ends by a receipt that names its ticket', async () => {
    const { carrier, message, refs, ticket, wallet, work } = await openHandedOver()
    await work()
    await carrier.take([{ ticket, ref: 'never heard of', verdict: 'success' }])
    expect(await message(ticket)).toMatchObject({ status: 'success', carrierRef: 'never heard of' })
    expect(await wallet()).toEqual({ posted: BALANCE - PRICE, held: 0, entries: 2 })
    expect(await refs()).toEqual([])
  })

  it('may be one for which submitting failed: it is not sent again', async () => {
    const { send, work, pass, carrier, faults } = await openDelivery()
    await send()
    const { submit } = carrier
    carrier.submit = () => Promise.reject(new Error('the socket broke'))
    await work()
    carrier.submit = submit
    pass(ASK_AGAIN)
    await work()
    expect(carrier.submitted).toEqual([])
    expect(faults).toMatchObject([{ message: 'the socket broke' }])
  })
})

describe('a submission that another process has claimed since', () => {
  /** A message whose first submission has ended for nobody, and a way to let it be answered. */
  async function openClaimed() {
    const opened = await openDelivery()
    const { carrier, handOver, pass, send, take } = opened
    const ticket = await send()
    const [first] = await take('dispatch')
    if (!first) throw new Error('expected a job')
    const answer = Promise.withResolvers<SubmitOutcome>()
    carrier.onSubmit = () => answer.promise
    const handed = handOver([{ ...first, attempts: RETRIES.length }])
    await turns()
    pass(LEASE)
    const claimed = await take('await')
    carrier.onSubmit = () => accepted('again')
    const answered = async (outcome: SubmitOutcome) => {
      answer.resolve(outcome)
      await handed
    }
    return { ...opened, ticket, claimed, answered }
  }

  it.each([
    ['refused', { kind: 'rejected', reason: 'blocked' }, { status: 'rejected', submissions: 1, asked: [] }],
    [
      'not taken, for the last time',
      { kind: 'not_taken', reason: 'busy' },
      { status: 'failed', submissions: 1, asked: [] },
    ],
    ['taken', accepted('late'), { status: 'pending', submissions: 1, asked: ['late'] }],
    [
      'sent away',
      { kind: 'later', reason: 'busy', afterMs: 0 },
      { status: 'pending', submissions: 2, asked: ['again'] },
    ],
  ] as const)('is settled by the one before, to whom it was %s', async (_, outcome, expected) => {
    const { answered, awaitReceipts, carrier, claimed, message, pass, ticket, work } = await openClaimed()
    await answered(outcome)
    await awaitReceipts(claimed)
    await work()
    pass(carrier.receiptExpectedMs)
    await work()
    const { status } = await message(ticket)
    const { asked, submitted } = carrier
    expect({ status, submissions: submitted.length, asked }).toEqual(expected)
  })

  it('is settled by the one before also when the other is about to hand it over again', async () => {
    const { answered, awaitReceipts, carrier, claimed, handOver, message, take, ticket } = await openClaimed()
    carrier.unanswered = 'again'
    await awaitReceipts(claimed)
    const again = await take('dispatch')
    await answered({ kind: 'rejected', reason: 'blocked' })
    await handOver(again)
    expect(carrier.submitted).toEqual([ticket])
    expect(await message(ticket)).toMatchObject({ status: 'rejected' })
  })

  it.each([
    ['refused', { kind: 'rejected', reason: 'blocked' }],
    ['not taken, for the last time', { kind: 'not_taken', reason: 'busy' }],
    ['sent away', { kind: 'later', reason: 'busy', afterMs: 0 }],
  ] as const)(
    'and handed over again is not settled by the one before, to whom it was %s',
    async (_, outcome) => {
      const { answered, awaitReceipts, carrier, claimed, handOver, jobs, message, take, ticket, wallet } =
        await openClaimed()
      carrier.unanswered = 'again'
      await awaitReceipts(claimed)
      await handOver(await take('dispatch'))
      const waiting = await jobs('await')
      await answered(outcome)
      expect(await jobs('await')).toEqual(waiting)
      expect(carrier.submitted).toEqual([ticket, ticket])
      expect(await message(ticket)).toMatchObject({ status: 'pending' })
      expect(await wallet()).toMatchObject({ posted: BALANCE, held: PRICE })
    },
  )

  it('has the step that was decided for it when that was the same process, which got no answer', async () => {
    const { around, refuse } = refusingWrites()
    const { carrier, handOver, message, pass, send, take, work } = await openDelivery({ around })
    carrier.unanswered = 'again'
    const ticket = await send()
    const [job] = await take('dispatch')
    if (!job) throw new Error('expected a job')
    job.attempts = RETRIES.length
    carrier.onSubmit = async () => {
      refuse(true)
      return { kind: 'uncertain' }
    }
    const handed = handOver([job])
    await turns()
    pass(LEASE)
    await turns()
    refuse(false)
    const [again] = await take('await')
    // As the worker does.
    if (again?.id === job.id) job.epoch = again.epoch
    expect(job.epoch).toBe(2)
    pass(LEASE)
    await handed
    await work()
    expect(carrier.submitted).toEqual([ticket])
    expect(await message(ticket)).toMatchObject({ status: 'pending' })
  })

  it('is ended by a receipt, whichever process holds it', async () => {
    const { carrier, message, pass, send, take, work } = await openDelivery()
    const ticket = await send()
    await work()
    pass(carrier.receiptExpectedMs)
    await take('await')
    await carrier.take([{ ref: `ref-${ticket}`, verdict: 'success' }])
    expect(await message(ticket)).toMatchObject({ status: 'success' })
  })
})

describe('a message whose receipt is overdue', () => {
  it('is final at once when the carrier knows how it ended', async () => {
    const { carrier, message, ref, ticket, wallet, work } = await openOverdue()
    carrier.onQuery = () => ({ ref, verdict: 'success' })
    await work()
    expect(carrier.asked).toEqual([ref])
    expect(await message(ticket)).toMatchObject({ status: 'success', submittedAt: NOW, cost: PRICE })
    expect(await wallet()).toEqual({ posted: BALANCE - PRICE, held: 0, entries: 2 })
  })

  it('is asked about again while the carrier does not know, ever more seldom', async () => {
    const { carrier, pass, ref, ticket, work } = await openOverdue()
    for (let round = 0; round < 3; round++) {
      expect(await work()).toBe(true)
      pass(ASK_AGAIN * 2 ** round - 1)
      expect(await work()).toBe(false)
      pass(1)
    }
    expect(carrier).toMatchObject({ asked: Array(3).fill(ref), submitted: [ticket] })
  })

  it.each([
    ['fails', () => Promise.reject(new Error('query is down'))],
    ['never answers', () => new Promise<never>(() => {})],
  ])('holds up no fresh one while the query %s', async (_, query) => {
    const { awaitReceipts, carrier, handOver, send, take, ticket } = await openOverdue()
    carrier.onQuery = query
    void awaitReceipts(await take('await'))
    const fresh = await send()
    await handOver(await take('dispatch'))
    expect(carrier.submitted).toEqual([ticket, fresh])
  })

  it('is asked about again after a query that failed, whose fault is reported', async () => {
    const { carrier, faults, message, pass, ref, ticket, work } = await openOverdue()
    carrier.onQuery = () => Promise.reject(new Error('query is down'))
    await work()
    expect(faults).toMatchObject([{ message: 'query is down' }])
    carrier.onQuery = () => ({ ref, verdict: 'success' })
    pass(ASK_AGAIN)
    await work()
    expect(await message(ticket)).toMatchObject({ status: 'success' })
  })

  it('waits for no answer longer than a minute', async () => {
    const { awaitReceipts, carrier, faults, jobs, pass, take, ticket } = await openOverdue()
    carrier.onQuery = () => new Promise<never>(() => {})
    const asking = awaitReceipts(await take('await'))
    await turns()
    pass(60_000)
    await asking
    expect(faults).toMatchObject([{ message: 'the carrier has not answered for 60 s' }])
    expect(await jobs('await')).toMatchObject([{ id: ticket }])
  })
})
