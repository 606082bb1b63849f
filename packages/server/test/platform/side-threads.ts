import { Worker } from 'node:worker_threads'
import { onTestFinished } from 'vitest'
import { SideThread } from '../../src/kernel/process/side-thread.ts'
import { eventually } from '../support/eventually.ts'
import { type HandClock, handClock, passUntil } from '../support/hand-clock.ts'

export type SideAsk =
  | 'end'
  | 'throw'
  | 'reject'
  | 'fail'
  | 'spin'
  | 'hang'
  | 'keep'
  | 'time'
  | 'tell'
  | 'one thing'
  | 'another'
export type SideTold = 'told'

const ENTRY = new URL('./side.thread.ts', import.meta.url)

/** Enough to be sure of, and little to wait for. */
export const MOST_COMPUTED_MICROS = 50_000

export const openWorker = () => new Worker(ENTRY)

/** A thread beside the test's, which is closed with the test. Its time passes when the test says so. */
export function sideThread(open: () => Worker = openWorker) {
  const clock: HandClock = handClock()
  const faults: Error[] = []
  const events: string[] = []
  const workers: Worker[] = []
  const beats: (() => void)[] = []
  const thread = new SideThread<SideAsk, string, SideTold>(
    {
      clock,
      log: { warn: () => void events.push('started again') },
      onFault: (error) => void faults.push(error instanceof Error ? error : new Error(String(error))),
      pulse(_everyMs, work) {
        beats.push(work)
        return () => void beats.splice(beats.indexOf(work), 1)
      },
      mostComputedMicros: MOST_COMPUTED_MICROS,
    },
    {
      name: 'beside',
      open() {
        const worker = open()
        workers.push(worker)
        return worker
      },
      onUp: () => void events.push('up'),
      onEnd: () => void events.push('end'),
      onTold: (told) => void events.push(told),
    },
  )
  onTestFinished(() => passUntil(clock, thread.close()))
  return {
    thread,
    clock,
    faults,
    events,
    workers,
    /** Looks for a sign of life. */
    beat: () => {
      for (const work of [...beats]) work()
    },
    up: () => {
      thread.start()
      return eventually('the thread to be up', () => thread.isUp)
    },
    /** Lets its pause pass, but not so much time that its next start would be its first. */
    again: () => {
      clock.pass(5_000)
      return eventually('the thread to be up again', () => thread.isUp)
    },
  }
}
