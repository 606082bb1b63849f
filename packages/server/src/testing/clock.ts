import { type EpochMs, epochMs } from '../kernel/ids.ts'
import type { Clock } from '../kernel/process/clock.ts'

/** A clock that moves only when told to. */
export interface MovedClock extends Clock {
  /** When the next timer is due; undefined when none waits. */
  nextTimer(): EpochMs | undefined
  /** Moves to a time and runs the timers that are due by then, in order. */
  moveTo(time: EpochMs): void
}

interface Timer {
  at: number
  work: () => void
}

export function createMovedClock(start: EpochMs): MovedClock {
  let now = start
  const timers = new Set<Timer>()
  const earliest = () =>
    [...timers].reduce<Timer | undefined>((a, b) => (a && a.at <= b.at ? a : b), undefined)

  return {
    now: () => now,
    elapsed: () => now - start,
    after(delayMs, work) {
      const timer = { at: now + Math.ceil(Math.max(0, delayMs)), work }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    nextTimer() {
      const timer = earliest()
      return timer && epochMs(timer.at)
    },
    moveTo(time) {
      if (time < now) throw new RangeError('expected a time that is not before the current one')
      now = time
      for (let timer = earliest(); timer && timer.at <= now; timer = earliest()) {
        timers.delete(timer)
        timer.work()
      }
    },
  }
}

/** A time that is waited for. */
interface Target {
  at: EpochMs
  /** Whether a program sleeps until then, and goes on by itself. */
  isSleep: boolean
  reached(): void
  failed(error: unknown): void
}

/**
 * Lets time pass on a clock that stands still: as far as somebody waits for it, through every timer on the way. All who
 * wait at once are on one line, so that time never goes back, and two seconds that are waited for together are not four.
 */
export class TimeLapse {
  readonly #clock: MovedClock
  readonly #idle: (hasSleepers: boolean) => boolean
  readonly #turn: () => Promise<unknown>
  readonly #targets = new Set<Target>()
  #isMoving = false
  #isOver = false

  /**
   * `idle` says whether the gateway has nothing to do before some later time; it is told whether a program sleeps, which
   * the gateway may be waiting for. A turn takes real time where a gateway waits for a disk or a server.
   */
  constructor(
    clock: MovedClock,
    idle: (hasSleepers: boolean) => boolean,
    turn = () => new Promise<unknown>(setImmediate),
  ) {
    this.#clock = clock
    this.#idle = idle
    this.#turn = turn
  }

  /** Resolves when the gateway has had nothing to do for several turns of the event loop. */
  readonly quiet = async (): Promise<void> => {
    for (let turns = 0; turns < 5 && !this.#isOver; turns = this.#isIdle() ? turns + 1 : 0) await this.#turn()
  }

  /** Moves the time on, and resolves when all that was due has been done. */
  readonly advance = async (ms: number): Promise<void> => {
    if (ms < 0) throw new RangeError('expected a time that is not before the current one')
    await this.#reach(epochMs(this.#clock.now() + ms), false)
  }

  /** A pause of a program: the time moves on to its end. Rejects with the signal's reason if it aborts first. */
  readonly sleep = async (ms: number, signal?: AbortSignal): Promise<void> => {
    signal?.throwIfAborted()
    await this.#reach(epochMs(this.#clock.now() + Math.ceil(ms)), true, signal)
  }

  /** Lets go of all who wait. From now on the time stands still, and nobody waits for it. */
  readonly end = (): void => {
    this.#isOver = true
    for (const { reached } of this.#targets) reached()
    this.#targets.clear()
  }

  #reach(at: EpochMs, isSleep: boolean, signal?: AbortSignal): Promise<void> {
    if (this.#isOver) return Promise.resolve()
    return new Promise((resolve, reject) => {
      const stop = () => {
        this.#targets.delete(target)
        reject(signal?.reason)
      }
      const end = () => signal?.removeEventListener('abort', stop)
      const target: Target = {
        at,
        isSleep,
        reached() {
          end()
          resolve()
        },
        failed(error) {
          end()
          reject(error)
        },
      }
      signal?.addEventListener('abort', stop)
      this.#targets.add(target)
      if (!this.#isMoving) void this.#move()
    })
  }

  /** Goes from timer to timer until nobody waits for a later time. */
  async #move(): Promise<void> {
    this.#isMoving = true
    try {
      while (this.#targets.size > 0) {
        await this.quiet()
        const now = this.#clock.now()
        const reached = [...this.#targets].filter(({ at }) => at <= now)
        for (const target of reached) {
          this.#targets.delete(target)
          target.reached()
        }
        const times = [...this.#targets].map(({ at }) => at)
        // A program that has slept does its work at this time.
        if (reached.length > 0 || times.length === 0) continue
        this.#clock.moveTo(epochMs(Math.min(...times, this.#clock.nextTimer() ?? Number.POSITIVE_INFINITY)))
      }
    } catch (error) {
      for (const { failed } of this.#targets) failed(error)
      this.#targets.clear()
    } finally {
      this.#isMoving = false
    }
  }

  #isIdle(): boolean {
    return this.#idle([...this.#targets].some(({ isSleep }) => isSleep))
  }
}
