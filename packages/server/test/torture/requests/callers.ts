import { micros } from '@wigwag/contract'
import type { AccountSecrets } from '../../../src/accounts/operator.ts'
import { type Assistant, asOwner, connect, WIDE } from '../../support/assistants.ts'
import type { Front } from '../../support/front.ts'
import { basic } from '../../support/harness.ts'

/** Somebody whose requests are accepted, or who is refused in a way that is documented. */
export interface Caller {
  /** How often it calls, against the others. */
  weight: number
  headers(): readonly [string, string][]
  /** Its account's secrets, which it may rotate. */
  secrets?: AccountSecrets
}

const RICH = 9_000_000_000_000

/** Accounts with and without money, one that is suspended, and assistants with and without limits. */
export async function openCallers(front: Front): Promise<() => Promise<Caller[]>> {
  const accounts = await Promise.all(['one', 'two', 'three'].map((name) => front.account(name, RICH)))
  const poor = await front.account('poor', 70_000)
  const suspended = await front.account('suspended', RICH)
  await front.gateway.operator.setStatus(suspended.accountId, 'suspended')
  const [first] = accounts
  if (!first) throw new Error('expected an account')
  const clients = [
    ...accounts.map((secrets) => client(secrets, 8)),
    client(poor, 2),
    client(suspended, 1),
    { weight: 1, headers: () => [] },
    { weight: 1, headers: () => headersOf(first).slice(0, 1) },
    { weight: 1, headers: () => headersOf({ ...first, clientSecret: 'wrong' }) },
    { weight: 1, headers: () => headersOf({ ...first, walletToken: poor.walletToken }) },
  ]

  /** Tokens end after minutes, so that a long run asks again. */
  return async () => {
    const { gateway } = front
    const wide = await connect(gateway, first.accountId, { ...WIDE, dailyMessages: 1_000_000 })
    const narrow = await connect(gateway, first.accountId, {
      ...WIDE,
      dailySpend: micros(200_000),
      recipients: ['23324*'],
    })
    const reading = await connect(gateway, first.accountId, 'only reading')
    const revoked = await connect(gateway, first.accountId)
    await gateway.connections.revoke(asOwner(first.accountId), revoked.id)
    return [
      ...clients,
      assistant(wide, 5),
      assistant(narrow, 2),
      assistant(reading, 1),
      assistant(revoked, 1),
    ]
  }
}

function headersOf(secrets: AccountSecrets): [string, string][] {
  return [
    ['Authorization', basic(secrets)],
    ['X-Wallet', `Token ${secrets.walletToken}`],
  ]
}

const client = (secrets: AccountSecrets, weight: number): Caller => ({
  weight,
  headers: () => headersOf(secrets),
  secrets,
})

const assistant = ({ headers }: Assistant, weight: number): Caller => ({
  weight,
  headers: () => [['Authorization', headers.authorization]],
})
