import { Counter, Registry } from '@prometheus-io/client'
import type { Metrics, Rendered, Snapshot, Watched } from '../../kernel/process/metrics.ts'

const PROCESSES: Watched = {
  name: 'wigwag_processes',
  help: 'This process: always 1; where one command runs several, how many of them answered and are added up here.',
  labels: [],
}
const RESTARTS: Watched = {
  name: 'wigwag_process_restarts_total',
  help: 'This process: how often one of the processes of its command ended by itself and was started again.',
  labels: [],
  counter: true,
}

/** Shows of how many processes the numbers are. Only the first process counts restarts. */
export function watchProcesses(metrics: Pick<Metrics, 'watch'>): void {
  metrics.watch([PROCESSES, RESTARTS], async () => [
    { name: PROCESSES.name, labels: {}, value: 1 },
    { name: RESTARTS.name, labels: {}, value: 0 },
  ])
}

/**
 * The numbers of several processes as those of one. A process that has ended, or does not answer, still counts with what it
 * had counted: a sum that falls would look to Prometheus as if all of it had been counted anew.
 */
export class AddedUp {
  readonly #registry = new Registry()
  readonly #restarts = new Counter({
    name: RESTARTS.name,
    help: RESTARTS.help,
    registers: [this.#registry],
  })
  /** As each process told it last. */
  readonly #last = new Map<number, Snapshot>()
  #ended: Promise<Snapshot> = Promise.resolve([])

  keep(process: number, snapshot: Snapshot): void {
    this.#last.set(process, snapshot)
  }

  /** The process has ended. The next one of its number begins at 0. */
  end(process: number): void {
    const last = this.#last.get(process)
    this.#last.delete(process)
    if (last) this.#ended = this.#ended.then((ended) => addUp([ended, counted(last)]).getMetricsAsJSON())
  }

  countRestart(): void {
    this.#restarts.inc()
  }

  async render(answered: ReadonlySet<number>): Promise<Rendered> {
    const present = [...this.#last].map(([process, snapshot]) =>
      answered.has(process) ? snapshot : counted(snapshot),
    )
    const all = await Promise.all([...present, this.#ended, this.#registry.getMetricsAsJSON()])
    const registry = addUp(all)
    return { text: await registry.metrics(), type: registry.contentType }
  }
}

function addUp(snapshots: readonly Snapshot[]): Registry {
  return Registry.aggregate([...snapshots])
}

/** The part of a snapshot that only grows. */
function counted(snapshot: Snapshot): Snapshot {
  return snapshot.filter(
    ({ type, aggregator }) => aggregator === 'sum' && (type === 'counter' || type === 'histogram'),
  )
}
