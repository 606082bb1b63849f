import { afterAll, beforeAll } from 'vitest'
import type { AccountSecrets } from '../../src/accounts/operator.ts'
import type { Config } from '../../src/config/config.ts'
import type { RunOptions } from '../../src/gateway/operator-parts.ts'
import { openGateway, type WhenOver } from './gateway.ts'

export const MESSAGE = { From: 'WIGWAG', To: '233241234567', Content: 'Hello' }
export const BULK = { From: 'WIGWAG', Content: 'Hello', Recipients: [{ To: '233241234567' }] }
export type Harness = Awaited<ReturnType<typeof openHarness>>
/** Headers to add to a request, or to leave out of it. */
export type Changes = Record<string, string | undefined>
type Body = object | string | Uint8Array<ArrayBuffer>

export const basic = ({ clientId, clientSecret }: Pick<AccountSecrets, 'clientId' | 'clientSecret'>) =>
  `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`

/** A gateway, and its four operations as any client would call them. */
export async function openHarness(
  config?: Partial<Config>,
  whenOver?: WhenOver,
  options?: Partial<RunOptions>,
) {
  const gateway = await openGateway(config, whenOver, options)
  const authorization = basic(gateway.demo)
  const own = {
    authorization,
    'x-wallet': `Token ${gateway.demo.walletToken}`,
    'content-type': 'application/json',
  }

  async function call(method: string, path: string, changes: Changes, body?: Body): Promise<Response> {
    const pairs = Object.entries({ ...own, ...changes }).flatMap(([k, v]): [string, string][] =>
      v === undefined ? [] : [[k, v]],
    )
    const raw = typeof body === 'string' || body instanceof Uint8Array
    const init = { method, headers: pairs, ...(body ? { body: raw ? body : JSON.stringify(body) } : {}) }
    return gateway.app.fetch(new Request(`http://gateway.invalid${path}`, init))
  }
  return {
    ...gateway,
    own,
    call,
    sendSms: (body: Body, changes: Changes = {}) => call('POST', '/v1/messages/sms', changes, body),
    sendBulkSms: (body: Body, changes: Changes = {}) =>
      call('POST', '/v1/messages/sms/bulk/otm', changes, body),
    getStatus: (ticket: string, changes: Changes = {}) =>
      call('GET', `/v1/transactions/${ticket}/status`, { 'x-wallet': undefined, ...changes }),
    getBalance: (changes: Changes = {}) => call('GET', '/v1/account/balance', changes),
  }
}

/** A harness for all tests of a file whose requests are refused: they leave nothing behind, so one gateway does for all. */
export function shareHarness(): () => Harness {
  let harness: Harness | undefined
  let stop = async () => {}
  beforeAll(async () => {
    harness = await openHarness({}, (stopIt) => {
      stop = stopIt
    })
  })
  afterAll(() => stop())
  return () => {
    if (!harness) throw new Error('the harness is open inside tests only')
    return harness
  }
}
