/**
 * The second argument of a client's `fetch`. Headers are a plain object, and a body is text.
 * @example
 * import { createClient, type FetchInit } from '@wigwag/sdk'
 * const traced = (url: string, init: FetchInit) => fetch(url, { ...init, headers: { ...init.headers, 'x-trace': '1' } })
 * const sms = createClient({ baseUrl: 'http://127.0.0.1:8080', accessToken: 'token', fetch: traced })
 */
export interface FetchInit {
  method: string
  headers: Record<string, string>
  body?: string
  /** A redirect would take the credentials to another address. */
  redirect: 'manual'
  signal: AbortSignal
}

/**
 * The part of a response that a client reads. Smaller than the global `Response`, so that undici's fits too.
 * @example
 * import { createClient, type FetchResponse } from '@wigwag/sdk'
 * const isReplay = ({ headers }: FetchResponse) => headers.get('idempotent-replayed') === 'true'
 * const sms = createClient({ baseUrl: 'http://127.0.0.1:8080', accessToken: 'token' })
 * const { response } = await sms.sendSms({ From: 'ACME', To: '233201234567', Content: 'Hello' }).withResponse()
 * console.log(isReplay(response))
 */
export interface FetchResponse {
  readonly status: number
  readonly statusText: string
  readonly ok: boolean
  readonly headers: {
    get(name: string): string | null
    forEach(use: (value: string, name: string) => void): void
  }
  text(): Promise<string>
}
