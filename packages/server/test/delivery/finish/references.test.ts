import { describe, expect, it } from 'vitest'
import {
  type CarrierVerdict,
  ownRef,
  type Receipt,
  type SubmitOutcome,
} from '../../../src/delivery/carrier.ts'
import { pruneOrphans, pruneRefs } from '../../../src/delivery/finish/refs.ts'
import { epochMs, type Ticket } from '../../../src/kernel/ids.ts'
import { turns } from '../../support/turns.ts'
import { accepted, BALANCE, LEASE, openDelivery, PRICE, VALIDITY } from '../delivering.ts'

const NORTH = ['north']
const openNorth = () => openDelivery({ carriers: NORTH })
const receipt = (ref: string, verdict: CarrierVerdict = 'success'): Receipt => ({ ref, verdict })
const refsOf = (parts: readonly number[]) => parts.map((part) => ({ part, ref: `r${part}` }))
/** The answer of a carrier that has all of three parts now. */
const three = (...parts: number[]): SubmitOutcome => ({ kind: 'accepted', refs: refsOf(parts), parts: 3 })
/** The answer of a carrier that took some of three parts, and is busy. */
const some = (...parts: number[]): SubmitOutcome => {
  const rest = { kind: 'later', reason: 'throttled', afterMs: 1_000 } as const
  return { kind: 'partly', refs: refsOf(parts), parts: 3, rest }
}

describe('a carrier that knows messages by references of its own', () => {
  it('has its receipts matched by them, and they are forgotten when the message is final', async () => {
    const { send, work, carrier, message, wallet, refs } = await openNorth()
    carrier.onSubmit = () => accepted('00ff')
    const ticket = await send()
    await work()
    expect(await refs()).toEqual([{ ref: '00ff', ticket, verdict: null }])
    await carrier.take([receipt('00ff')])
    expect(await message(ticket)).toMatchObject({ status: 'success', carrierRef: '00ff', cost: PRICE })
    expect(await wallet()).toEqual({ posted: BALANCE - PRICE, held: 0, entries: 2 })
    await turns()
    expect(await refs()).toEqual([])
  })

  it('may send the receipt before the answer that has its reference', async () => {
    const { send, work, carrier, message, wallet, refs } = await openNorth()
    carrier.onSubmit = async () => {
      await carrier.take([receipt('a')])
      return accepted('a')
    }
    const ticket = await send()
    await work()
    expect(await message(ticket)).toMatchObject({ status: 'success', carrierRef: 'a' })
    expect(await wallet()).toMatchObject({ held: 0, entries: 2 })
    await turns()
    expect(await refs()).toEqual([])
  })

  it('may use a reference again: an old receipt that found no message says nothing of a new one', async () => {
    const { send, work, carrier, message, pass } = await openNorth()
    await carrier.take([receipt('a')])
    pass(10 * 60_000 + 1)
    carrier.onSubmit = () => accepted('a')
    const ticket = await send()
    await work()
    expect(await message(ticket)).toMatchObject({ status: 'pending' })
    await carrier.take([receipt('a', 'undelivered')])
    expect(await message(ticket)).toMatchObject({ status: 'undelivered' })
  })

  it('gives one reference to two messages: its receipt is for the later one', async () => {
    const { send, work, carrier, message } = await openNorth()
    carrier.onSubmit = () => accepted('a')
    const first = await send()
    await work()
    const second = await send()
    await work()
    await carrier.take([receipt('a')])
    expect(await message(first)).toMatchObject({ status: 'pending' })
    expect(await message(second)).toMatchObject({ status: 'success' })
  })

  it('may repeat a receipt, and contradict it: the first one counts', async () => {
    const { send, work, carrier, message, wallet } = await openNorth()
    carrier.onSubmit = () => accepted('a')
    const ticket = await send()
    await work()
    await carrier.take([receipt('a'), receipt('a', 'undelivered')])
    await carrier.take([receipt('a', 'failed')])
    expect(await message(ticket)).toMatchObject({ status: 'success' })
    expect(await wallet()).toMatchObject({ posted: BALANCE - PRICE, held: 0, entries: 2 })
  })

  it('may send a receipt after the validity, which is only recorded', async () => {
    const { send, work, pass, carrier, message, late } = await openNorth()
    carrier.onSubmit = () => accepted('a')
    const ticket = await send()
    await work()
    pass(VALIDITY)
    await work()
    expect(await message(ticket)).toMatchObject({ status: 'expired' })
    await carrier.take([receipt('a')])
    expect(await late()).toEqual([{ id: ticket, status: 'success' }])
  })

  it('leaves no rows behind: orphans go after a while, and references of expired messages too', async () => {
    const { send, work, pass, carrier, clock, database, refs } = await openNorth()
    await carrier.take([receipt('orphan')])
    carrier.onSubmit = () => accepted('a')
    await send()
    await work()
    pass(1)
    const now = () => epochMs(clock.now())
    const orphans = () => database.write((tx) => pruneOrphans(tx, now()))
    expect(await orphans()).toEqual({ pruned: 1, more: false })
    expect(await orphans()).toEqual({ pruned: 0, more: false })
    const prune = () => pruneRefs(database, now())()
    await prune()
    expect(await refs()).toHaveLength(1)
    pass(VALIDITY)
    await work()
    await prune()
    expect(await refs()).toEqual([])
  })
})

