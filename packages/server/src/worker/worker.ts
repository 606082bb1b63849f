import type { Clock } from '../clock.ts'
import type { Job, JobKind, JobQueue } from '../store/job-queue.ts'

/** How one kind of job is done. */
export interface Lane {
  kind: JobKind
  /**
   * Does claimed jobs and settles each of them. Jobs that it leaves unsettled come back when their lease ends. It
   * may say of single jobs that they are done, so that a slow one does not keep the room of its whole batch.
   */
  handle(jobs: readonly Job[], done: (job: Job) => void): Promise<void>
  /** How many jobs are claimed at a time. */
  batch: number
  /** How many jobs may be under way at a time. */
  underWay: number
  leaseMs: number
  /** A short rest after a wake-up lets work gather, so that one claim takes it all. */
  gatherMs: number
}

export interface WorkerOptions {
  queue: JobQueue
  clock: Clock
  lanes: readonly Lane[]
  /** How long to sleep at the most: another process may have queued work that nobody here was told of. */
  pollMs: number
  onFault(error: unknown, kind: JobKind): void
}

export interface Worker {
  start(): void
  /** Says that work of a kind has arrived. */
  wake(kind: JobKind): void
  /** Whether every lane sleeps and nothing is under way. */
  idle(): boolean
  /**
   * Claims nothing more, and resolves when what is under way is done. What is not done in time is given back, for
   * another process or the next start.
   */
  stop(withinMs: number): Promise<void>
}

/** The night shift: claims due jobs and hands them to their lane, each kind at its own pace. */
export function createWorker({ queue, clock, lanes, pollMs, onFault }: WorkerOptions): Worker {
  const loops = new Map(lanes.map((lane) => [lane.kind, createLoop(lane)]))

  function createLoop(lane: Lane) {
    let stopping = false
    let woken = false
    let sleeping = false
    let full = false
    let givenBack = false
    const held = new Set<Job>()
    let rouse: (() => void) | undefined
    let ended: Promise<void> | undefined

    async function loop(): Promise<void> {
      while (!stopping) {
        const room = lane.underWay - held.size
        const limit = Math.min(room, lane.batch)
        const jobs = limit > 0 ? await due(limit) : []
        full = limit === 0
        // Nothing can be claimed now, whoever asks for it; the next to leave asks again.
        if (full) woken = false
        if (jobs.length > 0) begin(jobs)
        if (full) await sleep(pollMs)
        else if (jobs.length < limit) await sleep(await untilDue())
      }
    }

    async function due(limit: number): Promise<Job[]> {
      woken = false
      try {
        const now = clock.now()
        return await queue.claim(lane.kind, { now, leaseMs: lane.leaseMs, limit })
      } catch (error) {
        onFault(error, lane.kind)
        await sleep(pollMs)
        return []
      }
    }

    function begin(jobs: readonly Job[]): void {
      for (const job of jobs) held.add(job)
      void lane
        .handle(jobs, leave)
        .catch((error: unknown) => {
          // What was given back is nobody's business here any more: the store may be closed by now.
          if (!givenBack) onFault(error, lane.kind)
        })
        .finally(() => {
          for (const job of jobs) leave(job)
          // What was done may have given jobs a new time, sooner than the loop sleeps until.
          wake()
        })
    }

    function leave(job: Job): void {
      if (held.delete(job) && full) wake()
    }

    function wake(): void {
      woken = true
      rouse?.()
    }

    async function untilDue(): Promise<number> {
      try {
        const next = await queue.nextDue(lane.kind, clock.now())
        return next === undefined ? pollMs : Math.min(Math.max(next - clock.now(), 0), pollMs)
      } catch (error) {
        onFault(error, lane.kind)
        return pollMs
      }
    }

    async function sleep(ms: number): Promise<void> {
      if (stopping || woken) return gather()
      sleeping = true
      await new Promise<void>((resolve) => {
        const cancel = clock.after(ms, resolve)
        rouse = () => {
          cancel()
          resolve()
        }
      })
      rouse = undefined
      sleeping = false
      if (woken) await gather()
    }

    /** Lets work gather. */
    async function gather(): Promise<void> {
      if (lane.gatherMs > 0 && !stopping) await rest(lane.gatherMs)
    }

    return {
      start() {
        ended = loop()
      },
      wake,
      idle: () => sleeping && !woken && held.size === 0,
      async stop(withinMs: number) {
        const deadline = performance.now() + withinMs
        stopping = true
        rouse?.()
        await ended
        while (held.size > 0 && performance.now() < deadline) await rest(5)
        givenBack = true
        if (held.size > 0) await queue.release([...held], clock.now())
      },
    }
  }

  return {
    start: () => {
      for (const loop of loops.values()) loop.start()
    },
    wake: (kind) => loops.get(kind)?.wake(),
    idle: () => [...loops.values()].every((loop) => loop.idle()),
    async stop(withinMs) {
      await Promise.all([...loops.values()].map((loop) => loop.stop(withinMs)))
    },
  }
}

/** A pause on the machine's own clock: how long work gathers has nothing to do with the time that tests move. */
function rest(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
