import { micros } from '@wigwag/contract'
import { describe, expect, it } from 'vitest'
import { rotate } from '../routes/keys.ts'
import { aPlace, openBench } from '../support/bench.ts'

describe('the demo account', () => {
  it('is shown with its new secrets at the next start', async () => {
    const database = await aPlace('an SQLite file')
    const bench = await openBench({ database })
    const { clientId, accountId, ...others } = bench.demo
    const clientSecret = (await rotate(bench, 'client')).Secret
    const walletToken = (await rotate(bench, 'wallet')).Secret
    const { callbackSecret } = await bench.operator.rotateCallbackSecret(accountId)
    await bench.stop()
    const next = await openBench({ database })
    expect(next.demo).toEqual({
      ...others,
      accountId,
      clientId,
      clientSecret,
      walletToken,
      callbackSecret,
    })
    expect((await next.call('GET', '/v1/account/balance')).status).toBe(200)
  })

  it('keeps its secrets while keys of another account are replaced', async () => {
    const bench = await openBench()
    const { accountId } = await bench.operator.createAccount({
      name: 'Ama',
      email: 'ama@example.com',
      currency: 'GHS',
      balance: micros(0),
      senders: [],
    })
    const before = await bench.database.read(({ run }) =>
      run("SELECT value FROM settings WHERE name = 'demo'", []),
    )
    await bench.operator.rotateSecret(accountId)
    const after = await bench.database.read(({ run }) =>
      run("SELECT value FROM settings WHERE name = 'demo'", []),
    )
    expect(after).toEqual(before)
  })
})
