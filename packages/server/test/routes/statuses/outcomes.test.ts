import { zCallbackPayload } from '@wigwag/contract/validators'
import { describe, expect, it } from 'vitest'
import { MESSAGE, openHarness } from '../../support/harness.ts'
import { balanceOf, resultOf, transactionOf } from '../answers.ts'
import { traces } from '../refuses.ts'

const SENT = { ...MESSAGE, Reference: 'order-1042', CallbackUrl: 'https://shop.example/sms' }
/** Longer than the simulator takes for any of them. */
const A_WHILE = 120_000
const PAID = { Cost: 0.042, BalanceBefore: 100, BalanceAfter: 99.958 }
const FREE = { Cost: 0, BalanceBefore: 100, BalanceAfter: 100 }

const outcomes = [
  ['233241234567', 'success', PAID],
  ['233241200001', 'undelivered', FREE],
  ['233241200002', 'expired', FREE],
  ['233241200003', 'rejected', FREE],
  ['233241200004', 'failed', FREE],
  ['233241200006', 'success', PAID],
] as const

describe('the status of a message', () => {
  it.each(outcomes)('of %s ends as %s, with the money right', async (To, Status, money) => {
    const { sendSms, getStatus, getBalance, advance } = await openHarness()
    const { Ticket } = await resultOf(sendSms({ ...SENT, To }))
    await advance(A_WHILE)
    expect(await transactionOf(getStatus(Ticket))).toMatchObject({ Status, ...money, MessageId: Ticket, To })
    expect((await balanceOf(getBalance())).balance).toBe(money.BalanceAfter)
  })

  it('changes when its receipt arrives, not a millisecond before', async () => {
    const { sendSms, getStatus, advance } = await openHarness()
    const { Ticket } = await resultOf(sendSms(SENT))
    await advance(999)
    expect((await transactionOf(getStatus(Ticket))).Status).toBe('pending')
    await advance(1)
    const { Status, DateCreated, EffectedAt } = await transactionOf(getStatus(Ticket))
    expect([Status, Date.parse(EffectedAt) - Date.parse(DateCreated)]).toEqual(['success', 1_000])
  })

  it.each(outcomes)(
    'of %s is called back once as %s, with exactly the seven fields',
    async (To, Status, money) => {
      const harness = await openHarness()
      const { Ticket } = await resultOf(harness.sendSms({ ...SENT, To }))
      await harness.advance(7 * 86_400_000)
      expect(harness.posted).toHaveLength(1)
      const payload = zCallbackPayload.strict().parse(JSON.parse(harness.posted[0]?.body ?? ''))
      expect(payload).toEqual({ ClientReference: 'order-1042', Ticket, Destination: To, ...money, Status })
      expect(Object.keys(payload).join()).toBe(
        'ClientReference,Ticket,Destination,Cost,BalanceBefore,BalanceAfter,Status',
      )
      const { wallets, jobs } = await traces(harness)
      expect(wallets).toMatchObject([{ held: 0 }])
      expect(jobs).toEqual([])
    },
  )

  it.each(outcomes)('of %s stays %s for good', async (To) => {
    const { sendSms, getStatus, advance } = await openHarness()
    const { Ticket } = await resultOf(sendSms({ ...SENT, To }))
    await advance(A_WHILE)
    const first = await (await getStatus(Ticket)).text()
    await advance(4 * 86_400_000)
    expect(await (await getStatus(Ticket)).text()).toBe(first)
  })

  it('is not called back when nobody asked for it', async () => {
    const { sendSms, advance, posted } = await openHarness()
    await resultOf(sendSms(MESSAGE))
    await advance(86_400_000)
    expect(posted).toEqual([])
  })
})
