import type { Clock } from '@wigwag/contract'
import type { ShortMessage } from '../codec/pdu.ts'

/** A connection that takes receipts. */
export interface Receiver {
  /** Whether it can take one more without an answer. */
  readonly ready: boolean
  deliver(receipt: ShortMessage): void
}

/** The receipts for one system id, which any of its connections may take. Keeps them while none is there. */
export interface Outbox {
  join(receiver: Receiver): void
  /** The receipts that it has not acknowledged are brought to another connection. */
  leave(receiver: Receiver, unacknowledged: readonly ShortMessage[]): void
  post(receipt: ShortMessage): void
  /** Brings a receipt again after a while, because the other side asked for that. */
  postpone(receipt: ShortMessage): void
  /** Brings what waits to those that are ready. */
  flush(): void
  close(): void
}

const MOST_WAITING = 100_000

export function createOutbox({ clock, againMs }: { clock: Clock; againMs: number }): Outbox {
  const receivers = new Set<Receiver>()
  const timers = new Set<() => void>()
  let waiting: ShortMessage[] = []
  let head = 0

  function flush(): void {
    for (const receiver of receivers) {
      while (head < waiting.length && receiver.ready) {
        const receipt = waiting[head++]
        if (receipt) receiver.deliver(receipt)
      }
    }
    if (head === waiting.length || head > 1_000) {
      waiting = waiting.slice(head)
      head = 0
    }
  }

  function post(receipt: ShortMessage): void {
    if (waiting.length - head >= MOST_WAITING) head++
    waiting.push(receipt)
    flush()
  }

  return {
    join(receiver) {
      receivers.add(receiver)
      flush()
    },
    leave(receiver, unacknowledged) {
      receivers.delete(receiver)
      waiting = [...unacknowledged, ...waiting.slice(head)]
      head = 0
      flush()
    },
    post,
    postpone(receipt) {
      const cancel = clock.after(againMs, () => {
        timers.delete(cancel)
        post(receipt)
      })
      timers.add(cancel)
    },
    flush,
    close() {
      for (const cancel of timers) cancel()
      timers.clear()
    },
  }
}
