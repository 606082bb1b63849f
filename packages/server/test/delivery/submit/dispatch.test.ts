import { describe, expect, it } from 'vitest'
import type { CarrierVerdict, Receipt } from '../../../src/delivery/carrier.ts'
import type { Ticket } from '../../../src/kernel/ids.ts'
import { accepted, BALANCE, openDelivery, PRICE, RETRIES, VALIDITY } from '../delivering.ts'

const receipt = (ticket: Ticket, verdict: CarrierVerdict = 'success'): Receipt => ({
  ref: `ref-${ticket}`,
  verdict,
})

describe('a message', () => {
  it('is submitted once, and paid for once it is delivered', async () => {
    const { send, work, carrier, message, wallet, jobs } = await openDelivery()
    const ticket = await send()
    expect(await wallet()).toMatchObject({ posted: BALANCE, held: PRICE })
    await work()
    expect(carrier.submitted).toEqual([ticket])
    expect(await message(ticket)).toMatchObject({ status: 'pending', cost: 0 })
    await carrier.take([receipt(ticket)])
    expect(await message(ticket)).toMatchObject({
      status: 'success',
      cost: PRICE,
      balanceBefore: BALANCE,
      balanceAfter: BALANCE - PRICE,
      carrierRef: `ref-${ticket}`,
    })
    expect(await wallet()).toEqual({ posted: BALANCE - PRICE, held: 0, entries: 2 })
    expect(await jobs('await')).toEqual([])
    expect(await jobs('callback')).toHaveLength(1)
  })

  it.each(['undelivered', 'expired', 'rejected', 'failed'] as const)(
    'that ends %s costs nothing',
    async (verdict) => {
      const { send, work, carrier, message, wallet } = await openDelivery()
      const ticket = await send()
      await work()
      await carrier.take([receipt(ticket, verdict)])
      expect(await message(ticket)).toMatchObject({
        status: verdict,
        cost: 0,
        balanceBefore: BALANCE,
        balanceAfter: BALANCE,
      })
      expect(await wallet()).toEqual({ posted: BALANCE, held: 0, entries: 1 })
    },
  )

  it('goes to the number that can be dialled, and is shown as it came', async () => {
    const { send, work, carrier, message } = await openDelivery()
    const numbers: string[] = []
    carrier.onSubmit = ({ recipient }) => {
      numbers.push(recipient)
      return accepted('ref')
    }
    const ticket = await send('2330241234567')
    await send('233241234567')
    await work()
    expect(numbers).toEqual(['233241234567', '233241234567'])
    expect(await message(ticket)).toMatchObject({ recipient: '2330241234567' })
  })

  it('that the carrier refuses is rejected, and costs nothing', async () => {
    const { send, work, carrier, message, wallet } = await openDelivery()
    carrier.onSubmit = () => ({ kind: 'rejected', reason: 'blocked' })
    const ticket = await send()
    await work()
    expect(await message(ticket)).toMatchObject({ status: 'rejected', failureReason: 'blocked' })
    expect(await wallet()).toMatchObject({ posted: BALANCE, held: 0 })
  })

  it('that is never taken fails when the retries are used up, each after its pause', async () => {
    const { send, work, pass, carrier, message, wallet } = await openDelivery()
    carrier.onSubmit = () => ({ kind: 'not_taken', reason: 'busy' })
    const ticket = await send()
    await work()
    for (const [index, pause] of RETRIES.entries()) {
      pass(pause - 1)
      expect(await work()).toBe(false)
      pass(1)
      expect(await work()).toBe(true)
      expect(carrier.submitted).toHaveLength(index + 2)
    }
    expect(await message(ticket)).toMatchObject({
      status: 'failed',
      failureReason: 'Not taken by the carrier after 3 attempts: busy',
    })
    expect(await wallet()).toMatchObject({ posted: BALANCE, held: 0 })
  })

  it('expires when no receipt came within its validity, and costs nothing', async () => {
    const { send, work, pass, clock, message, wallet, jobs } = await openDelivery()
    const ticket = await send()
    const end = clock.now() + VALIDITY
    await work()
    while ((await message(ticket)).status === 'pending') {
      const [job] = await jobs('await')
      expect(job?.runAt).toBeLessThanOrEqual(end)
      pass((job?.runAt ?? 0) - clock.now())
      await work()
    }
    expect(clock.now()).toBe(end)
    expect(await message(ticket)).toMatchObject({ status: 'expired', cost: 0 })
    expect(await wallet()).toMatchObject({ posted: BALANCE, held: 0 })
  })

  it('that nobody came to submit within its validity expires, rather than being sent late', async () => {
    const { send, work, pass, carrier, message } = await openDelivery()
    const ticket = await send()
    pass(VALIDITY)
    await work()
    expect(carrier.submitted).toEqual([])
    expect(await message(ticket)).toMatchObject({ status: 'expired', cost: 0 })
  })
})

