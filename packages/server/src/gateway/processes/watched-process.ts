import cluster, { type Worker } from 'node:cluster'
import type { Clock } from '../../kernel/process/clock.ts'
import type { Logger } from '../../kernel/process/log.ts'
import type { Snapshot } from '../../kernel/process/metrics.ts'
import { Restarts } from '../../kernel/process/restarts.ts'
import { SECOND_MS } from '../../kernel/time/spans.ts'
import { type Down, NUMBER_VARIABLE, type Up } from './messages.ts'
import { closeUntaken } from './untaken.ts'

/** How a process ended: with a code or by a signal. */
export interface Ended {
  pid: number | undefined
  code: number | null
  signal: string | null
}

export interface ProcessEvents {
  onMessage(message: Up): void
  onEnd(ended: Ended): void
}

const LONGEST_PAUSE_MS = 30 * SECOND_MS

/** One of the processes, as the first one sees it. When it ends, another one takes its place and its number. */
export class WatchedProcess {
  readonly number: number
  readonly #clock: Clock
  readonly #log: Pick<Logger, 'warn' | 'error'>
  readonly #events: ProcessEvents
  #worker: Worker | undefined
  readonly #restarts: Restarts
  /** Resolves the questions for its numbers. */
  readonly #asked = new Map<number, (snapshot: Snapshot | undefined) => void>()

  constructor(
    { clock, log }: { clock: Clock; log: Pick<Logger, 'warn' | 'error'> },
    { number, ...events }: { number: number } & ProcessEvents,
  ) {
    this.#clock = clock
    this.#restarts = new Restarts(clock, LONGEST_PAUSE_MS)
    this.#log = log
    this.number = number
    this.#events = events
  }

  get isRunning(): boolean {
    return this.#worker !== undefined
  }

  get pid(): number | undefined {
    return this.#worker?.process.pid
  }

  start(): void {
    this.#restarts.begin()
    const worker = cluster.fork({ [NUMBER_VARIABLE]: String(this.number) })
    this.#worker = worker
    closeUntaken(worker.process)
    const { pid } = worker.process
    worker.process.once('exit', (code, signal) => this.#end({ pid, code, signal }))
    worker.on('error', (err) => {
      this.#log.error({ process: this.number, err }, 'a process can’t be started or told something')
      // Where it could not be started there is no exit.
      if (pid === undefined) this.#end({ pid, code: 1, signal: null })
    })
    worker.on('message', (message: Up) => {
      if (message.kind === 'collected') this.#answered(message.id, message.snapshot)
      else this.#events.onMessage(message)
    })
  }

  /** Starts it after a pause, which grows while its starts fail. */
  startAgain(ended: Ended): void {
    const pauseMs = this.#restarts.again(() => this.start())
    this.#log.warn(
      { process: this.number, ...ended, pauseMs },
      'a process ended by itself, and is started again after a pause',
    )
  }

  /** Asks it to stop. It is not started again. */
  stop(): void {
    this.#signal('SIGTERM')
  }

  endAtOnce(): void {
    this.#signal('SIGKILL')
  }

  /** Does nothing where it does not run. Where it is starting, it gets the message when it takes requests. */
  tell(message: Down): void {
    if (this.#worker?.isConnected()) this.#worker.send(message, ignoreFailure)
  }

  /** Its numbers; undefined if it does not tell them in time. */
  collect(id: number, withinMs: number): Promise<Snapshot | undefined> {
    return new Promise((resolve) => {
      const cancel = this.#clock.after(withinMs, () => this.#answered(id, undefined))
      this.#asked.set(id, (snapshot) => {
        cancel()
        resolve(snapshot)
      })
      this.tell({ kind: 'collect', id })
    })
  }

  #answered(id: number, snapshot: Snapshot | undefined): void {
    this.#asked.get(id)?.(snapshot)
    this.#asked.delete(id)
  }

  #signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    this.#restarts.stop()
    this.#worker?.process.kill(signal)
  }

  #end(ended: Ended): void {
    if (!this.#worker) return
    this.#worker = undefined
    for (const id of [...this.#asked.keys()]) this.#answered(id, undefined)
    this.#events.onEnd(ended)
  }
}

/** It ends meanwhile, which is seen anyway. */
function ignoreFailure(): void {}
