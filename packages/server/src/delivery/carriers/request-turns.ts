import type { Clock } from '../../platform/clock.ts'

export interface TurnsOptions {
  clock: Clock
  /** Requests at a time. */
  window: number
  /** Requests a second; 0 for no limit. */
  tps: number
  /** How long a request may wait for its turn. */
  waitMs: number
  /** Called when a good part of the turns is free again, after a caller saw that none was. */
  onFree(): void
}

/** `late`: the turn did not come in time. Text: why nothing is sent now. */
export type Turn = { kind: 'go' } | { kind: 'later'; reason: string }

export interface Turns {
  /** How many more requests would get a turn at once, or as good as that. */
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

/** A request waits here at most this long. In the outbox others may come before it, and it does not count as handed over. */
const AHEAD_MS = 100

/** Gives requests their turns: no more than `window` at a time and `tps` a second. */
export function createTurns({ clock, window, tps, waitMs, onFree }: TurnsOptions): Turns {
  /** Enough for the caller to fetch more: that has a price. */
  const enough = Math.max(1, Math.min(window, tps === 0 ? window : (tps * AHEAD_MS) / 1_000) / 4)
  const waiting = new Set<Waiter>()
  let running = 0
  let nextAt = Number.NEGATIVE_INFINITY
  let isTimed = false
  /** Whether the caller has seen that no turn is free, so that it waits to be told. */
  let isFull = false

  function pump(): void {
    for (const waiter of waiting) {
      if (running >= window) break
      const wait = untilNext()
      if (wait > 0) {
        pumpAfter(wait)
        break
      }
      running += 1
      waiter.resolve({ kind: 'go' })
    }
    tell()
  }

  /** How many turns are free, and come soon. */
  function free(): number {
    return Math.max(0, Math.min(window - running, near()) - waiting.size)
  }

  function near(): number {
    if (tps === 0) return Number.POSITIVE_INFINITY
    const spare = AHEAD_MS - Math.max(0, nextAt - clock.elapsed())
    return spare < 0 ? 0 : Math.floor((spare * tps) / 1_000) + 1
  }

  function tell(): void {
    if (!isFull) return
    if (near() === 0) pumpAfter(nextAt - clock.elapsed() - AHEAD_MS)
    if (free() < enough) return
    isFull = false
    onFree()
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
    free() {
      isFull = free() === 0
      tell()
      return free()
    },
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
