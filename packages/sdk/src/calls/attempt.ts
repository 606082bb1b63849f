import { AbortedError, type CallFacts, ConnectionError, TimeoutError, WigwagError } from '../errors.ts'
import type { FetchResponse } from '../fetch.ts'
import type { Clock } from '../options.ts'
import { isRecord } from '../shape.ts'
import type { Answer } from './call.ts'
import { gatewayError, unexpected } from './problem.ts'

/** The limits of one attempt. */
export interface Limits {
  timeout: number
  /** The message of the error when the time is over. */
  late: string
  signal: AbortSignal | undefined
}

/**
 * Makes one request and reads its response within the time limit. Throws our errors, and sets `uncertain` in the call's
 * facts when a failed request may have been carried out. `whyNot` says what keeps a body from being the documented answer.
 */
export async function attempt<Data>(
  send: (signal: AbortSignal) => FetchResponse | Promise<FetchResponse>,
  whyNot: (body: unknown) => string | undefined,
  facts: CallFacts,
  { timeout, late, signal }: Limits,
  clock: Clock,
): Promise<Answer<Data>> {
  let isLate = false
  const controller = new AbortController()
  const stop = () => controller.abort()
  // A longer time would overflow the timer, which would then fire at once.
  const timer =
    timeout < 2 ** 31
      ? setTimeout(() => {
          isLate = true
          stop()
        }, timeout)
      : undefined
  signal?.addEventListener('abort', stop)
  try {
    const response = await send(controller.signal)
    const text = await response.text()
    let body: unknown = text
    try {
      body = JSON.parse(text)
    } catch {}
    const wrong = whyNot(body)
    if (response.ok && !wrong) return { data: body as Data, response }
    // An error, a redirect, or a success that is cut off, not ours or written by a proxy.
    throw response.status < 400
      ? unexpected(response, body, wrong, facts, clock.now())
      : gatewayError(response, body, facts, clock.now())
  } catch (cause) {
    if (cause instanceof WigwagError) throw cause
    facts.uncertain ||= isLate || !wasNeverConnected(cause)
    if (signal?.aborted) throw aborted(facts, signal)
    throw isLate
      ? new TimeoutError(late, facts, { cause })
      : new ConnectionError(reasonOf(cause), facts, { cause })
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
  }
}

export function aborted(facts: CallFacts, { reason }: AbortSignal): AbortedError {
  return new AbortedError('aborted by your signal', facts, { cause: reason })
}

/** Whether a failed `fetch` certainly sent nothing, by the runtime's error code. Without a code it is uncertain. */
function wasNeverConnected(error: unknown): boolean {
  const code = isRecord(error) && (error.code ?? (isRecord(error.cause) && error.cause.code))
  return /REFUSED|NOTFOUND|EAI_AGAIN|CONNECT_TIMEOUT/i.test(`${code}`)
}

/** Why a `fetch` failed, in the words of the runtime: the innermost are about the connection. */
function reasonOf(error: unknown): string {
  let reason = ''
  for (let at = error; isRecord(at); at = at.cause ?? [at.errors].flat()[0]) {
    if (typeof at.message === 'string') reason = at.message || reason
  }
  return reason || 'the connection failed'
}
