import { systemClock } from '../clock.ts'
import type { CallFacts } from '../errors.ts'
import type { FetchResponse } from '../fetch.ts'
import { type Input, type OperationId, type Output, whyNoAnswer } from '../operations.ts'
import {
  type CallOptions,
  type ClientOptions,
  type Clock,
  checkLimits,
  placeOf,
  type Resend,
} from '../options.ts'
import { tellRequest, tellResponse } from '../watch.ts'
import { aborted, attempt } from './attempt.ts'
import { type Answer, type Call, toCall } from './call.ts'
import { toOutgoing } from './outgoing.ts'
import { mayRepeat, pauseBefore } from './retry.ts'

/** Makes calls: one function for every operation. */
export interface Transport {
  clock: Clock
  resend: Resend
  /** The sender of messages that name none. */
  from: string | undefined
  /** Errors name the operation, or the method of the client that needs it. */
  call<Id extends OperationId>(
    id: Id,
    input: Input<Id>,
    options?: CallOptions,
    method?: string,
  ): Call<Output<Id>>
}

/** Creates the HTTP part of a client: credentials, time limits, retries, errors and hooks. */
export function createTransport(client: ClientOptions): Transport {
  const { clock = systemClock, resend = 'with-key' } = client
  const place = placeOf(client)

  async function run<Id extends OperationId>(
    operation: Id,
    input: Input<Id>,
    options: CallOptions,
    method: string | undefined,
  ): Promise<Answer<Output<Id>>> {
    checkLimits(options)
    const { signal, retries = client.retries ?? 2, timeout = client.timeout ?? 30_000 } = options
    const { deadline = client.deadline ?? Number.POSITIVE_INFINITY } = options
    const { baseUrl, headers } = place()
    const [url, init, idempotencyKey] = toOutgoing(operation, input, options, baseUrl, headers, client.from)
    const facts: CallFacts = {
      operation,
      idempotencyKey,
      attempts: 0,
      uncertain: false,
      ...(method && { method }),
    }
    const callId = crypto.randomUUID()
    const end = clock.now() + deadline
    const overdue = `no answer within the deadline of ${deadline} ms`
    const send = (signal: AbortSignal) => {
      tellRequest(client, { ...facts, callId }, url)
      return (client.fetch ?? fetch)(url, { ...init, signal })
    }

    for (;;) {
      if (signal?.aborted) throw aborted(facts, signal)
      const number = ++facts.attempts
      const start = clock.now()
      const isLast = end - start < timeout
      const limits = isLast
        ? { timeout: end - start, late: overdue, signal }
        : { timeout, late: `no answer within ${timeout} ms`, signal }
      const tell = (outcome: { willRepeat: boolean; response?: FetchResponse; error?: unknown }) => {
        tellResponse(client, { ...facts, callId }, { milliseconds: clock.now() - start, ...outcome })
      }
      try {
        const whyNot = (body: unknown) => whyNoAnswer(operation, input, body)
        const answer = await attempt<Output<Id>>(send, whyNot, facts, limits, clock)
        tell({ willRepeat: false, response: answer.response })
        return answer
      } catch (error) {
        const pause = pauseBefore(number, error)
        const willRepeat =
          number <= retries && mayRepeat(error, options.resend ?? resend) && clock.now() + pause < end
        tell({ willRepeat, error })
        if (!willRepeat) throw error
        await clock.sleep(pause, signal).catch((reason) => {
          throw signal?.aborted ? aborted(facts, signal) : reason
        })
      }
    }
  }

  return {
    clock,
    resend,
    from: client.from,
    call: (id, input, options = {}, method) => toCall(run(id, input, options, method)),
  }
}
