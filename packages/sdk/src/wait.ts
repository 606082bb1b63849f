import { aborted } from './calls/attempt.ts'
import { isPassing, requestedPause } from './calls/retry.ts'
import type { Transport } from './calls/transport.ts'
import { checkNumber } from './check.ts'
import { type CallFacts, TimeoutError } from './errors.ts'
import type { Transaction } from './generated/models.ts'
import type { CallOptions } from './options.ts'
import { isFinal } from './status.ts'

/**
 * The options of `waitForFinal`.
 * @example
 * import { createClient, type WaitOptions } from '@wigwag/sdk'
 * const sms = createClient({ baseUrl: 'http://127.0.0.1:8080', accessToken: 'token' })
 * const patience: WaitOptions = { timeout: 30_000 }
 * const final = await sms.waitForFinal('01932c07-7e5d-7c3a-9f0e-2b6d5a1c8e4f', patience)
 */
export interface WaitOptions extends Pick<CallOptions, 'signal' | 'headers'> {
  /** Milliseconds to wait in total; 60,000 by default. */
  timeout?: number | undefined
}

/** Polls a transaction, with growing pauses, until it is final. Goes on after temporary failures. */
export async function waitForFinal(
  { call, clock }: Transport,
  ticket: string,
  { timeout = 60_000, ...options }: WaitOptions = {},
): Promise<Transaction> {
  checkNumber('timeout', timeout, { least: 0 })
  const operation = 'getTransactionStatus'
  const method = 'waitForFinal'
  const factsAfter = (attempts: number): CallFacts => ({
    operation,
    method,
    idempotencyKey: undefined,
    attempts,
    uncertain: false,
  })
  const end = clock.now() + timeout
  for (let attempts = 1, pause = 250; ; attempts++, pause = Math.min(pause * 1.5, 10_000)) {
    let failure: unknown
    try {
      const look = { ...options, retries: 0, timeout: 10_000 }
      const transaction = await call(operation, { path: ticket }, look, method)
      const { Status } = transaction
      if (isFinal(Status)) return transaction
      failure = new TimeoutError(`still ${Status} after ${timeout} ms`, factsAfter(attempts))
    } catch (error) {
      if (!isPassing(error)) throw error
      failure = error
    }
    const asked = requestedPause(failure)
    const left = end - clock.now()
    if (left <= asked) throw failure
    const { signal } = options
    await clock.sleep(Math.min(Math.max(pause, asked), left), signal).catch((reason) => {
      throw signal?.aborted ? aborted(factsAfter(attempts), signal) : reason
    })
  }
}
