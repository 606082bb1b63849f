import type { Metrics, Sample, Watched } from './metrics.ts'
import type { SideThread } from './side-thread.ts'

const PROCESSOR: Watched = {
  name: 'wigwag_thread_processor_seconds_total',
  help: 'This process: processor time by thread, of those beside the first one as they told it in the last second.',
  labels: ['thread'],
  counter: true,
}
const ENDS: Watched = {
  name: 'wigwag_thread_ends_total',
  help: 'This process: how often a thread ended by itself. It is started again.',
  labels: ['thread'],
  counter: true,
}

/**
 * Shows the processor time of the first thread and of those beside it. Nothing is asked of them for that: one that
 * starts or is stuck would keep the metrics waiting.
 */
export function watchThreads(
  metrics: Pick<Metrics, 'watch'>,
  threads: readonly Pick<SideThread<never, never>, 'name' | 'processorSeconds' | 'ends'>[],
): void {
  metrics.watch([PROCESSOR, ENDS], async () => [
    ...sample(PROCESSOR, 'first', processorSeconds()),
    ...threads.flatMap((thread) => [
      ...sample(PROCESSOR, thread.name, thread.processorSeconds),
      ...sample(ENDS, thread.name, thread.ends),
    ]),
  ])
}

/** Of this thread. Node can't tell it before version 23.9. */
function processorSeconds(): number | undefined {
  const used = process.threadCpuUsage?.()
  return used && (used.user + used.system) / 1e6
}

function sample({ name }: Watched, thread: string, value: number | undefined): Sample[] {
  return value === undefined ? [] : [{ name, labels: { thread }, value }]
}
