import { around, type Carrier } from '../delivery/index.ts'
import { Problem } from '../kernel/errors.ts'
import type { Principal } from '../kernel/principal.ts'
import type { Clock } from '../kernel/process/clock.ts'
import type { Logger } from '../kernel/process/log.ts'
import type { Outbound } from '../net/outbound/port.ts'
import { type FaultSettings, faultsInWords, NO_FAULTS } from './fault-settings.ts'

/** The limit on a caller's requests: headers for the response, or a thrown problem. */
export type Limit = (principal: Principal) => Record<string, string>

const SOON = { 'retry-after': '1' }
const USED_UP = { ratelimit: '"default";r=0;t=1', 'ratelimit-policy': '"default";q=1;w=1' }
const REPLY = new TextEncoder().encode('The sandbox answered in place of the receiver: a fault is on.')

/** Faults that people switch on to test their programs. In memory: a restart ends them. */
export class Faults {
  readonly #clock: Clock
  readonly #log: Logger
  readonly #random: () => number
  #settings = NO_FAULTS
  /** Ends the pauses that are under way. */
  readonly #pauses = new Set<() => void>()

  constructor({ clock, log, random }: { clock: Clock; log: Logger; random(): number }) {
    this.#clock = clock
    this.#log = log
    this.#random = random
  }

  settings(): FaultSettings {
    return this.#settings
  }

  set(settings: FaultSettings): void {
    this.#change(settings)
    this.#log.warn({ fault: faultsInWords(settings) }, 'the faults of the sandbox were set')
  }

  /** Switches all faults off, and releases what waits for them. */
  end(): void {
    this.#change(NO_FAULTS)
  }

  /** How many submissions and callbacks a fault keeps waiting for time to pass. */
  keptWaiting(): number {
    return this.#pauses.size
  }

  /**
   * A carrier that is slow and loses receipts. A lost one was acknowledged, so it does not come again; a
   * carrier that can be asked still tells the outcome later.
   */
  aroundCarrier(carrier: Carrier): Carrier {
    return around(carrier, {
      submit: async (message) => {
        const { slowMs } = this.#settings
        if (slowMs !== undefined) {
          this.#note('carrier takes longer', { ticket: message.ticket, slowMs })
          await this.#pause(slowMs)
        }
        return carrier.submit(message)
      },
      start: (events) =>
        carrier.start({
          ...events,
          onReceipts: (receipts) => {
            const { lostPercent } = this.#settings
            if (lostPercent === undefined) return events.onReceipts(receipts)
            const arrived = receipts.filter(() => this.#random() * 100 >= lostPercent)
            if (arrived.length < receipts.length)
              this.#note('receipts get lost', { lost: receipts.length - arrived.length })
            return arrived.length > 0 ? events.onReceipts(arrived) : Promise.resolve()
          },
        }),
    })
  }

  /** Callback receivers that fail. Nothing is posted to them meanwhile. */
  aroundReceivers(outbound: Outbound): Outbound {
    return async (request) => {
      const { receivers } = this.#settings
      if (receivers === undefined) return outbound(request)
      const began = this.#clock.elapsed()
      this.#note(`receivers ${receivers}`, { callback: request.headers['webhook-id'] })
      if (receivers !== 'time out')
        return {
          kind: 'reply',
          status: Number(receivers),
          headers: {},
          body: REPLY,
          truncated: false,
          latencyMs: this.#clock.elapsed() - began,
        }
      await this.#pause(request.timeoutMs)
      return {
        kind: 'failure',
        stage: 'during',
        failure: 'timeout',
        detail: 'the sandbox kept the request back: a fault is on',
        latencyMs: this.#clock.elapsed() - began,
      }
    }
  }

  /** A gateway that is too busy, or away. Its problems and headers are the real ones. */
  aroundLimit(limit: Limit | undefined): Limit {
    return (principal) => {
      const { gateway } = this.#settings
      if (gateway !== undefined) this.#note(`gateway ${gateway}`, { client: principal.clientId })
      if (gateway === '429')
        throw new Problem('rate_limited', 'A fault of the sandbox is on; go on in a second.', {
          headers: { ...USED_UP, ...SOON },
        })
      if (gateway === '503')
        throw new Problem('unavailable', 'A fault of the sandbox is on; repeat the request in a moment.', {
          headers: SOON,
        })
      return limit?.(principal) ?? {}
    }
  }

  #change(next: FaultSettings): void {
    this.#settings = next
    for (const end of [...this.#pauses]) end()
  }

  /** Waits on the sandbox's clock. Resolves early when the faults change. */
  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#clock.after(ms, () => end())
      const end = () => {
        cancel()
        this.#pauses.delete(end)
        resolve()
      }
      this.#pauses.add(end)
    })
  }

  /** Marks in the log what a fault did. */
  #note(fault: string, detail: Record<string, unknown>): void {
    this.#log.info({ fault, ...detail }, 'a fault did this on purpose')
  }
}
