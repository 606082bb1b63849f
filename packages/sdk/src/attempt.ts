import type { Answer } from './call.ts'
import { type CallFacts, ConnectionError, TimeoutError, WigwagError } from './errors.ts'
import type { Clock } from './options.ts'
import { gatewayError, isRecord } from './problem.ts'

/** Makes the request; calls `leaving` when it is handed to the network. */
type Send = (signal: AbortSignal, leaving: () => void) => Promise<{ error?: unknown; response: Response }>

/**
 * Makes one request and reads its answer, within the time that it may take. Says what went wrong in our terms, and
 * notes in the call's facts when the request may have been carried out all the same.
 */
export async function attempt<Data>(
  send: Send,
  facts: CallFacts,
  timeout: number,
  signal: AbortSignal | undefined,
  clock: Clock,
): Promise<Answer<Data>> {
  signal?.throwIfAborted()
  const controller = new AbortController()
  const stop = () => controller.abort()
  let isLate = false
  let hasLeft = false
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
    const { error, response } = await send(controller.signal, () => {
      hasLeft = true
    })
    if (!response.ok) throw gatewayError(response, error, facts, clock.now())
    const text = await response.text()
    try {
      return { data: JSON.parse(text), response }
    } catch {
      // It broke off, or something before the gateway wrote it.
      throw gatewayError(response, text, facts, clock.now())
    }
  } catch (cause) {
    if (signal?.aborted) throw signal.reason
    // What fails before anything left is a mistake in the call, such as a header that can't be written.
    if (!hasLeft || cause instanceof WigwagError) throw cause
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
  const codes = [error, isRecord(error) && error.cause].map((one) => isRecord(one) && one.code)
  return /REFUSED|NOTFOUND|EAI_AGAIN|CONNECT_TIMEOUT/i.test(codes.join())
}
