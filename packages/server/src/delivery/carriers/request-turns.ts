import type { Clock } from '../../platform/clock.ts'

export interface TurnsOptions {
  clock: Clock
  /** Requests at a time. */
  window: number
  /** Requests a second; 0 for no limit. */
  tps: number
  /** How long a request may wait for its turn. */
  waitMs: number
}

/** `late`: the turn did not come in time. Text: why nothing is sent now. */
export type Turn = { kind: 'go' } | { kind: 'later'; reason: string }

export interface Turns {
  /** How many more requests would soon get a turn. */
  free(): number
  running(): number
  /** Whether nothing runs or waits for its turn. */
  isIdle(): boolean
  /** Waits for a turn. A caller that may go must call `leave` afterwards. */
  enter(): Promise<Turn>
  leave(): void
  /** Tells those that wait to come later. */
  sendAway(reason: string): void
}

interface Waiter {
  resolve(turn: Turn): void
}

/** A timer fires late by some milliseconds. Turns that were missed meanwhile are given at once, up to this long ago. */
const CATCH_UP_MS = 50

/** Gives requests their turns: no more than `window` at a time and `tps` a second. */
export function createTurns({ clock, window, tps, waitMs }: TurnsOptions): Turns {
  // What could not be sent within half a second is better left in the outbox, where others may come before it.
  const capacity = tps === 0 ? window : Math.min(window, Math.ceil(tps / 2))
  const waiting = new Set<Waiter>()
  let running = 0
  let nextAt = Number.NEGATIVE_INFINITY
  let isTimed = false

  function pump(): void {
    for (const waiter of waiting) {
      if (running >= window) return
      const wait = untilNext()
      if (wait > 0) {
        pumpAfter(wait)
        return
      }
      running += 1
      waiter.resolve({ kind: 'go' })
    }
  }

  /** Milliseconds until the next turn; takes it when it is due. */
  function untilNext(): number {
    if (tps === 0) return 0
    const now = clock.elapsed()
    if (nextAt > now) return nextAt - now
    nextAt = (now - nextAt > CATCH_UP_MS ? now : nextAt) + 1_000 / tps
    return 0
  }

  function pumpAfter(ms: number): void {
    if (isTimed) return
    isTimed = true
    clock.after(Math.ceil(ms), () => {
      isTimed = false
      pump()
    })
  }

  return {
    free: () => Math.max(0, capacity - running - waiting.size),
    running: () => running,
    isIdle: () => running + waiting.size === 0,

    enter() {
      return new Promise((resolve) => {
        const late = clock.after(waitMs, () =>
          waiter.resolve({ kind: 'later', reason: 'the carrier is busy' }),
        )
        const waiter: Waiter = {
          resolve(turn) {
            waiting.delete(waiter)
            late()
            resolve(turn)
          },
        }
        waiting.add(waiter)
        pump()
      })
    },

    leave() {
      running -= 1
      pump()
    },

    sendAway(reason) {
      for (const waiter of waiting) waiter.resolve({ kind: 'later', reason })
    },
  }
}
