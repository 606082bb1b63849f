import { describe, expect, it } from 'vitest'
import { isTicket, type Ticket } from '../../../src/kernel/ids.ts'
import { type Harness, MESSAGE, openHarness } from '../../support/harness.ts'
import { balanceOf, resultOf, transactionOf } from '../answers.ts'

const SILENT = { ...MESSAGE, To: '233241200005', CallbackUrl: 'https://shop.example/sms' }
const HOUR = 3_600_000

async function send({ sendSms }: Harness): Promise<Ticket> {
  const result = await resultOf(sendSms(SILENT))
  if (!isTicket(result.Ticket)) throw new Error('expected a ticket')
  return result.Ticket
}

describe('a message that stays pending until told', () => {
  it.each([
    ['success', 99.958],
    ['undelivered', 100],
    ['expired', 100],
    ['rejected', 100],
    ['failed', 100],
  ] as const)('ends as %s when told so, and leaves %d', async (verdict, balance) => {
    const harness = await openHarness()
    const ticket = await send(harness)
    await harness.advance(47 * HOUR)
    expect((await transactionOf(harness.getStatus(ticket))).Status).toBe('pending')
    expect((await balanceOf(harness.getBalance())).balance).toBe(99.958)
    await harness.tell(ticket, verdict)
    await harness.advance(0)
    expect((await transactionOf(harness.getStatus(ticket))).Status).toBe(verdict)
    expect((await balanceOf(harness.getBalance())).balance).toBe(balance)
    expect(harness.posted.map(({ body }) => JSON.parse(body).Status)).toEqual([verdict])
  })

  it('expires after 49 hours, not a millisecond before, and is called back once', async () => {
    const harness = await openHarness()
    const ticket = await send(harness)
    await harness.advance(49 * HOUR - 1)
    expect((await transactionOf(harness.getStatus(ticket))).Status).toBe('pending')
    expect(harness.posted).toEqual([])
    await harness.advance(1)
    const record = await transactionOf(harness.getStatus(ticket))
    expect(record).toMatchObject({ Status: 'expired', Cost: 0, BalanceBefore: 100, BalanceAfter: 100 })
    expect(Date.parse(record.EffectedAt) - Date.parse(record.DateCreated)).toBe(49 * HOUR)
    expect((await balanceOf(harness.getBalance())).balance).toBe(100)
    await harness.advance(100 * HOUR)
    expect(harness.posted.map(({ body }) => JSON.parse(body).Status)).toEqual(['expired'])
  })

  it('keeps its first final status, however often and whatever it is told afterwards', async () => {
    const harness = await openHarness()
    const ticket = await send(harness)
    const verdicts = ['success', 'success', 'undelivered', 'failed', 'success'] as const
    for (const verdict of verdicts) await harness.tell(ticket, verdict)
    await harness.advance(100 * HOUR)
    expect(await transactionOf(harness.getStatus(ticket))).toMatchObject({
      Status: 'success',
      BalanceAfter: 99.958,
    })
    expect((await balanceOf(harness.getBalance())).balance).toBe(99.958)
    expect(harness.posted).toHaveLength(1)
  })

  it('keeps its first final status when contrary receipts arrive in the same moment', async () => {
    const harness = await openHarness()
    const ticket = await send(harness)
    const verdicts = ['undelivered', 'success', 'undelivered', 'success'] as const
    await Promise.all(verdicts.map((verdict) => harness.tell(ticket, verdict)))
    await harness.advance(HOUR)
    expect(await transactionOf(harness.getStatus(ticket))).toMatchObject({ Status: 'undelivered', Cost: 0 })
    expect((await balanceOf(harness.getBalance())).balance).toBe(100)
    expect(harness.posted).toHaveLength(1)
  })

  it('stays expired when a late receipt says it was delivered', async () => {
    const harness = await openHarness()
    const ticket = await send(harness)
    await harness.advance(50 * HOUR)
    await harness.tell(ticket, 'success')
    await harness.advance(HOUR)
    expect(await transactionOf(harness.getStatus(ticket))).toMatchObject({
      Status: 'expired',
      BalanceAfter: 100,
    })
    expect((await balanceOf(harness.getBalance())).balance).toBe(100)
  })
})
