import cluster, { type Worker } from 'node:cluster'
import type { Rendered, Snapshot } from '../../kernel/process/metrics.ts'
import { type Down, type Greeting, NUMBER_VARIABLE, type Up } from './messages.ts'

/** A gateway's side of what the first process asks. */
export interface OwnGateway {
  reload(): void
  snapshot(): Promise<Snapshot>
  onFault(error: unknown): void
}

const GONE = 'the first process is gone'

/** This process, where it is one of several that the first process started. */
export class OwnProcess {
  /** From 1. The next process in its place has the same. */
  readonly number: number
  readonly #worker: Worker
  readonly #stop = Promise.withResolvers<'told' | 'alone'>()
  #lastId = 0
  readonly #asked = new Map<number, PromiseWithResolvers<Rendered>>()

  constructor(number: number, worker: Worker) {
    this.number = number
    this.#worker = worker
    // A terminal sends these to all its processes. The first one tells the others what they mean.
    process.on('SIGINT', () => {})
    process.on('SIGHUP', () => {})
  }

  /** Whether the operators' desk is in this process. */
  get hasDesk(): boolean {
    return this.number === 1
  }

  /** Says that it takes requests. From now on it does what the first process asks. */
  ready(greeting: Greeting, gateway: OwnGateway): void {
    process.on('SIGTERM', () => this.#stop.resolve('told'))
    process.once('disconnect', () => {
      for (const { reject } of this.#asked.values()) reject(new Error(GONE))
      this.#stop.resolve('alone')
    })
    // Node ends a process at once whose first one is gone, unless it has left the cluster by itself.
    this.#worker.exitedAfterDisconnect = true
    process.on('message', (message: Down) => void this.#take(message, gateway).catch(gateway.onFault))
    this.#tell({ kind: 'ready', greeting })
  }

  /** Resolves when it is to stop: because it was told to, or because the first process is gone. */
  stopAsked(): Promise<'told' | 'alone'> {
    return this.#stop.promise
  }

  /** The metrics of all processes. */
  metrics(): Promise<Rendered> {
    if (!process.connected) return Promise.reject(new Error(GONE))
    const id = ++this.#lastId
    const asked = Promise.withResolvers<Rendered>()
    this.#asked.set(id, asked)
    this.#tell({ kind: 'metrics', id })
    return asked.promise
  }

  /** Lets the process end when it has nothing left to do, with its own exit code. */
  leave(): void {
    this.#worker.exitedAfterDisconnect = true
    if (process.connected) process.disconnect()
  }

  async #take(message: Down, gateway: OwnGateway): Promise<void> {
    if (message.kind === 'reload') gateway.reload()
    else if (message.kind === 'collect')
      this.#tell({ kind: 'collected', id: message.id, snapshot: await gateway.snapshot() })
    else {
      this.#asked.get(message.id)?.resolve(message.rendered)
      this.#asked.delete(message.id)
    }
  }

  #tell(message: Up): void {
    // When the first process is gone, that is noticed by itself.
    if (process.connected) process.send?.(message, undefined, undefined, () => {})
  }
}

/**
 * This process, if it is one of several; undefined for a command that runs alone, for the first process, and for a program
 * that one of the processes has started with its own environment.
 */
export function ownProcess(
  environment: Readonly<Record<string, string | undefined>>,
): OwnProcess | undefined {
  const { [NUMBER_VARIABLE]: number } = environment
  return number === undefined || !cluster.worker ? undefined : new OwnProcess(Number(number), cluster.worker)
}
