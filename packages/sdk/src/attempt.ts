import type { Answer } from './call.ts'
import { type CallFacts, ConnectionError, TimeoutError, WigwagError } from './errors.ts'
import type { Clock } from './options.ts'
import { gatewayError, isRecord } from './problem.ts'

/**
 * Makes one request and reads its answer, within the time that it may take. Says what went wrong in our terms, and
 * notes in the call's facts when the request may have been carried out all the same.
 */
export async function attempt<Data>(
  send: (signal: AbortSignal) => Response | Promise<Response>,
  facts: CallFacts,
  timeout: number,
  signal: AbortSignal | undefined,
  clock: Clock,
): Promise<Answer<Data>> {
  signal?.throwIfAborted()
  let isLate = false
  const controller = new AbortController()
  const stop = () => controller.abort()
  // A longer time would overflow the timer, which then fires at once.
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
      const data = JSON.parse(text)
      if (response.ok) return { data, response }
      body = data
    } catch {}
    // An error, or an answer that broke off or that something before the gateway wrote.
    throw gatewayError(response, body, facts, clock.now())
  } catch (cause) {
    if (signal?.aborted) throw signal.reason
    if (cause instanceof WigwagError) throw cause
    facts.uncertain ||= isLate || !wasNeverConnected(cause)
    throw isLate
      ? new TimeoutError(`no answer within ${timeout} ms`, facts, { cause })
      : new ConnectionError('connection failed', facts, { cause })
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
  }
}

/** Whether a failed `fetch` surely sent nothing. Runtimes say so by a code; one that says nothing leaves the doubt. */
function wasNeverConnected(error: unknown): boolean {
  const code = isRecord(error) && (error.code ?? (isRecord(error.cause) && error.cause.code))
  return /REFUSED|NOTFOUND|EAI_AGAIN|CONNECT_TIMEOUT/i.test(`${code}`)
}
