import { describe, expect, it } from 'vitest'
import type { Receipt } from '../../../src/delivery/carrier.ts'
import type { Ticket } from '../../../src/domain/ids.ts'
import { NOW } from '../../support/rows-of.ts'
import { turns } from '../../support/turns.ts'
import { ASK_AGAIN, accepted, BALANCE, LEASE, openDelivery, PRICE } from '../delivering.ts'

const success = (ticket: Ticket): Receipt => ({ ticket, ref: `of-${ticket}`, verdict: 'success' })

/** A delivery whose one message was just taken by the carrier. */
async function openTaken() {
  const opened = await openDelivery()
  const ticket = await opened.send()
  await opened.handOver(await opened.take('dispatch'))
  return { ...opened, ticket }
}

describe('a message that the carrier has taken', () => {
  it('is written down as submitted after a second or two', async () => {
    const { jobs, pass, ticket, carrier, work } = await openTaken()
    pass(999)
    await turns()
    expect(await jobs('dispatch')).toMatchObject([{ id: ticket }])
    pass(1)
    pass(1_000)
    await turns()
    expect(await jobs('await')).toEqual([{ id: ticket, runAt: NOW + carrier.receiptExpectedMs }])
    pass(ASK_AGAIN)
    await work()
    expect(carrier.asked).toEqual([{ ticket, ref: `ref-${ticket}` }])
  })

  it('is final with its receipt, and knows when it was submitted', async () => {
    const { carrier, clock, jobs, message, pass, ticket, wallet } = await openTaken()
    pass(400)
    await carrier.take([success(ticket)])
    const ended = { status: 'success', submittedAt: NOW, effectedAt: NOW + 400, carrierRef: `of-${ticket}` }
    expect(await message(ticket)).toMatchObject(ended)
    expect(await wallet()).toMatchObject({ posted: BALANCE - PRICE, held: 0 })
    pass(1_000)
    pass(1_000)
    await turns()
    expect([...(await jobs('dispatch')), ...(await jobs('await'))]).toEqual([])
    expect(clock.nextTimer()).toBeUndefined()
  })

  it('counts as submitted at its receipt when another process knows no better', async () => {
    const { carrier, lateSteps, message, pass, ticket } = await openTaken()
    lateSteps.forget([ticket])
    pass(400)
    await carrier.take([success(ticket)])
    expect(await message(ticket)).toMatchObject({ status: 'success', submittedAt: NOW + 400 })
  })

  it('is asked about when the process dies before it is written down', async () => {
    const { carrier, lateSteps, message, pass, ticket, work } = await openTaken()
    lateSteps.forget([ticket])
    carrier.onQuery = () => ({ kind: 'final', receipt: success(ticket) })
    pass(LEASE)
    await work()
    expect(carrier.submitted).toEqual([ticket])
    expect(carrier.asked).toEqual([{ ticket, ref: undefined }])
    expect(await message(ticket)).toMatchObject({ status: 'success' })
  })

  it('keeps no process that was told to stop, when the store does not take it', async () => {
    const { clock, database, lateSteps } = await openTaken()
    const text = "CREATE TRIGGER no BEFORE UPDATE ON outbox BEGIN SELECT RAISE(ABORT, 'on purpose'); END"
    await database.write((tx) => tx.run(text, []))
    await expect(lateSteps.stop()).rejects.toThrow('on purpose')
    expect(clock.nextTimer()).toBeUndefined()
  })

  it('is written down when the store takes it again', async () => {
    const { database, faults, jobs, pass, ticket } = await openTaken()
    const run = (text: string) => database.write((tx) => tx.run(text, []))
    await run("CREATE TRIGGER no BEFORE UPDATE ON outbox BEGIN SELECT RAISE(ABORT, 'on purpose'); END")
    pass(1_000)
    pass(1_000)
    await turns()
    expect(faults).toMatchObject([{ message: 'on purpose' }])
    await run('DROP TRIGGER no')
    pass(1_000)
    await turns()
    expect(await jobs('await')).toMatchObject([{ id: ticket }])
  })
})

describe('a carrier that cannot be asked', () => {
  async function openUnaskable() {
    const opened = await openDelivery({ canBeAsked: false })
    return { ...opened, ticket: await opened.send() }
  }

  it('gets a message only after that is written down, and its answer is written down at once', async () => {
    const { carrier, handOver, jobs, take, ticket } = await openUnaskable()
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
    const { carrier, pass, take, ticket, work } = await openUnaskable()
    await take('dispatch')
    pass(LEASE)
    await work()
    expect(carrier.submitted).toEqual([ticket])
  })

  it('gets nothing again that may have been handed over, which ends by its receipt or expires', async () => {
    const { carrier, faults, handOver, message, pass, take, ticket, wallet, work } = await openUnaskable()
    carrier.onSubmit = () => new Promise<never>(() => {})
    void handOver(await take('dispatch'))
    await turns()
    for (let hour = 0; hour < 5; hour++) {
      pass(3_600_000)
      await work()
    }
    expect(carrier.submitted).toEqual([ticket])
    expect(await message(ticket)).toMatchObject({ status: 'pending' })
    pass(48 * 3_600_000)
    await work()
    expect(await message(ticket)).toMatchObject({ status: 'expired' })
    expect(await wallet()).toMatchObject({ posted: BALANCE, held: 0 })
    expect(faults).toMatchObject([{ message: 'the carrier has not answered for 60 s' }])
  })

  it('gets a message again that it did not take', async () => {
    const { carrier, pass, ticket, work } = await openUnaskable()
    carrier.onSubmit = () => ({ kind: 'not_taken', reason: 'busy' })
    await work()
    pass(1_000)
    await work()
    expect(carrier.submitted).toEqual([ticket, ticket])
  })

  it('gets nothing from a process whose claim another has taken over', async () => {
    const { carrier, handOver, pass, take } = await openUnaskable()
    const before = await take('dispatch')
    pass(LEASE)
    await take('dispatch')
    await handOver(before)
    expect(carrier.submitted).toEqual([])
  })
})
