import type { Notices } from '../store/database.ts'

const EVERY_MS = 200
const LINGER_MS = 10_000
const AGAIN_MS = 2_000

/**
 * Tells pages that something of a topic, such as a wallet, has changed. Never what. Times are real ones and not the
 * injected clock's: tests that move time must not affect when pages are told.
 */
export class Changes {
  readonly #notices: Notices | undefined
  readonly #onFault: (error: unknown) => void
  readonly #everyMs: number
  readonly #lingerMs: number
  readonly #listeners = new Map<string, Set<() => void>>()
  readonly #noted = new Set<string>()
  /** Topics that other processes have not been told of yet. */
  readonly #unsent = new Set<string>()
  #timer: NodeJS.Timeout | undefined
  #lastAt = Number.NEGATIVE_INFINITY
  #sending: Promise<void> | undefined
  #failing = false
  #stopHearing: (() => void) | undefined
  #linger: NodeJS.Timeout | undefined

  constructor(how: {
    /** Where other processes use the same store. */
    notices: Notices | undefined
    /** Called when notes could not be passed on to other processes, once until they can again. */
    onFault(error: unknown): void
    /** Changes are passed on at most this often. */
    everyMs?: number | undefined
    /** How long the connection to other processes stays open without a listener: people go from page to page. */
    lingerMs?: number | undefined
  }) {
    this.#notices = how.notices
    this.#onFault = how.onFault
    this.#everyMs = how.everyMs ?? EVERY_MS
    this.#lingerMs = how.lingerMs ?? LINGER_MS
  }

  /** Call it after the commit. Costs an entry in a set: everything else happens later, together with other notes. */
  note(topic: string): void {
    if (!this.#notices && this.#listeners.size === 0) return
    this.#noted.add(topic)
    if (this.#timer === undefined)
      this.#passOnIn(Math.max(0, this.#lastAt + this.#everyMs - performance.now()))
  }

  /**
   * Calls `hear` soon after each change of a topic, made here or by another process, until the returned function is
   * called. Also when changes may have been missed, so look at what is there and count nothing.
   */
  listen(topic: string, hear: () => void): () => void {
    clearTimeout(this.#linger)
    this.#stopHearing ??= this.#notices?.listen(
      (topics) => this.#tell(topics),
      () => this.#tell(this.#listeners.keys()),
    )
    const heard = this.#listeners.get(topic) ?? new Set()
    this.#listeners.set(topic, heard.add(hear))
    return () => {
      heard.delete(hear)
      if (heard.size === 0 && this.#listeners.get(topic) === heard) this.#listeners.delete(topic)
      if (this.#listeners.size > 0) return
      this.#linger = setTimeout(() => {
        this.#stopHearing?.()
        this.#stopHearing = undefined
      }, this.#lingerMs).unref()
    }
  }

  /** Passes on what is noted, and stops listening. */
  async close(): Promise<void> {
    clearTimeout(this.#timer)
    clearTimeout(this.#linger)
    this.#listeners.clear()
    this.#stopHearing?.()
    await this.#sending
    this.#passOn()
    await this.#sending
    clearTimeout(this.#timer)
  }

  #passOnIn(ms: number): void {
    this.#timer ??= setTimeout(() => this.#passOn(), ms).unref()
  }

  #passOn(): void {
    this.#timer = undefined
    this.#lastAt = performance.now()
    const topics = [...this.#noted]
    this.#noted.clear()
    this.#tell(topics)
    if (!this.#notices) return
    for (const topic of topics) this.#unsent.add(topic)
    if (this.#unsent.size > 0) this.#sending ??= this.#sendTo(this.#notices)
  }

  #tell(topics: Iterable<string>): void {
    for (const topic of topics) for (const hear of this.#listeners.get(topic) ?? []) hear()
  }

  async #sendTo(others: Notices): Promise<void> {
    const topics = [...this.#unsent]
    this.#unsent.clear()
    try {
      await others.send(topics)
      this.#failing = false
    } catch (error) {
      if (!this.#failing) this.#onFault(error)
      this.#failing = true
      for (const topic of topics) this.#unsent.add(topic)
    }
    this.#sending = undefined
    if (this.#unsent.size > 0) this.#passOnIn(this.#failing ? AGAIN_MS : this.#everyMs)
  }
}
