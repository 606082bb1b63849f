import type { Clock } from '@wigwag/contract'
import type { ShortMessage } from '../codec/pdu.ts'

/** A connection that takes receipts. */
export interface Receiver {
  /** Whether it can take one more without an answer. */
  readonly ready: boolean
  deliver(receipt: ShortMessage): void
}

const MOST_WAITING = 100_000

/** The receipts for one system id, which any of its connections may take. Keeps them while none is there. */
export class Outbox {
  readonly #clock: Clock
  readonly #againMs: number
  readonly #receivers = new Set<Receiver>()
  readonly #timers = new Set<() => void>()
  #waiting: ShortMessage[] = []
  #head = 0

  constructor({ clock, againMs }: { clock: Clock; againMs: number }) {
    this.#clock = clock
    this.#againMs = againMs
  }

  join(receiver: Receiver): void {
    this.#receivers.add(receiver)
    this.flush()
  }

  /** The receipts that it has not acknowledged are brought to another connection. */
  leave(receiver: Receiver, unacknowledged: readonly ShortMessage[]): void {
    this.#receivers.delete(receiver)
    this.#waiting = [...unacknowledged, ...this.#waiting.slice(this.#head)]
    this.#head = 0
    this.flush()
  }

  post(receipt: ShortMessage): void {
    if (this.#waiting.length - this.#head >= MOST_WAITING) this.#head++
    this.#waiting.push(receipt)
    this.flush()
  }

  /** Brings a receipt again after a while, because the other side asked for that. */
  postpone(receipt: ShortMessage): void {
    const cancel = this.#clock.after(this.#againMs, () => {
      this.#timers.delete(cancel)
      this.post(receipt)
    })
    this.#timers.add(cancel)
  }

  /** Brings what waits to those that are ready. */
  flush(): void {
    for (const receiver of this.#receivers) {
      while (this.#head < this.#waiting.length && receiver.ready) {
        const receipt = this.#waiting[this.#head++]
        if (receipt) receiver.deliver(receipt)
      }
    }
    if (this.#head === this.#waiting.length || this.#head > 1_000) {
      this.#waiting = this.#waiting.slice(this.#head)
      this.#head = 0
    }
  }

  close(): void {
    for (const cancel of this.#timers) cancel()
    this.#timers.clear()
  }
}
