import { micros } from '@wigwag/contract'
import { basic, type Changes, type Harness } from '../support/harness.ts'

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

const BASIC = { 'www-authenticate': 'Basic realm="wigwag", charset="UTF-8"' }
const BEARER = { 'www-authenticate': 'Bearer error="invalid_token"' }

/** Authorization headers that prove nobody, each with the challenge that it is answered with. */
export function wrongCredentials({ demo }: Harness) {
  const { clientId, clientSecret, walletToken } = demo
  const encode = (text: string) => `Basic ${btoa(text)}`
  const basics = [
    undefined,
    '',
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
  const bearers = [
    'Bearer',
    `Bearer ${clientSecret}`,
    `bearer ${walletToken}`,
    `Bearer wd_${'x'.repeat(43)}`,
    `Bearer ${clientId}:${clientSecret}`,
    `Bearer ${clientSecret} ${clientSecret}`,
    `Bearer ${'x'.repeat(10_000)}`,
  ]
  return [
    ...basics.map((authorization) => ({ authorization, headers: BASIC })),
    ...bearers.map((authorization) => ({ authorization, headers: BEARER })),
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