describe('a receipt', () => {
  it('that comes twice charges once, and a contrary one changes nothing: both are recorded', async () => {
    const { send, work, carrier, message, wallet, late, jobs } = await openDelivery()
    const ticket = await send()
    await work()
    await carrier.take([receipt(ticket), receipt(ticket), receipt(ticket, 'undelivered')])
    expect(await message(ticket)).toMatchObject({ status: 'success', cost: PRICE })
    expect(await wallet()).toEqual({ posted: BALANCE - PRICE, held: 0, entries: 2 })
    expect(await late()).toEqual([
      { id: ticket, status: 'success' },
      { id: ticket, status: 'undelivered' },
    ])
    expect(await jobs('callback')).toHaveLength(1)
  })

  it('may come before its submission is settled', async () => {
    const { send, work, carrier, message, wallet, jobs } = await openDelivery()
    carrier.onSubmit = async ({ ticket }) => {
      await carrier.take([receipt(ticket)])
      return accepted(`ref-${ticket}`)
    }
    const ticket = await send()
    await work()
    expect(await message(ticket)).toMatchObject({ status: 'success', carrierRef: `ref-${ticket}` })
    expect(await wallet()).toEqual({ posted: BALANCE - PRICE, held: 0, entries: 2 })
    expect([...(await jobs('dispatch')), ...(await jobs('await'))]).toEqual([])
  })

  it('for a ticket that nobody knows changes nothing', async () => {
    const { carrier, wallet, late } = await openDelivery()
    const ticket = '00000000-0000-7000-8000-000000000000' as Ticket
    await carrier.take([{ ...receipt(ticket), ticket }])
    expect(await wallet()).toEqual({ posted: BALANCE, held: 0, entries: 1 })
    expect(await late()).toEqual([])
  })

  it('that is overdue is asked for', async () => {
    const { send, work, pass, carrier, message } = await openDelivery()
    const ticket = await send()
    await work()
    pass(carrier.receiptExpectedMs - 1)
    expect(await work()).toBe(false)
    pass(1)
    carrier.onQuery = () => receipt(ticket, 'undelivered')
    await work()
    expect(carrier.asked).toEqual([`ref-${ticket}`])
    expect(await message(ticket)).toMatchObject({ status: 'undelivered' })
  })
})

describe('a lane that saw less capacity because messages were on their way to the carrier', () => {
  it('looks again when the carrier has them: that was never full, so it tells of nothing', async () => {
    const { send, take, handOver, carrier, capacity, woken } = await openDelivery()
    carrier.takes = 1
    await send()
    const jobs = await take('dispatch')
    const done = handOver(jobs)
    expect(capacity()).toBe(0)
    expect(woken).toEqual([])
    await done
    expect(woken).toEqual(['dispatch/scripted'])
    expect(capacity()).toBe(1)
  })

  it('looks again when they are not coming', async () => {
    const { send, take, handOver, carrier, capacity, woken, database } = await openDelivery()
    carrier.takes = 1
    await send()
    const jobs = await take('dispatch')
    await database.write(({ run }) => run('UPDATE outbox SET epoch = epoch + 1 RETURNING 1 AS one', []))
    const done = handOver(jobs)
    expect(capacity()).toBe(0)
    await done
    expect(carrier.submitted).toEqual([])
    expect(woken).toEqual(['dispatch/scripted'])
  })
})
