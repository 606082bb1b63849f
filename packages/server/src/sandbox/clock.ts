import { type EpochMs, epochMs } from '../domain/ids.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database, Tx } from '../platform/database/database.ts'
import { addToSetting, readSetting } from '../platform/database/settings.ts'
import { extendLeases } from '../platform/jobs/outbox.ts'

/** The clock of a sandbox: the real time plus what people have moved it forward. It never goes back. */
export interface SandboxClock extends Clock {
  /** How far it is ahead of the real time, in milliseconds. */
  ahead(): number
  /** The real time of its first move: 0 where that was before this process, undefined where nobody has moved it. */
  aheadSince(): EpochMs | undefined
  /** The real time, for everything that programs outside compare with their own clocks. */
  readonly real: Pick<Clock, 'now'>
  /** The same time, with timers that no move shortens: for waits on a network. */
  readonly steady: Clock
  /** Moves the time forward for every process on the database. `record` runs in the same transaction. */
  forward(ms: number, record: (tx: Tx) => Promise<void>): Promise<void>
}

export interface FollowedSandboxClock {
  clock: SandboxClock
  /** Stops following the other processes. Call it before the database is closed. */
  stop(): void
}

interface Timer {
  /** On the scale of `elapsed() + ahead`. */
  dueAt: number
  work: () => void
  cancel: () => void
}

/** How soon another process notices a move. */
const EVERY_MS = 1_000

/** How far the clock of a sandbox's database is ahead of the real time. */
export async function aheadOf(tx: Tx): Promise<number> {
  return Number((await readSetting(tx, 'sandbox_clock')) ?? 0)
}

/** The clock of a sandbox's database, on top of the real one. */
export async function createSandboxClock(
  database: Database,
  real: Clock,
  everyMs = EVERY_MS,
): Promise<FollowedSandboxClock> {
  const timers = new Set<Timer>()
  let ahead = await database.read(aheadOf)
  let aheadSince = ahead > 0 ? epochMs(0) : undefined
  const now = () => epochMs(real.now() + ahead)

  function arm(timer: Timer): void {
    timer.cancel = real.after(Math.max(0, timer.dueAt - real.elapsed() - ahead), () => {
      timers.delete(timer)
      timer.work()
    })
  }

  function moveTo(next: number): void {
    if (next <= ahead) return
    ahead = next
    aheadSince ??= real.now()
    const waiting = [...timers].sort((a, b) => a.dueAt - b.dueAt)
    for (const timer of waiting) {
      timer.cancel()
      arm(timer)
    }
  }

  // In real time: a test that moves the time by days would otherwise wait for a poll every second.
  const following = setInterval(() => {
    // When the database is unreachable, others report it.
    database.read(aheadOf).then(moveTo, () => undefined)
  }, everyMs)
  following.unref()

  const clock: SandboxClock = {
    now,
    elapsed: real.elapsed,
    after(delayMs, work) {
      const timer: Timer = {
        dueAt: real.elapsed() + ahead + Math.max(0, delayMs),
        work,
        cancel: () => undefined,
      }
      timers.add(timer)
      arm(timer)
      return () => {
        timers.delete(timer)
        timer.cancel()
      }
    },
    ahead: () => ahead,
    aheadSince: () => aheadSince,
    real,
    steady: { now, elapsed: real.elapsed, after: real.after },
    async forward(ms, record) {
      if (!Number.isSafeInteger(ms) || ms <= 0) throw new RangeError(`expected a move forward, got ${ms} ms`)
      const next = await database.write(async (tx) => {
        const moved = await addToSetting(tx, 'sandbox_clock', ms)
        const before: EpochMs = now()
        await extendLeases(tx, before, ms)
        await record(tx)
        return moved
      })
      moveTo(next)
    },
  }
  return { clock, stop: () => clearInterval(following) }
}
