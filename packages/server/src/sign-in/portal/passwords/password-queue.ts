import { once } from 'node:events'
import { performance } from 'node:perf_hooks'
import { Worker } from 'node:worker_threads'
import type { Clock } from '../../../kernel/process/clock.ts'
import { SECOND_MS } from '../../../kernel/time/spans.ts'

/** When busy, a place then stays empty for this many times as long as it was taken. */
const RESTS = 6
const LONGEST_REST_MS = 2 * SECOND_MS

/** Hashing a password takes much memory and a whole processor core, so few run at once and few may wait, in order. */
export class PasswordQueue {
  readonly #own: { atOnce: number; waiting: number; clock: Clock; busy(): boolean }
  readonly #queue: (() => void)[] = []
  #running = 0

  constructor(own: {
    atOnce: number
    waiting: number
    clock: Clock
    /** Whether the event loop is saturated with other work. */
    busy(): boolean
  }) {
    this.#own = own
  }

  /** Runs work when it is its turn. Undefined, without running it, when too many wait already. */
  async run<T>(work: () => Promise<T>): Promise<T | undefined> {
    const { atOnce, waiting, clock, busy } = this.#own
    if (this.#running < atOnce) this.#running++
    else if (this.#queue.length >= waiting) return undefined
    else await new Promise<void>((resolve) => this.#queue.push(resolve))
    const began = clock.elapsed()
    try {
      return await work()
    } finally {
      // This caller is answered at once; only those behind it wait.
      const restMs = busy() ? Math.min(RESTS * (clock.elapsed() - began), LONGEST_REST_MS) : 0
      if (restMs > 0) clock.after(restMs, () => this.#leave())
      else this.#leave()
    }
  }

  /** Passes the place to the next in the queue rather than freeing it, so that a newcomer can't overtake. */
  #leave(): void {
    const next = this.#queue.shift()
    if (next) next()
    else this.#running--
  }
}

/** Too many passwords wait already, or another one is being set for the same person or by the same link. */
export interface Busy {
  kind: 'busy'
}

/**
 * Hashes passwords that are about to be set, in the queue of those that are checked: one at a time for a person and for
 * a link, so that nobody fills it alone.
 */
export class NewPasswords {
  readonly #queue: PasswordQueue
  readonly #hash: HashPassword
  /** Persons and links for which one is being set. */
  readonly #underWay = new Set<string>()

  constructor(queue: PasswordQueue, hash: HashPassword = hashAside) {
    this.#queue = queue
    this.#hash = hash
  }

  /** Runs work that sets a password, for a person or by a link. It hashes once it knows that the password may be set. */
  async set<T>(
    whose: string,
    password: string,
    work: (hashed: () => Promise<string>) => Promise<T>,
  ): Promise<T | Busy> {
    if (this.#underWay.has(whose)) return { kind: 'busy' }
    this.#underWay.add(whose)
    try {
      return await work(() => this.#hashed(password))
    } catch (error) {
      if (error instanceof QueueIsFull) return { kind: 'busy' }
      throw error
    } finally {
      this.#underWay.delete(whose)
    }
  }

  async #hashed(password: string): Promise<string> {
    const hash = await this.#queue.run(() => this.#hash(password))
    if (hash === undefined) throw new QueueIsFull()
    return hash
  }
}

/** Ends the work. */
class QueueIsFull extends Error {}

const SAMPLE_MS = 50
const SATURATED = 0.9

/** Tells whether the event loop was recently saturated: then any extra work delays requests that are under way. */
export class Saturation {
  #from = performance.eventLoopUtilization()
  #sampledAt = performance.now()
  #saturated = false

  isSaturated(): boolean {
    const now = performance.now()
    if (now - this.#sampledAt >= SAMPLE_MS) {
      this.#saturated = performance.eventLoopUtilization(this.#from).utilization > SATURATED
      this.#from = performance.eventLoopUtilization()
      this.#sampledAt = now
    }
    return this.#saturated
  }
}

/** The message to a thread: a password to hash, or one to compare with what is stored. */
export type PasswordWork = { hash: string } | { verify: string; stored: string }

/** Whether a password matches a stored one. */
export type VerifyPassword = (password: string, stored: string) => Promise<boolean>

/** Hashes a password for storage. */
export type HashPassword = (password: string) => Promise<string>

/** Next to this file, both in the source and in the build. */
const THREAD = new URL(
  import.meta.url.endsWith('.ts') ? './password.thread.ts' : './password.thread.js',
  import.meta.url,
)

/** Of the process, whichever of its gateways started them. */
const free: Worker[] = []

export const verifyAside: VerifyPassword = async (verify, stored) =>
  (await inThread({ verify, stored })) === true

export const hashAside: HashPassword = async (password) => String(await inThread({ hash: password }))

/**
 * Works in a thread of low priority. In Node's own thread pool, it would take processor time from requests that are
 * under way, and pages that are compressed and hosts that are looked up would wait for it. A thread is started when none
 * is free, and kept.
 */
async function inThread(work: PasswordWork): Promise<unknown> {
  const thread = free.pop() ?? new Worker(THREAD)
  thread.ref()
  thread.postMessage(work)
  // Rejects when the thread fails, which ends it.
  const [result] = await once(thread, 'message')
  thread.unref()
  free.push(thread)
  return result
}
