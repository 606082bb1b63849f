import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parentPort, Worker } from 'node:worker_threads'
import type { Table } from '../../report.ts'

/** Of what each processor does alone. Below that they share what they calculate with. */
const SHARE = 0.8
const STEPS = 300_000_000

/** How much all processors do of what one does. A comparison of programs with several threads stands on it. */
export async function processors(): Promise<Table> {
  const count = availableParallelism()
  const spinMs = async (threads: number) => {
    const started = performance.now()
    await Promise.all(Array.from({ length: threads }, spin))
    return performance.now() - started
  }
  await spinMs(1)
  const times = (count * (await spinMs(1))) / (await spinMs(count))
  const about =
    times < count * SHARE
      ? 'These are fewer processors than they seem: a comparison with programs of one thread says little here.'
      : 'These are as many processors as they seem.'
  return {
    title: 'Processors',
    about: [about],
    columns: ['threads', 'do of what one does'],
    lines: [[`${count}`, `${times.toFixed(2)} ×`]],
  }
}

function spin(): Promise<void> {
  return new Promise((resolve, reject) => {
    new Worker(fileURLToPath(import.meta.url)).once('message', () => resolve()).once('error', reject)
  })
}

function calculate(): number {
  let sum = 0
  for (let step = 0; step < STEPS; step++) sum = (sum * 31 + step) | 0
  return sum
}

parentPort?.postMessage(calculate())
