import { extendLeases } from '../flow/jobs/outbox.ts'
import { type EpochMs, epochMs } from '../kernel/ids.ts'
import type { Clock } from '../kernel/process/clock.ts'
import type { Database, Tx } from '../store/database.ts'
import { addToSetting, aheadOf } from '../store/settings.ts'

interface Timer {
  /** On the scale of `elapsed() + ahead`. */
  dueAt: number
  work: () => void
  cancel: () => void
}

/** How soon another process notices a move. */
const EVERY_MS = 1_000

/** Opens the clock of a sandbox's database, on top of the real one. */
export async function openSandboxClock(
  database: Database,
  real: Clock,
  everyMs = EVERY_MS,
): Promise<SandboxClock> {
  return new SandboxClock(database, real, { ahead: await database.read(aheadOf), everyMs })
}

/** The clock of a sandbox: the real time plus what people have moved it forward. It never goes back. */
export class SandboxClock implements Clock {
  readonly #database: Database
  readonly #real: Clock
  readonly #timers = new Set<Timer>()
  #ahead: number
  #aheadSince: EpochMs | undefined
  readonly #following: NodeJS.Timeout
  /** The real time, for everything that programs outside compare with their own clocks. */
  readonly real: Pick<Clock, 'now'>
  /** The same time, with timers that no move shortens: for waits on a network. */
  readonly steady: Clock

  constructor(database: Database, real: Clock, { ahead, everyMs }: { ahead: number; everyMs: number }) {
    this.#database = database
    this.#real = real
    this.#ahead = ahead
    this.#aheadSince = ahead > 0 ? epochMs(0) : undefined
    this.real = real
    this.steady = { now: this.now, elapsed: this.elapsed, after: real.after }
    // In real time: a test that moves the time by days would otherwise wait for a poll every second.
    this.#following = setInterval(() => {
      // When the database is unreachable, others report it.
      database.read(aheadOf).then(
        (next) => this.#moveTo(next),
        () => undefined,
      )
    }, everyMs)
    this.#following.unref()
  }

  readonly now = (): EpochMs => epochMs(this.#real.now() + this.#ahead)

  readonly elapsed = (): number => this.#real.elapsed()

  readonly after = (delayMs: number, work: () => void): (() => void) => {
    const timer: Timer = {
      dueAt: this.#real.elapsed() + this.#ahead + Math.max(0, delayMs),
      work,
      cancel: () => undefined,
    }
    this.#timers.add(timer)
    this.#arm(timer)
    return () => {
      this.#timers.delete(timer)
      timer.cancel()
    }
  }

  /** How far it is ahead of the real time, in milliseconds. */
  ahead(): number {
    return this.#ahead
  }

  /** The real time of its first move: 0 where that was before this process, undefined where it was never moved. */
  aheadSince(): EpochMs | undefined {
    return this.#aheadSince
  }

  /** Moves the time forward for every process on the database. `record` runs in the same transaction. */
  async forward(ms: number, record: (tx: Tx) => Promise<void>): Promise<void> {
    if (!Number.isSafeInteger(ms) || ms <= 0) throw new RangeError(`expected a move forward, got ${ms} ms`)
    const next = await this.#database.write(async (tx) => {
      const moved = await addToSetting(tx, 'sandbox_clock', ms)
      const before = this.now()
      await extendLeases(tx, before, ms)
      await record(tx)
      return moved
    })
    this.#moveTo(next)
  }

  /** Stops following the other processes. Call it before the database is closed. */
  stop(): void {
    clearInterval(this.#following)
  }

  #moveTo(next: number): void {
    if (next <= this.#ahead) return
    this.#ahead = next
    this.#aheadSince ??= this.#real.now()
    const waiting = [...this.#timers].sort((a, b) => a.dueAt - b.dueAt)
    for (const timer of waiting) {
      timer.cancel()
      this.#arm(timer)
    }
  }

  #arm(timer: Timer): void {
    timer.cancel = this.#real.after(Math.max(0, timer.dueAt - this.#real.elapsed() - this.#ahead), () => {
      this.#timers.delete(timer)
      timer.work()
    })
  }
}
