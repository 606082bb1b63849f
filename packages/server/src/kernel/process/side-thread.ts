import type { Worker } from 'node:worker_threads'
import { SECOND_MS } from '../time/spans.ts'
import { type Clock, overWithin, type Pulse, realPulse } from './clock.ts'
import type { Logger } from './log.ts'
import { Restarts } from './restarts.ts'
import { SignsOfLife } from './signs-of-life.ts'
import { type Down, type DownBatch, errorOf, type Up } from './thread-messages.ts'

/** How a call to a thread ended. */
export type Called<Answer> =
  | { kind: 'answered'; answer: Answer }
  /** It was handed over and not answered: what the thread did of it is unknown. */
  | { kind: 'lost' }
  /** It was certainly not handed over, because the thread is not up. */
  | { kind: 'kept' }

export interface ThreadEvents<Told> {
  /** The thread was started, and knows nothing of an earlier one. */
  onUp(): void
  /** The thread has ended. Its calls are settled next. */
  onEnd(): void
  onTold(told: Told): void
}

/**
 * Of a thread's heap for what is new. Node would let it grow to 96 MB before it looks for garbage in it, in each thread,
 * and what is used over and over no longer fits into the processor's caches then.
 */
export const THREAD_LIMITS = { maxYoungGenerationSizeMb: 24 }

/** No turn of a thread that works should take near as long. */
const MOST_COMPUTED_MICROS = 1_500_000
const LONGEST_PAUSE_MS = 5 * SECOND_MS
/** How long a thread that closes may take for it. */
const CLOSE_MS = 2 * SECOND_MS

/**
 * A thread beside the first one, started at its first use and again whenever it ends. Each call is settled once: a thread
 * that ends leaves those that it was given as lost, and those that were still here as kept.
 */
export class SideThread<Ask, Answer, Told = never> {
  readonly name: string
  readonly #open: () => Worker
  readonly #clock: Clock
  readonly #log: Pick<Logger, 'warn'>
  readonly #onFault: (error: unknown) => void
  readonly #events: ThreadEvents<Told>
  #worker: Worker | undefined
  /** Why it ends, where that is known. */
  #why: unknown
  #isUp = false
  #isClosing = false
  readonly #restarts: Restarts
  #ends = 0
  #endedAt: number | undefined
  readonly #signs: SignsOfLife
  #lastCall = 0
  readonly #calls = new Map<number, (called: Called<Answer>) => void>()
  /** Items that have not left. */
  #leaving: Down<Ask>[] = []
  #isLeaveDue = false
  readonly #awaitingUp = new Set<(isUp: boolean) => void>()
  readonly #processor = { before: 0, current: 0, isKnown: false }

