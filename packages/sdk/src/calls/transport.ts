import type { paths } from '@wigwag/contract/openapi'
import openapiFetch, { type Client as FetchClient, removeTrailingSlash } from 'openapi-fetch'
import { systemClock } from '../clock.ts'
import { type CallFacts, WigwagError } from '../errors.ts'
import type { Input, OperationId, Output } from '../operations.ts'
import {
  type CallOptions,
  type ClientOptions,
  type Clock,
  credentialHeaders,
  type Resend,
} from '../options.ts'
import { tellRequest, tellResponse } from '../watch.ts'
import { attempt } from './attempt.ts'
import { type Call, toCall } from './call.ts'
import { toOutgoing } from './outgoing.ts'
import { mayRepeat, pauseBefore } from './retry.ts'

/** Makes calls: one function for every operation. */
export interface Transport {
  raw: FetchClient<paths>
  clock: Clock
  resend: Resend
  call<Id extends OperationId>(id: Id, input: Input<Id>, options?: CallOptions): Call<Output<Id>>
}

/** Creates the HTTP part of a client: credentials, timeouts, retries, errors and hooks. */
export function createTransport(client: ClientOptions): Transport {
  const { clock = systemClock, random = Math.random, resend = 'with-key', fetch: fetcher } = client
  const baseUrl = removeTrailingSlash(client.baseUrl)
  const headers = { ...credentialHeaders(client), ...client.headers }
  // In CommonJS, Node's interop gives the whole module as the default import.
  const createFetchClient =
    'default' in openapiFetch ? (openapiFetch.default as typeof openapiFetch) : openapiFetch
  const raw = createFetchClient<paths>({
    baseUrl,
    headers,
    redirect: 'manual',
    fetch: async (request) => (fetcher ?? client.transport ?? fetch)(request),
  })

  // Throws if the address is not valid.
  new Request(baseUrl)

  async function run<Id extends OperationId>(operation: Id, input: Input<Id>, options: CallOptions) {
    const { signal, retries = client.retries ?? 2, timeout = client.timeout ?? 30_000 } = options
    const [url, init, idempotencyKey] = toOutgoing(operation, input, options, baseUrl, headers)
    const facts: CallFacts = { operation, idempotencyKey, attempts: 0, uncertain: false }
    const send = (signal: AbortSignal) => {
      tellRequest(client, facts, url)
      const whole = { ...init, signal }
      // With a `Request` object `fetch` takes half as long again, so one is made only where `fetch` was replaced.
      return fetcher ? fetcher(new Request(url, whole)) : (client.transport ?? fetch)(url, whole)
    }

    for (;;) {
      const number = ++facts.attempts
      const start = clock.now()
      try {
        const answer = await attempt<Output<Id>>(send, facts, timeout, signal, clock)
        tellResponse(client, 'debug', facts, clock.now() - start, answer.response)
        return answer
      } catch (error) {
        const again = number <= retries && mayRepeat(error, options.resend ?? resend)
        tellResponse(
          client,
          again ? 'warn' : 'error',
          facts,
          clock.now() - start,
          error instanceof WigwagError ? error : {},
          error,
        )
        if (!again) throw error
        await clock.sleep(pauseBefore(number, error, random), signal)
      }
    }
  }

  return { clock, resend, raw, call: (id, input, options = {}) => toCall(run(id, input, options)) }
}
