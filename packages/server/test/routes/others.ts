import { micros } from '../../src/domain/money.ts'
import { basic, type Changes, type Harness } from '../harness.ts'

/** Another account of the same gateway, with the headers that prove it. */
export async function anotherAccount({ operator }: Harness): Promise<Changes & { authorization: string }> {
  const secrets = await operator.createAccount({
    name: 'Other',
    email: 'other@wigwag.dev',
    currency: 'GHS',
    balance: micros(50_000_000),
    senders: ['OTHER', 'WIGWAG'],
  })
  return { authorization: basic(secrets), 'x-wallet': `Token ${secrets.walletToken}` }
}

/** Authorization headers that prove nobody. */
export function wrongCredentials({ demo }: Harness): (string | undefined)[] {
  const { clientId, clientSecret } = demo
  const encode = (text: string) => `Basic ${btoa(text)}`
  return [
    undefined,
    '',
    `Bearer ${clientSecret}`,
    'Basic',
    `Basic ${clientId}:${clientSecret}`,
    encode(clientId),
    encode(`:${clientSecret}`),
    encode(`${clientId}:`),
    encode(`${clientId}:${clientSecret}x`),
    encode(`${clientId}x:${clientSecret}`),
    encode(`${clientId}\n:${clientSecret}`),
    `${encode(`${clientId}:${clientSecret}`)} more`,
  ]
}

/** X-Wallet headers that are none. */
export function malformedWallets({ demo: { walletToken } }: Harness): (string | undefined)[] {
  return [
    undefined,
    '',
    walletToken,
    `Bearer ${walletToken}`,
    'Token',
    `Token ${walletToken} ${walletToken}`,
    `Token ${'t'.repeat(257)}`,
  ]
}
