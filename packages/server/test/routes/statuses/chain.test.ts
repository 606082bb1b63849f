import { describe, expect, it } from 'vitest'
import { BULK, openHarness } from '../../support/harness.ts'
import { balanceOf, resultsOf, transactionOf } from '../answers.ts'

const ENDINGS = ['34567', '00001', '34568', '00003', '00006', '34569', '00002', '00004']

describe('the charges of a wallet', () => {
  it('form one gapless chain, whatever becomes of the messages in between', async () => {
    const { sendBulkSms, getStatus, getBalance, advance } = await openHarness()
    const Recipients = Array.from({ length: 5 }, () =>
      ENDINGS.map((ending) => ({ To: `2332412${ending}` })),
    ).flat()
    const results = await resultsOf(sendBulkSms({ ...BULK, Recipients }))
    await advance(120_000)
    const records = await Promise.all(results.map(({ Ticket }) => transactionOf(getStatus(Ticket))))
    const charged = records.filter(({ Status }) => Status === 'success')
    expect(charged).toHaveLength(20)
    const chain = charged.map(({ BalanceBefore, BalanceAfter }) => [BalanceBefore, BalanceAfter])
    chain.sort(([a = 0], [b = 0]) => b - a)
    const after = (n: number) => (100_000_000 - n * 42_000) / 1_000_000
    expect(chain).toEqual(Array.from({ length: 20 }, (_, n) => [after(n), after(n + 1)]))
    for (const { Status, Cost, BalanceBefore, BalanceAfter } of records) {
      if (Status !== 'success') expect([Cost, BalanceBefore]).toEqual([0, BalanceAfter])
    }
    expect((await balanceOf(getBalance())).balance).toBe(after(20))
  })
})
