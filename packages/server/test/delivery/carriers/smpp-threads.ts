import { Worker } from 'node:worker_threads'
import { onTestFinished } from 'vitest'
import { SmppThread } from '../../../src/delivery/carriers/smpp-thread.ts'
import { systemClock } from '../../../src/kernel/process/clock.ts'
import type { Hosting } from './smpp-carrier.ts'

const ENTRY = new URL('../../../src/delivery/carriers/smpp.thread.ts', import.meta.url)

/** A thread for carriers over SMPP, closed with the test, that can be ended. */
export function smppThread() {
  const workers: Worker[] = []
  const faults: unknown[] = []
  const host = new SmppThread(
    { clock: systemClock, log: { warn: () => undefined }, onFault: (error) => faults.push(error) },
    () => {
      const worker = new Worker(ENTRY)
      workers.push(worker)
      return worker
    },
  )
  onTestFinished(() => host.close())
  const hosting: Hosting = (settings) => host.carrier(settings)
  return { host, hosting, workers, faults, end: () => workers.at(-1)?.terminate() }
}
