import { play, type Steps, type Thread, type Timeline } from './machine.ts'

export interface BatcherOptions<T> {
  timeline: Timeline
  thread: Thread
  run(batch: readonly T[]): Steps
  most: number
  atOnce: number
  /** Zero: as long as each turn of the event loop brings more. */
  gatherUs: number
}

const MOST_TURNS = 8

/** Gathers as the gateway's batcher does (packages/server/src/platform/batcher.ts), in simulated time. */
export function createBatcher<T>(options: BatcherOptions<T>): (item: T) => void {
  const { timeline, thread, run, most, atOnce, gatherUs } = options
  let waiting: T[] = []
  let running = 0
  let enough = () => {}
  /** What a turn of the event loop is here: all that waits for the thread now runs first. */
  const afterThisTurn = (work: () => void) => thread.run(0, work)

  function next(): void {
    if (waiting.length === 0) running--
    else if (gatherUs > 0) rest()
    else gather(0)
  }

  function rest(): void {
    let isOver = false
    const over = () => {
      if (isOver) return
      isOver = true
      afterThisTurn(take)
    }
    enough = over
    timeline.after(waiting.length < most ? gatherUs : 0, over)
  }

  function gather(turn: number): void {
    const before = waiting.length
    afterThisTurn(() => {
      if (waiting.length === before || turn + 1 === MOST_TURNS) take()
      else gather(turn + 1)
    })
  }

  function take(): void {
    const batch = waiting.slice(0, most)
    waiting = waiting.slice(most)
    if (batch.length > 0) play(run(batch), next)
    else next()
  }

  return function add(item) {
    waiting.push(item)
    if (waiting.length >= most) enough()
    if (running >= atOnce) return
    running++
    afterThisTurn(next)
  }
}