describe('a receipt that names our ticket', () => {
  it('ends its message before the answer comes, which is owed for once all the same', async () => {
    const { send, work, carrier, message, wallet, database } = await openDelivery({
      carriers: NORTH,
      cost: 9_000,
    })
    carrier.onSubmit = async ({ ticket }) => {
      await carrier.take([{ ...receipt('a'), ticket }])
      expect(await message(ticket)).toMatchObject({ status: 'success', carrierRef: 'a' })
      return accepted('a')
    }
    await send()
    await work()
    expect(await wallet()).toMatchObject({ posted: BALANCE - PRICE, held: 0, entries: 2 })
    const owed = await database.read(({ run }) => run('SELECT parts, cost FROM carrier_totals', []))
    expect(owed).toEqual([{ parts: 1, cost: 9_000 }])
  })

  it('ends none that another carrier has, nor the one whose reference it repeats', async () => {
    const { send, work, carrier, carrierNamed, message } = await openDelivery({
      carriers: [...NORTH, 'south'],
    })
    carrier.onSubmit = () => accepted('a')
    const own = await send()
    await work()
    carrier.takes = 'away'
    const others = await send()
    await work()
    expect(carrierNamed('south').submitted).toEqual([others])
    await carrier.take([{ ...receipt('a'), ticket: others }])
    expect(await message(own)).toMatchObject({ status: 'pending' })
    expect(await message(others)).toMatchObject({ status: 'pending' })
    await carrier.take([{ ...receipt('another'), ticket: own }])
    expect(await message(own)).toMatchObject({ status: 'success' })
  })

  it('is recorded by its reference when its message has ended', async () => {
    const { send, work, pass, carrier, late } = await openNorth()
    carrier.onSubmit = () => accepted('a')
    const ticket = await send()
    await work()
    pass(VALIDITY)
    await work()
    await carrier.take([{ ...receipt('a'), ticket }])
    expect(await late()).toEqual([{ id: ticket, status: 'success' }])
  })
})

