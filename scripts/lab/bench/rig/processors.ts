import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { isMainThread, Worker } from 'node:worker_threads'
import type { Table } from '../../report.ts'

/** Two threads that do less than this many times what one does share a processor. */
const TWO = 1.6
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
    times < count * (TWO / 2)
      ? 'They share what they calculate with: a program with several threads gains little here, so compare nothing with it.'
      : 'They do not share what they calculate with.'
  return {
    title: 'Processors',
    about: [about],
    columns: ['threads', 'do of what one does'],
    lines: [[`${count}`, `${times.toFixed(2)} ×`]],
  }
}

function spin(): Promise<void> {
  return new Promise((resolve, reject) => {
    new Worker(fileURLToPath(import.meta.url)).once('exit', () => resolve()).once('error', reject)
  })
}

if (!isMainThread) {
  let sum = 0
  for (let step = 0; step < STEPS; step++) sum = (sum * 31 + step) | 0
  // Used, so that it is calculated.
  process.exitCode = sum === 0.5 ? 1 : 0
}
