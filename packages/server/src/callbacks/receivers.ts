import { backoff, MINUTE_MS, SECOND_MS } from '../kernel/time/spans.ts'

/** How many callbacks may be under way in a process. */
export const PLACES = 512
/** An account may have as many places as stay free, so one alone has half of them; and so many in any case. */
const LEAST_OF_AN_ACCOUNT = 32
/** As many as find out that its receivers answer again. */
const MOST_WHILE_SILENT = 8
/** At most so many accounts or receivers are remembered; then all are forgotten, and get another chance. */
const MOST_REMEMBERED = 10_000

/**
 * Decides how many of the places an account may use, so that its receivers don't hold up those of others. By account and
 * not by host: one receiver may have many names, and one host may be the receiver of many accounts.
 */
export class ReceiverShare {
  readonly #silent = new Set<string>()

  /** How many more callbacks an account may begin, given how many of its own, and of all accounts, are under way. */
  of(accountId: string, { own, all }: { own: number; all: number }): number {
    if (this.#silent.has(accountId)) return MOST_WHILE_SILENT - own
    // Takes x so that the account then has as many places as stay free: own + x = PLACES - all - x.
    return Math.max(Math.ceil((PLACES - all - own) / 2), LEAST_OF_AN_ACCOUNT - own)
  }

  /** Records whether a receiver of the account answered in time. */
  answered(accountId: string, inTime: boolean): void {
    if (inTime) return void this.#silent.delete(accountId)
    if (this.#silent.size >= MOST_REMEMBERED) this.#silent.clear()
    this.#silent.add(accountId)
  }
}

/** A receiver is gone when this many of its answers in a row were 410: one may be about one path alone. */
const GONE_AFTER = 3
/** How long it is left alone then; twice as long after each 410 that follows, up to a limit. */
const FIRST_PAUSE_MS = 5 * SECOND_MS
const LONGEST_PAUSE_MS = 5 * MINUTE_MS

/** A receiver that answered 410 Gone recently. */
interface Gone {
  inARow: number
  /** By the elapsed time of this process. */
  until: number
  /** Whether the one post that asks again is under way. */
  asking: boolean
}

/**
 * Leaves receivers alone that keep answering 410 Gone. After a pause one post asks again: another 410 doubles the pause,
 * and any other result ends it. A receiver is a host for one account: its answers to one customer say nothing about
 * others.
 */
export class GoneReceivers {
  readonly #elapsed: () => number
  readonly #known = new Map<string, Gone>()

  constructor(elapsed: () => number) {
    this.#elapsed = elapsed
  }

  /** Whether a callback may be posted to a receiver now. If so, {@link answered} must follow. */
  mayPost(receiver: string): boolean {
    const gone = this.#known.get(receiver)
    if (!gone || gone.inARow < GONE_AFTER) return true
    if (gone.asking || this.#elapsed() < gone.until) return false
    gone.asking = true
    return true
  }

  answered(receiver: string, isGone: boolean): void {
    if (!isGone) return void this.#known.delete(receiver)
    if (this.#known.size >= MOST_REMEMBERED) this.#known.clear()
    const before = this.#known.get(receiver) ?? { inARow: 0, until: 0 }
    // Posts that were under way when the pause began don't make it longer.
    if (this.#elapsed() < before.until) return
    const inARow = before.inARow + 1
    const pauses = inARow - GONE_AFTER + 1
    const until = pauses < 1 ? 0 : this.#elapsed() + backoff(pauses, FIRST_PAUSE_MS, LONGEST_PAUSE_MS)
    this.#known.set(receiver, { inARow, until, asking: false })
  }

  /** How much longer a receiver is left alone. */
  pauseMs(receiver: string): number {
    return Math.max(0, (this.#known.get(receiver)?.until ?? 0) - this.#elapsed())
  }
}
