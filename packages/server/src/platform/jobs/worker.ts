import { createLoop, type Lane, type Loop, rest, type WorkerOptions } from './loop.ts'
import type { Due, Job, LaneName, ReservedCapacity } from './queue.ts'

export type { Lane, WorkerOptions } from './loop.ts'

/** What the handlers of lanes wait for, and what keeps their results. Neither function rejects. */
export interface Behind {
  /** Gives back to the handlers what has certainly not left, waits for the answers to the rest, and disconnects. */
  close(): Promise<void>
  /** Stores what is left of the handlers' results, and gives up what cannot be stored. */
  flush(): Promise<void>
}

export interface Worker {
  /** Starts claiming jobs. Before this, `reserve` returns undefined. */
  start(lanes: readonly Lane[]): void
  /** Adds a lane, which claims jobs from now on if the worker has started. */
  open(lane: Lane): void
  /** Closes lanes like `stop`. */
  close(lanes: readonly LaneName[], withinMs: number, behind: Behind): Promise<void>
  /** Jobs have come for a lane: these, or some that have to be looked for. */
  notify(lane: LaneName, jobs?: readonly Due[]): void
  /** What is behind a lane can take more. */
  wake(lane: LaneName): void
  /**
   * Reserves capacity for jobs of these owners that are about to be stored as already claimed. Those that find no place,
   * all of them when undefined, are stored unclaimed. Enough capacity for a batch of unclaimed jobs is always left.
   */
  reserve(lane: LaneName, owners: readonly string[]): ReservedCapacity | undefined
  /** Whether every lane sleeps and no job is in progress, but for those that `waiting` counts. */
  idle(waiting?: number): boolean
  /**
   * Claims nothing more, closes what is behind the lanes, and resolves when the jobs in progress are done. Jobs not done
   * in time are given back, for another process or the next start.
   */
  stop(withinMs: number, behind?: Behind): Promise<void>
}

/** Claims due jobs and passes them to their lane. Each lane runs independently. */
export function createWorker(options: WorkerOptions): Worker {
  const loops = new Map<string, Loop>()
  const inProgress = new Map<string, Job>()
  let started = false

  function open(lane: Lane): void {
    const loop = createLoop(lane, { ...options, inProgress })
    loops.set(nameOf(lane), loop)
    if (started) loop.start()
  }

  const inHand = () => [...loops.values()].reduce((jobs, loop) => jobs + loop.inHand(), 0)

  return {
    start(lanes) {
      started = true
      for (const loop of loops.values()) loop.start()
      for (const lane of lanes) open(lane)
    },
    open,
    async close(lanes, withinMs, behind) {
      const names = lanes.map(nameOf)
      const closing = names.flatMap((name) => loops.get(name) ?? [])
      for (const name of names) loops.delete(name)
      await end(closing, withinMs, behind)
    },
    notify: (lane, jobs) => loops.get(nameOf(lane))?.notify(jobs),
    wake: (lane) => loops.get(nameOf(lane))?.wake(),
    reserve: (lane, owners) => (started ? loops.get(nameOf(lane))?.reserve(owners) : undefined),
    idle: (waiting = 0) =>
      loops.size > 0 && [...loops.values()].every((loop) => loop.sleeps()) && inHand() <= waiting,
    stop: (withinMs, behind) => end([...loops.values()], withinMs, behind),
  }
}

const NOTHING: Behind = { close: async () => {}, flush: async () => {} }

/**
 * The order in which lanes end. A job is given back last: from then on another process may claim it, and nothing that is
 * decided of it here counts. So a message that waits for its turn in a connection is first taken out of it, and that it
 * was certainly not sent is stored.
 */
async function end(loops: readonly Loop[], withinMs: number, behind = NOTHING): Promise<void> {
  await Promise.all(loops.map((loop) => loop.stopClaiming()))
  await behind.close()
  const deadline = performance.now() + withinMs
  while (!loops.every((loop) => loop.done()) && performance.now() < deadline) await rest(5)
  await behind.flush()
  await Promise.all(loops.map((loop) => loop.release()))
}

function nameOf({ kind, lane }: LaneName): string {
  return `${kind}/${lane}`
}
