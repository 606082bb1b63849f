import { Worker } from 'node:worker_threads'
import type { Clock, Pulse } from '../../kernel/process/clock.ts'
import type { Logger } from '../../kernel/process/log.ts'
import { SideThread, THREAD_LIMITS } from '../../kernel/process/side-thread.ts'
import { AddressGuard } from './address-guard.ts'
import { readTarget } from './connection-pool.ts'
import type { Network } from './outbound.ts'
import {
  failedBefore,
  failedDuring,
  type Outbound,
  type OutboundRequest,
  type OutboundResult,
  type TargetRefusal,
} from './port.ts'

/** A request, and the sockets that it goes by. */
export interface NetworkAsk {
  by: 'callbacks' | 'documents' | 'carriers'
  request: OutboundRequest
}

/** Next to this file, both in the sources and in the build. */
const THREAD = new URL(
  import.meta.url.endsWith('.ts') ? './network.thread.ts' : './network.thread.js',
  import.meta.url,
)

/**
 * The network in a thread beside the first one. While there is no thread, requests wait for it as they would for a
 * socket. A request that it had when it ended may have been sent.
 */
export class NetworkThread implements Pick<Network, keyof Network> {
  readonly callbacks = this.#by('callbacks')
  readonly documents = this.#by('documents')
  readonly carriers = this.#by('carriers')
  readonly thread: SideThread<NetworkAsk, OutboundResult>
  readonly #clock: Clock
  readonly #guard: AddressGuard

  constructor(
    parts: {
      /** No move of a sandbox's clock shortens its timers. */
      clock: Clock
      log: Pick<Logger, 'warn'>
      onFault(error: unknown): void
      pulse?: Pulse | undefined
    },
    allowed: ConstructorParameters<typeof AddressGuard>[0],
    open = () => new Worker(THREAD, { name: 'network', workerData: allowed, resourceLimits: THREAD_LIMITS }),
  ) {
    this.#clock = parts.clock
    this.#guard = new AddressGuard(allowed)
    this.thread = new SideThread(parts, {
      name: 'network',
      open,
      onUp() {},
      onEnd() {},
      onTold() {},
    })
  }

  readonly refusal: TargetRefusal = (url) => {
    const target = readTarget(url, this.#guard)
    return target.kind === 'failure' ? target.detail : undefined
  }

  readonly close = (): Promise<void> => this.thread.close()

  #by(by: NetworkAsk['by']): Outbound {
    return async (request) => {
      const ask = { by, request: sendable(request) }
      const beganAt = this.#clock.elapsed()
      for (;;) {
        const called = await this.thread.call(ask)
        if (called.kind === 'answered') return called.answer
        const latencyMs = this.#clock.elapsed() - beganAt
        if (called.kind === 'lost')
          return { ...failedDuring('connection_lost', 'the thread that sent it has ended'), latencyMs }
        if (await this.thread.whenUp(request.timeoutMs - latencyMs)) continue
        const why = this.thread.isClosing ? 'the gateway is closing' : 'the thread that sends has not started'
        return { ...failedBefore('connect_failed', why), latencyMs }
      }
    }
  }
}

/** Small buffers are parts of a large one, which would be copied whole. */
function sendable(request: OutboundRequest): OutboundRequest {
  const { body } = request
  return body instanceof Uint8Array ? { ...request, body: new Uint8Array(body) } : request
}
