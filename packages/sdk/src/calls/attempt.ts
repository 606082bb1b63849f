import { type CallFacts, ConnectionError, TimeoutError, WigwagError } from '../errors.ts'
import type { Clock } from '../options.ts'
import type { Answer } from './call.ts'
import { gatewayError, isRecord } from './problem.ts'

/**
 * Makes one request and reads its response within the time limit. Throws our errors, and sets `uncertain` in the call's
 * facts when a failed request may have been carried out.
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
      const data = JSON.parse(text)
      if (response.ok) return { data, response }
      body = data
    } catch {}
    // An error status, or a success without JSON: cut off, or written by a proxy.
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

/** Whether a failed `fetch` certainly sent nothing, by the runtime's error code. Without a code it is uncertain. */
function wasNeverConnected(error: unknown): boolean {
  const code = isRecord(error) && (error.code ?? (isRecord(error.cause) && error.cause.code))
  return /REFUSED|NOTFOUND|EAI_AGAIN|CONNECT_TIMEOUT/i.test(`${code}`)
}
