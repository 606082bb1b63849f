import { pauseInRealTime } from '../../kernel/process/event-loop.ts'
import type { Parts } from '../parts.ts'
import type { Lane, ReservedCapacity, Shift } from './lanes.ts'
import { Loop } from './loop.ts'
import { type Due, JobQueue, type LaneName } from './queue.ts'
import { SetBacks } from './set-back.ts'

export type { Lane } from './lanes.ts'

/** At most this many of the jobs that failed are named in the log. */
const LOGGED_JOBS = 5

/** Connections that lane handlers wait for, and the stores of their results. Neither function rejects. */
export interface Behind {
  /** Gives back to the handlers what has certainly not left, waits for the answers to the rest, and disconnects. */
  close(): Promise<void>
  /** Stores what is left of the handlers' results, and gives up what cannot be stored. */
  flush(): Promise<void>
}

/** Claims due jobs and passes them to their lane. Each lane runs independently. */
export class Worker {
  readonly #shift: Shift
  readonly #loops = new Map<string, Loop>()
  #started = false

  constructor(shift: Omit<Shift, 'inProgress'>) {
    this.#shift = { ...shift, inProgress: new Map() }
  }

  /** Starts claiming jobs. Before this, `reserve` returns undefined. */
  start(lanes: readonly Lane[]): void {
    this.#started = true
    for (const loop of this.#loops.values()) loop.start()
    for (const lane of lanes) this.open(lane)
  }

  /** Adds a lane, which claims jobs from now on if the worker has started. */
  open(lane: Lane): void {
    const loop = new Loop(lane, this.#shift)
    this.#loops.set(nameOf(lane), loop)
    if (this.#started) loop.start()
  }

  /** Closes lanes like `stop`. */
  async close(lanes: readonly LaneName[], withinMs: number, behind: Behind): Promise<void> {
    const names = lanes.map(nameOf)
    const closing = names.flatMap((name) => this.#loops.get(name) ?? [])
    for (const name of names) this.#loops.delete(name)
    await end(closing, withinMs, behind)
  }

  /** Jobs have come for a lane: these, or some that have to be looked for. */
  notify(lane: LaneName, jobs?: readonly Due[]): void {
    this.#loops.get(nameOf(lane))?.notify(jobs)
  }

  /** Call when a lane's `capacity` has grown. */
  wake(lane: LaneName): void {
    this.#loops.get(nameOf(lane))?.wake()
  }

  /**
   * Reserves capacity for jobs of these owners that are about to be stored as already claimed. Jobs without a
   * place are stored unclaimed: all of them if this returns undefined. Enough capacity for a batch of
   * unclaimed jobs is always left.
   */
  reserve(lane: LaneName, owners: readonly string[]): ReservedCapacity | undefined {
    return this.#started ? this.#loops.get(nameOf(lane))?.reserve(owners) : undefined
  }

  /** Whether every lane sleeps and no job is in progress, but for those that `waiting` counts. */
  idle(waiting = 0): boolean {
    const loops = [...this.#loops.values()]
    const inHand = loops.reduce((jobs, loop) => jobs + loop.inHand, 0)
    return loops.length > 0 && loops.every((loop) => loop.sleeps) && inHand <= waiting
  }

  /**
   * Claims nothing more, closes what is behind the lanes, and resolves when the jobs in progress are done. Jobs not done
   * in time are given back, for another process or the next start.
   */
  async stop(withinMs: number, behind?: Behind): Promise<void> {
    await end([...this.#loops.values()], withinMs, behind)
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
  while (!loops.every((loop) => loop.done) && performance.now() < deadline) await pauseInRealTime(5)
  await behind.flush()
  await Promise.all(loops.map((loop) => loop.giveBack()))
}

function nameOf({ kind, lane }: LaneName): string {
  return `${kind}/${lane}`
}

/** The worker of a gateway, which follows a clock that is set back, and tells log and metrics of jobs that fail. */
export function gatewayWorker(
  { database, clock, fault, log }: Pick<Parts, 'database' | 'clock' | 'fault' | 'log'>,
  pollMs: number,
): Worker {
  const setBacks = new SetBacks(database, clock, (byMs) =>
    log.warn({ byMs }, 'the clock was set back; what waits is planned anew'),
  )
  return new Worker({
    queue: new JobQueue(database, (forget) => setBacks.follow(forget)),
    clock,
    pollMs,
    onFault(error, { kind, lane }, jobs) {
      const part = lane === '' ? `worker/${kind}` : `worker/${kind}/${lane}`
      fault(part)(error, { jobs: jobs.slice(0, LOGGED_JOBS).map(({ id }) => id) })
    },
  })
}