describe('a long message', () => {
  it('is delivered when all its parts are', async () => {
    const { send, work, carrier, message, wallet, refs } = await openNorth()
    carrier.onSubmit = () => three(0, 1, 2)
    const ticket = await send()
    await work()
    for (const ref of ['r2', 'r0']) await carrier.take([receipt(ref)])
    expect(await message(ticket)).toMatchObject({ status: 'pending' })
    await carrier.take([receipt('r1')])
    expect(await message(ticket)).toMatchObject({ status: 'success', carrierRef: 'r0 r1 r2' })
    expect(await wallet()).toMatchObject({ posted: BALANCE - PRICE, held: 0, entries: 2 })
    await turns()
    expect(await refs()).toEqual([])
  })

  it('is delivered once when the last receipts come together', async () => {
    const { send, work, carrier, message, late, wallet } = await openNorth()
    carrier.onSubmit = () => three(0, 1, 2)
    const ticket = await send()
    await work()
    await carrier.take(['r0', 'r1', 'r2'].map((ref) => receipt(ref)))
    expect(await message(ticket)).toMatchObject({ status: 'success' })
    expect(await late()).toEqual([])
    expect(await wallet()).toMatchObject({ entries: 2 })
  })

  it('ends with the first part that fails', async () => {
    const { send, work, carrier, message, wallet } = await openNorth()
    carrier.onSubmit = () => three(0, 1, 2)
    const ticket = await send()
    await work()
    await carrier.take([receipt('r0')])
    await carrier.take([receipt('r1', 'undelivered')])
    expect(await message(ticket)).toMatchObject({ status: 'undelivered', cost: 0 })
    expect(await wallet()).toMatchObject({ posted: BALANCE, held: 0 })
  })

  it('ends with one receipt where the carrier sends only one', async () => {
    const { send, work, carrier, message } = await openNorth()
    carrier.receipts = 'one'
    carrier.onSubmit = () => three(0, 1, 2)
    const ticket = await send()
    await work()
    await carrier.take([receipt('r2')])
    expect(await message(ticket)).toMatchObject({ status: 'success' })
  })

  it('that gets one receipt is not delivered before all of it was submitted', async () => {
    const { send, work, pass, carrier, message } = await openNorth()
    carrier.receipts = 'one'
    carrier.onSubmit = ({ taken }) => (taken.length === 0 ? some(0) : three(1, 2))
    const ticket = await send()
    await work()
    await carrier.take([receipt('r0')])
    expect(await message(ticket)).toMatchObject({ status: 'pending' })
    pass(1_000)
    await work()
    pass(carrier.receiptExpectedMs)
    await work()
    expect(await message(ticket)).toMatchObject({ status: 'success' })
  })

  it('is delivered although the carrier gave one of its parts no reference', async () => {
    const { send, work, carrier, message } = await openNorth()
    carrier.onSubmit = ({ ticket }) => ({
      kind: 'accepted',
      parts: 2,
      refs: [
        { part: 0, ref: 'a' },
        { part: 1, ref: ownRef(ticket, 1) },
      ],
    })
    const ticket = await send()
    await work()
    await carrier.take([receipt('a')])
    expect(await message(ticket)).toMatchObject({ status: 'success' })
  })

  it('that a carrier had a part of goes to another carrier as a whole', async () => {
    const pair = [...NORTH, 'south']
    const { send, work, pass, carrier, carrierNamed, clock, database } = await openDelivery({
      carriers: pair,
    })
    carrier.onSubmit = () => some(0)
    await send()
    await work()
    const taken: (readonly number[])[] = []
    carrierNamed('south').onSubmit = (submission) => {
      taken.push(submission.taken)
      return accepted('s')
    }
    await database.write(({ run }) => run("UPDATE outbox SET lane = 'south', run_at = $1", [clock.now()]))
    // It looks for what others have stored every five seconds.
    pass(5_000)
    await work()
    expect(taken).toEqual([[]])
  })

  it('may have all its receipts before its references', async () => {
    const { send, work, carrier, message } = await openNorth()
    carrier.onSubmit = async () => {
      await carrier.take(['r0', 'r1', 'r2'].map((ref) => receipt(ref)))
      return three(0, 1, 2)
    }
    const ticket = await send()
    await work()
    expect(await message(ticket)).toMatchObject({ status: 'success' })
  })

  it('that was taken in part is completed: only the missing parts are submitted again', async () => {
    const { send, work, pass, carrier, message } = await openNorth()
    const taken: (readonly number[])[] = []
    carrier.onSubmit = (submission) => {
      taken.push(submission.taken)
      return submission.taken.length === 0 ? some(0) : three(1, 2)
    }
    const ticket = await send()
    await work()
    await carrier.take([receipt('r0')])
    expect(await message(ticket)).toMatchObject({ status: 'pending' })
    pass(1_000)
    await work()
    expect(taken).toEqual([[], [0]])
    for (const ref of ['r1', 'r2']) await carrier.take([receipt(ref)])
    expect(await message(ticket)).toMatchObject({ status: 'success', carrierRef: 'r0 r1 r2' })
  })

  it('keeps its reference for the phone when it is submitted again, and the next one to that phone gets another', async () => {
    const { send, work, pass, carrier } = await openNorth()
    const given: [Ticket, number][] = []
    carrier.onSubmit = ({ ticket, taken, reference }) => {
      given.push([ticket, reference])
      return taken.length === 0 ? some(0) : three(1, 2)
    }
    const long = 'A long text. '.repeat(30)
    const first = await send('233241234567', long)
    await work()
    const second = await send('233241234567', long)
    await work()
    pass(1_000)
    await work()
    const references = Map.groupBy(given, ([ticket]) => ticket)
    const of = (ticket: Ticket) => new Set(references.get(ticket)?.map(([, reference]) => reference))
    expect([...references.values()].map(({ length }) => length)).toEqual([2, 2])
    const [one] = of(first)
    expect(of(first)).toEqual(new Set([one]))
    expect(of(second)).toEqual(new Set([((one ?? 0) + 1) & 0xffff]))
  })

  it('whose verdicts were noted when the process died is ended by its next look', async () => {
    const { send, work, pass, carrier, message, database } = await openNorth()
    carrier.onSubmit = () => three(0, 1, 2)
    const ticket = await send()
    await work()
    await database.write(({ run }) => run("UPDATE carrier_refs SET verdict = 'success'", []))
    pass(carrier.receiptExpectedMs)
    await work()
    expect(await message(ticket)).toMatchObject({ status: 'success' })
  })
})

describe('a message that a process had with such a carrier when it died', () => {
  it('is never submitted again: nobody knows whether it was taken', async () => {
    const { send, take, handOver, work, pass, carrier, message } = await openNorth()
    carrier.onSubmit = () => new Promise<never>(() => {})
    const ticket = await send()
    void handOver(await take('dispatch'))
    await turns()
    pass(LEASE)
    await work()
    expect(carrier.submitted).toEqual([ticket])
    expect(await message(ticket)).toMatchObject({ status: 'pending' })
    pass(VALIDITY)
    await work()
    expect(await message(ticket)).toMatchObject({ status: 'expired' })
    expect(carrier.submitted).toEqual([ticket])
  })

  it('is submitted if it was only claimed', async () => {
    const { send, take, work, pass, carrier } = await openNorth()
    const ticket = await send()
    await take('dispatch')
    pass(LEASE)
    await work()
    expect(carrier.submitted).toEqual([ticket])
  })
})
