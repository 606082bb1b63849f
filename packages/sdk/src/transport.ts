import openapiFetch, { type Client as FetchClient } from 'openapi-fetch'
import { attempt } from './attempt.ts'
import { type Call, toCall } from './call.ts'
import { systemClock } from './clock.ts'
import { type CallFacts, WigwagError } from './errors.ts'
import type { paths } from './generated/openapi.ts'
import { type Input, type OperationId, type Output, places } from './operations.ts'
import {
  type CallOptions,
  type ClientOptions,
  type Clock,
  credentialHeaders,
  type Resend,
} from './options.ts'
import { mayRepeat, pauseBefore, sendKey } from './retry.ts'
import { tellRequest, tellResponse } from './watch.ts'

/** Makes calls: one function for every operation. */
export interface Transport {
  raw: FetchClient<paths>
  clock: Clock
  resend: Resend
  call<Id extends OperationId>(id: Id, input: Input<Id>, options?: CallOptions): Call<Output<Id>>
}

/** The fetch client's one function, without the types that it gives each path: `places` has checked those. */
type AnyRequest = (
  method: string,
  path: string,
  init: object,
) => Promise<{ error?: unknown; response: Response }>

/** Makes the part of a client that speaks HTTP: credentials, time-outs, retries, errors, hooks. */
export function createTransport(client: ClientOptions): Transport {
  const { clock = systemClock, random = Math.random, resend = 'with-key' } = client
  const fetcher = async (request: Request) => (client.fetch ?? fetch)(request)
  // In CommonJS, Node's rules put the whole module where its default export is looked for.
  const createFetchClient =
    'default' in openapiFetch ? (openapiFetch.default as typeof openapiFetch) : openapiFetch
  const raw = createFetchClient<paths>({
    baseUrl: client.baseUrl,
    headers: { ...credentialHeaders(client), ...client.headers },
    // A redirect would hand the wallet's token to another address, and turn a send into a read.
    redirect: 'manual',
    fetch: fetcher,
    Request: client.Request ?? Request,
  })
  const request = raw.request as AnyRequest

  async function run<Id extends OperationId>(operation: Id, input: Input<Id>, options: CallOptions) {
    const [method, path, isSend, ownHeaders] = places[operation]
    const { signal, timeout = client.timeout ?? 30_000, retries = client.retries ?? 2 } = options
    const idempotencyKey = isSend ? sendKey(options) : undefined
    // Written once: every attempt sends the same bytes, whatever the caller does to the object meanwhile.
    const body = input.body && JSON.stringify(input.body)
    const facts: CallFacts = { operation, idempotencyKey, attempts: 0, uncertain: false }

    for (;;) {
      const number = ++facts.attempts
      const start = clock.now()
      const send = (signal: AbortSignal, leaving: () => void) =>
        request(method, path, {
          params: input,
          body,
          bodySerializer: String,
          pathSerializer: (path: string, value: string) => path.replace(/{\w+}/, encodeURIComponent(value)),
          parseAs: 'stream',
          signal,
          headers: { ...ownHeaders, ...options.headers, 'Idempotency-Key': idempotencyKey },
          fetch(request: Request) {
            leaving()
            tellRequest(client, facts, request)
            return fetcher(request)
          },
        })
      try {
        const answer = await attempt<Output<Id>>(send, facts, timeout, signal, clock)
        const { status, headers } = answer.response
        const requestId = headers.get('x-request-id') ?? undefined
        tellResponse(client, 'debug', facts, clock.now() - start, { status, requestId })
        return answer
      } catch (error) {
        const again = number <= retries && mayRepeat(error, isSend, options.resend ?? resend)
        const seen = error instanceof WigwagError ? error : {}
        tellResponse(client, again ? 'warn' : 'error', facts, clock.now() - start, seen, error)
        if (!again) throw error
        await clock.sleep(pauseBefore(number, error, random), signal)
      }
    }
  }

  return { raw, clock, resend, call: (id, input, options = {}) => toCall(run(id, input, options)) }
}
