import cluster from 'node:cluster'
import type { Clock } from '../../kernel/process/clock.ts'
import type { Logger } from '../../kernel/process/log.ts'
import type { Rendered } from '../../kernel/process/metrics.ts'
import { SECOND_MS } from '../../kernel/time/spans.ts'
import { AddedUp } from './added-up.ts'
import type { Greeting, Up } from './messages.ts'
import { type Ended, WatchedProcess } from './watched-process.ts'

/** More than a process takes to read its numbers, and less than the usual timeout of a scrape. */
const COLLECT_MS = 4 * SECOND_MS

/**
 * The first of several processes that share the ports. It watches over the others, each of which is a gateway as any other
 * on that database, and opens nothing itself but the ports.
 */
export class FirstProcess {
  readonly #log: Logger
  readonly #onUp: (greeting: Greeting) => void
  readonly #all: readonly WatchedProcess[]
  readonly #addedUp = new AddedUp()
  readonly #over = Promise.withResolvers<number>()
  /** Whether one took requests, so that the settings are good and the database is up to date. */
  #isUp = false
  #isStopping = false
  #worst = 0
  /** Numbers of those that ended by themselves and have not taken requests since. */
  readonly #missing = new Set<number>()
  #lastId = 0
  #collecting: Promise<Rendered> | undefined

  constructor(
    parts: { clock: Clock; log: Logger },
    own: {
      processes: number
      /** Called once, when the first one takes requests. */
      onUp(greeting: Greeting): void
    },
  ) {
    this.#log = parts.log
    this.#onUp = own.onUp
    this.#all = Array.from(
      { length: own.processes },
      (_, index): WatchedProcess =>
        new WatchedProcess(parts, {
          number: index + 1,
          onMessage: (message) => this.#take(index, message),
          onEnd: (ended) => this.#ended(index, ended),
        }),
    )
  }

  /**
   * Starts one, which brings the database up to date, and then the others. Resolves with the exit code when all have ended:
   * because they were asked to, or because the first could not be started.
   */
  run(): Promise<number> {
    // Numbers that are none would be lost in JSON.
    cluster.setupPrimary({ serialization: 'advanced' })
    this.#all[0]?.start()
    return this.#over.promise
  }

  /** Has all finish the requests under way and end. */
  stop(): void {
    if (this.#isStopping) return
    this.#isStopping = true
    for (const each of this.#all) each.stop()
    this.#endWhenAllHave()
  }

  endAtOnce(): void {
    for (const each of this.#all) each.endAtOnce()
  }

  /** Has all read the carriers' file again. */
  reload(): void {
    for (const each of this.#all) each.tell({ kind: 'reload' })
  }

  #take(index: number, message: Up): void {
    const from = this.#all[index]
    if (message.kind === 'ready') this.#ready(index, message.greeting)
    if (message.kind !== 'metrics') return
    const { id } = message
    void this.#metrics().then(
      (rendered) => from?.tell({ kind: 'metrics', id, rendered }),
      (err) => this.#log.error({ err }, 'the metrics of all processes could not be added up'),
    )
  }

  #ready(index: number, greeting: Greeting): void {
    const process = index + 1
    if (this.#missing.delete(process))
      this.#log.warn({ process, pid: this.#all[index]?.pid }, 'a process that had ended takes requests again')
    if (this.#isUp || this.#isStopping) return
    this.#isUp = true
    this.#onUp(greeting)
    for (const each of this.#all) if (!each.isRunning) each.start()
  }

  #ended(index: number, ended: Ended): void {
    const process = index + 1
    const each = this.#all[index]
    this.#addedUp.end(process)
    if (this.#isUp && !this.#isStopping) {
      this.#missing.add(process)
      this.#addedUp.countRestart()
      each?.startAgain(ended)
      return
    }
    if (!this.#isStopping && ended.signal !== null)
      this.#log.error({ process, ...ended }, 'the process was ended before it took requests')
    this.#isStopping = true
    this.#worst = Math.max(this.#worst, exitCodeOf(ended))
    this.#endWhenAllHave()
  }

  #endWhenAllHave(): void {
    if (!this.#all.some(({ isRunning }) => isRunning)) this.#over.resolve(this.#worst)
  }

  /** Several scrapes at a time cost as much as one. */
  #metrics(): Promise<Rendered> {
    this.#collecting ??= this.#collect().finally(() => {
      this.#collecting = undefined
    })
    return this.#collecting
  }

  async #collect(): Promise<Rendered> {
    const id = ++this.#lastId
    const answered = new Set<number>()
    const ofOne = async (each: WatchedProcess) => {
      const snapshot = await each.collect(id, COLLECT_MS)
      if (!snapshot) return
      answered.add(each.number)
      this.#addedUp.keep(each.number, snapshot)
    }
    await Promise.all(this.#all.filter(({ isRunning }) => isRunning).map(ofOne))
    return this.#addedUp.render(answered)
  }
}

/** SIGTERM ends a process that does not listen for it yet, and has nothing to finish. */
function exitCodeOf({ code, signal }: Ended): number {
  return code ?? (signal === 'SIGTERM' ? 0 : 1)
}
