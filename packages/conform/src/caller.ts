import { operations } from '@wigwag/contract/operations'
import type { Visit, Visited } from './connector-check/visit.ts'

/** The four operations of the specification. */
export const OPERATIONS = ['sendSms', 'sendBulkSms', 'getTransactionStatus', 'getBalance'] as const
export type OperationName = (typeof OPERATIONS)[number]

export interface Credentials {
  clientId: string
  clientSecret: string
  walletToken: string
}

/** How a credential is given: as it is, with a wrong value, or not at all. */
type Given = 'right' | 'wrong' | 'none'

export interface Request {
  ticket?: string
  body?: unknown
  basic?: Given
  /** Unless given: the right one where the specification wants the wallet, else none. */
  wallet?: Given
  headers?: Readonly<Record<string, string>>
}

export interface Caller {
  call(name: OperationName, request?: Request): Promise<Visited>
  /** Any other address of the server, with both credentials. */
  get(path: string): Promise<Visited>
  post(path: string, body: unknown): Promise<Visited>
}

/** The requests exactly as the specification describes them, and with one thing changed. */
export function createCaller(baseUrl: string, credentials: Credentials, visit: Visit): Caller {
  const base = baseUrl.replace(/\/+$/, '')

  function headersFor(basic: Given, wallet: Given): Record<string, string> {
    const { clientId, clientSecret, walletToken } = credentials
    const wrong = (given: Given) => (given === 'wrong' ? 'x' : '')
    const pair = Buffer.from(`${clientId}:${clientSecret}${wrong(basic)}`).toString('base64')
    return {
      accept: 'application/json',
      'content-type': 'application/json',
      ...(basic !== 'none' && { authorization: `Basic ${pair}` }),
      ...(wallet !== 'none' && { 'x-wallet': `Token ${walletToken}${wrong(wallet)}` }),
    }
  }

  return {
    call(name, { ticket = '', body, basic = 'right', wallet, headers } = {}) {
      const { method, path, wallet: needsWallet } = operations[name]
      return visit(`${base}${path.replace(':ticket', encodeURIComponent(ticket))}`, {
        method,
        headers: { ...headersFor(basic, wallet ?? (needsWallet ? 'right' : 'none')), ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
    },
    get: (path) => visit(`${base}${path}`, { headers: headersFor('right', 'right') }),
    post: (path, body) =>
      visit(`${base}${path}`, {
        method: 'POST',
        headers: headersFor('right', 'right'),
        body: JSON.stringify(body),
      }),
  }
}

export function isSuccess({ status }: Visited): boolean {
  return status >= 200 && status < 300
}