  constructor(
    parts: {
      clock: Clock
      log: Pick<Logger, 'warn'>
      /** Called when the thread ends by itself, and with unexpected errors in it. */
      onFault(error: unknown): void
      /** Replaces the real time in which signs of life are looked for. */
      pulse?: Pulse | undefined
      /** Replaces the processor time after which a thread that does not answer is stuck. */
      mostComputedMicros?: number | undefined
    },
    own: { name: string; open(): Worker } & ThreadEvents<Told>,
  ) {
    this.name = own.name
    this.#open = own.open
    this.#events = own
    this.#clock = parts.clock
    this.#restarts = new Restarts(parts.clock, LONGEST_PAUSE_MS)
    this.#log = parts.log
    this.#onFault = parts.onFault
    this.#signs = new SignsOfLife({
      pulse: parts.pulse ?? realPulse,
      mostComputedMicros: parts.mostComputedMicros ?? MOST_COMPUTED_MICROS,
      ask: () => this.#leave({ kind: 'beat' }),
      onStuck: (why) => {
        this.#why = new Error(why)
        void this.#worker?.terminate()
      },
    })
  }

  get isUp(): boolean {
    return this.#isUp
  }

  get isClosing(): boolean {
    return this.#isClosing
  }

  /** How often it ended by itself. */
  get ends(): number {
    return this.#ends
  }

  /** Whether it has ended by itself within the last so long. */
  endedWithin(ms: number): boolean {
    return this.#endedAt !== undefined && this.#clock.elapsed() - this.#endedAt < ms
  }

  /** The processor time of all its runs, as it was last told: undefined before that. */
  get processorSeconds(): number | undefined {
    const { before, current, isKnown } = this.#processor
    return isKnown ? (before + current) / 1e6 : undefined
  }

  /** Does nothing where it has started, waits to be started again, or closes. */
  start(): void {
    if (this.#worker || this.#restarts.isDue || this.#isClosing) return
    this.#restarts.begin()
    let worker: Worker
    try {
      worker = this.#open()
    } catch (error) {
      this.#ended(error)
      return
    }
    this.#worker = worker
    this.#why = undefined
    worker.on('message', (batch: readonly Up<Answer, Told>[]) => {
      for (const item of batch) this.#take(item)
    })
    worker.on('error', (error) => {
      this.#why = error
    })
    // Everything that it sent has arrived before.
    worker.on('exit', (code) => this.#ended(this.#why ?? new Error(`it ended with code ${code}`)))
    // After the listeners, since each of them would keep the process.
    worker.unref()
    this.#signs.watch(worker)
  }

  /** Resolves to true when it is up, and to false when it is not in time, or closes. */
  whenUp(withinMs: number): Promise<boolean> {
    if (this.#isUp || this.#isClosing || withinMs <= 0) return Promise.resolve(this.#isUp && !this.#isClosing)
    this.start()
    return new Promise((resolve) => {
      const done = (isUp: boolean) => {
        cancel()
        this.#awaitingUp.delete(done)
        resolve(isUp)
      }
      const cancel = this.#clock.after(withinMs, () => done(false))
      this.#awaitingUp.add(done)
    })
  }

  /** Never rejects. Kept at once where the thread is not up. */
  call(ask: Ask): Promise<Called<Answer>> {
    if (!this.#isUp || this.#isClosing) return Promise.resolve({ kind: 'kept' })
    return this.#ask((id) => ({ kind: 'call', id, ask }))
  }

  /** A call without an answer. Dropped where the thread is not up. */
  tell(ask: Ask): void {
    if (this.#isUp) this.#leave({ kind: 'tell', ask })
  }

  /** Takes no more calls, lets the thread finish those that it has, and ends it. Never rejects. */
  async close(): Promise<void> {
    if (this.#isClosing) return
    const worker = this.#worker
    if (this.#isUp) {
      worker?.ref()
      const closed = this.#ask((id) => ({ kind: 'close', id }))
      this.#isClosing = true
      await overWithin(this.#clock, CLOSE_MS, closed)
    }
    this.#isClosing = true
    this.#restarts.stop()
    for (const done of this.#awaitingUp) done(false)
    await this.#worker?.terminate()
  }

  #ask(item: (id: number) => Down<Ask>): Promise<Called<Answer>> {
    const id = ++this.#lastCall
    return new Promise((resolve) => {
      this.#calls.set(id, resolve)
      this.#leave(item(id))
    })
  }

  #leave(item: Down<Ask>): void {
    this.#leaving.push(item)
    if (this.#isLeaveDue) return
    this.#isLeaveDue = true
    setImmediate(() => {
      this.#isLeaveDue = false
      // They were kept when the thread ended.
      if (this.#leaving.length === 0) return
      const items = this.#leaving
      this.#leaving = []
      const batch: DownBatch<Ask> = { now: this.#clock.now(), items }
      this.#worker?.postMessage(batch)
    })
  }

  #take(item: Up<Answer, Told>): void {
    switch (item.kind) {
      case 'answered':
        this.#settle(item.id, { kind: 'answered', answer: item.answer })
        return
      case 'failed':
        this.#settle(item.id, { kind: 'lost' })
        return
      case 'told':
        this.#events.onTold(item.told)
        return
      case 'fault':
        this.#onFault(errorOf(item.fault))
        return
      case 'beat':
        this.#signs.seen()
        if (item.processorMicros === undefined) return
        this.#processor.current = item.processorMicros
        this.#processor.isKnown = true
        return
      case 'up':
        if (this.#isClosing) return
        this.#signs.up()
        this.#isUp = true
        if (this.#ends > 0) this.#log.warn({ thread: this.name }, 'a thread was started again')
        this.#events.onUp()
        for (const done of this.#awaitingUp) done(true)
    }
  }

  #settle(id: number, called: Called<Answer>): void {
    const resolve = this.#calls.get(id)
    this.#calls.delete(id)
    resolve?.(called)
  }

  #ended(why: unknown): void {
    const left = new Set(this.#leaving.flatMap((item) => ('id' in item ? item.id : [])))
    const calls = [...this.#calls]
    this.#signs.stop()
    this.#worker = undefined
    this.#isUp = false
    this.#leaving = []
    this.#calls.clear()
    this.#processor.before += this.#processor.current
    this.#processor.current = 0
    if (!this.#isClosing) this.#startAgain(why)
    this.#events.onEnd()
    for (const [id, resolve] of calls) resolve({ kind: left.has(id) ? 'kept' : 'lost' })
  }

  #startAgain(why: unknown): void {
    this.#ends++
    this.#endedAt = this.#clock.elapsed()
    const pauseMs = this.#restarts.again(() => this.start())
    const cause = why instanceof Error ? why : new Error(String(why))
    this.#onFault(
      new Error(`the thread ${this.name} has ended; it is started again in ${pauseMs} ms`, { cause }),
    )
  }
}
