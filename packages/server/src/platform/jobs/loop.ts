import type { Clock } from '../clock.ts'
import type { Due, Job, JobQueue, LaneName, ReservedCapacity } from './queue.ts'

/** How the jobs of one lane are handled. */
export interface Lane extends LaneName {
  /**
   * Handles claimed jobs and finishes each of them. May report single jobs as done, so that a slow one does not hold
   * the capacity of its whole batch. A job that has failed before comes alone, so that it cannot fail others.
   */
  handle(jobs: readonly Job[], done: (job: Job) => void): Promise<void>
  /** How many jobs are claimed at a time. */
  batch: number
  /** How many jobs may be in progress at a time. */
  underWay: number
  /**
   * How many more jobs an owner may begin, by how many of its own and of all owners are in progress. Default: any
   * number.
   */
  share?(owner: string, inProgress: { own: number; all: number }): number
  leaseMs: number
  /** A short wait after a wake-up, so that one claim takes all the work that gathers. */
  gatherMs: number
  /** How many more jobs what is behind the lane can take now; without it, any number. Call `wake` when it grows. */
  capacity?(): number
  /** Claims only jobs that have been due for this long, and leaves the others to processes that fare better. */
  patienceMs?(): number
}

export interface WorkerOptions {
  queue: JobQueue
  clock: Clock
  /** The longest sleep. Other processes queue work without waking this one. */
  pollMs: number
  onFault(error: unknown, lane: LaneName, jobs: readonly Job[]): void
}

export interface LoopOptions extends WorkerOptions {
  /** The jobs in progress in all lanes, by id: a job may be claimed by another lane than the one that holds it. */
  inProgress: Map<string, Job>
}

export type Loop = ReturnType<typeof createLoop>

/** Claims the due jobs of a lane and passes them to its handler. */
export function createLoop(lane: Lane, { queue, clock, pollMs, onFault, inProgress }: LoopOptions) {
  let stopping = false
  let woken = false
  let sleeping = false
  let full = false
  let reserved = 0
  let givenBack = false
  /** The jobs in progress, by id. */
  const held = new Map<string, Job>()
  /** How many jobs of each owner are in progress, or are being stored as such. Counted where it matters. */
  const ofOwner = new Map<string, number>()
  let rouse: (() => void) | undefined
  let stopRenewing: (() => void) | undefined
  let ended: Promise<void> | undefined

  async function loop(): Promise<void> {
    while (!stopping) {
      const limit = Math.max(0, Math.min(free(), lane.batch))
      const claimed = limit > 0 ? await due(limit) : []
      full = limit === 0
      // Nothing can be claimed now. The next job to finish wakes the loop.
      if (full) woken = false
      begin(claimed.filter((job) => !adopted(job)))
      if (full) await sleep(pollMs)
      else if (claimed.length < limit) await sleep(untilDue())
    }
  }

  function patience(): number {
    return lane.patienceMs?.() ?? 0
  }

  /** How many more jobs may be in progress. */
  function free(): number {
    const capacity = lane.underWay - held.size - reserved
    return lane.capacity ? Math.min(capacity, lane.capacity() - reserved) : capacity
  }

  /** How many more jobs of an owner may be in progress. */
  function allowed(owner: string): number {
    if (!lane.share) return Number.POSITIVE_INFINITY
    return lane.share(owner, { own: ofOwner.get(owner) ?? 0, all: held.size + reserved })
  }

  function count(owner: string, more: number): void {
    if (!lane.share) return
    const jobs = (ofOwner.get(owner) ?? 0) + more
    if (jobs === 0) ofOwner.delete(owner)
    else ofOwner.set(owner, jobs)
  }

  async function due(limit: number): Promise<Job[]> {
    woken = false
    try {
      const now = clock.now()
      const patienceMs = patience()
      const limits = { now, dueBy: now - patienceMs, leaseMs: lane.leaseMs, limit, allowed }
      const claimed = await queue.claim(lane, limits)
      const isBack = patience() < patienceMs && claimed.length > 0
      return isBack ? await backInLine(claimed) : claimed
    } catch (error) {
      onFault(error, lane, [])
      await sleep(pollMs)
      return []
    }
  }

  /** What is behind the lane has come back meanwhile, and cannot take all that was claimed while it was away. */
  async function backInLine(claimed: readonly Job[]): Promise<Job[]> {
    await queue.release(claimed, clock.now())
    queue.notify(lane)
    wake()
    return []
  }

  /**
   * A lease can end while its job is still in progress here: the process was suspended or the clock jumped.
   * Reclaiming the job renews the lease; starting a second handler would submit its message twice. If another
   * process held the job in between, the handler here has lost it and stores nothing that rests on its claim. A job
   * that was finished and is due again before its batch is done starts like any other.
   */
  function adopted(claimed: Job): boolean {
    const underWay = claimed.lapsed ? inProgress.get(claimed.id) : undefined
    if (underWay?.epoch === claimed.epoch - 1) underWay.epoch = claimed.epoch
    return underWay !== undefined
  }

  function begin(jobs: readonly Job[]): void {
    const together = jobs.filter(({ faults }) => faults === 0)
    const batches = together.length > 0 ? [together] : []
    for (const job of jobs) if (job.faults > 0) batches.push([job])
    // Finished jobs may be due again before the loop would wake.
    for (const batch of batches) void handle(batch).then(wake)
  }

  async function handle(jobs: readonly Job[]): Promise<void> {
    for (const job of jobs) {
      const earlier = held.get(job.id)
      if (earlier) leave(earlier)
      held.set(job.id, job)
      inProgress.set(job.id, job)
      count(job.owner, 1)
    }
    renewInTime()
    try {
      await lane.handle(jobs, leave)
    } catch (error) {
      await failed(jobs, error)
    }
    for (const job of jobs) leave(job)
  }

  async function failed(jobs: readonly Job[], error: unknown): Promise<void> {
    // The jobs were given back, and the store may be closed by now.
    if (givenBack) return
    const unfinished = jobs.filter((job) => held.get(job.id) === job)
    onFault(error, lane, unfinished)
    await queue
      .failed(lane, unfinished, error, clock.now())
      .catch((second: unknown) => onFault(second, lane, unfinished))
    wake()
  }

  /** Reserves capacity beside a batch of claimed jobs. An owner gets half of it at most. */
  function reserve(owners: readonly string[]): ReservedCapacity | undefined {
    if (stopping || patience() > 0) return undefined
    const most = Math.min(free(), lane.underWay - lane.batch - held.size - reserved)
    if (most <= 0) return undefined
    const now = clock.now()
    const taken = new Map<string, number>()
    let jobs = 0
    const places = owners.map((owner) => {
      const mine = taken.get(owner) ?? 0
      const isShort = jobs >= most || mine >= Math.min(Math.ceil(most / 2), allowed(owner))
      if (isShort || queue.waits(lane, owner, now)) return false
      taken.set(owner, mine + 1)
      jobs++
      return true
    })
    if (jobs === 0) return undefined
    reserved += jobs
    for (const [owner, mine] of taken) count(owner, mine)
    const giveBack = () => {
      reserved -= jobs
      for (const [owner, mine] of taken) count(owner, -mine)
      if (full) wake()
    }
    return {
      leaseMs: lane.leaseMs,
      has: (index) => places[index] === true,
      giveBack,
      begin(stored) {
        if (stored.length > 0 && !givenBack) void handle(stored)
        giveBack()
      },
    }
  }

  function leave(job: Job): void {
    if (held.get(job.id) !== job) return
    held.delete(job.id)
    count(job.owner, -1)
    if (inProgress.get(job.id) === job) inProgress.delete(job.id)
    if (held.size === 0) stopRenewing?.()
    if (full || lane.share) wake()
  }

  /** Renews the leases of the jobs in progress, well before they end. */
  function renewInTime(): void {
    if (stopRenewing) return
    const cancel = clock.after(lane.leaseMs / 3, async () => {
      stopRenewing = undefined
      const jobs = [...held.values()]
      try {
        await queue.renew(jobs, clock.now() + lane.leaseMs)
      } catch (error) {
        onFault(error, lane, jobs)
      }
      if (held.size > 0 && !givenBack) renewInTime()
    })
    stopRenewing = () => {
      stopRenewing = undefined
      cancel()
    }
  }

  function wake(): void {
    woken = true
    rouse?.()
  }

  function untilDue(): number {
    const next = queue.nextDue(lane, allowed)
    if (next === undefined) return pollMs
    const dueIn = next + patience() - clock.now()
    return Math.min(Math.max(dueIn, 0), pollMs)
  }

  async function sleep(ms: number): Promise<void> {
    if (stopping || woken) return gather()
    if (ms === 0) return
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

  /** Waits for more work, so that one claim takes it all. */
  async function gather(): Promise<void> {
    if (lane.gatherMs > 0 && !stopping) await rest(lane.gatherMs)
  }

  return {
    start() {
      queue.notify(lane)
      ended = loop()
    },
    /** Jobs have come: these, or any. */
    notify(jobs?: readonly Due[]) {
      queue.notify(lane, jobs)
      wake()
    },
    /** There may be capacity for more. */
    wake,
    reserve,
    sleeps: () => sleeping && !woken,
    /** How many jobs are in progress. */
    inHand: () => held.size,
    /** Claims nothing more, and resolves when no claim is under way. */
    async stopClaiming() {
      stopping = true
      rouse?.()
      await ended
    },
    /** Whether no job is in progress, and none is about to be stored as already claimed. */
    done: () => held.size + reserved === 0,
    /** Gives back the jobs in progress. */
    async release() {
      givenBack = true
      stopRenewing?.()
      const left = [...held.values()]
      // Without it, another process takes them when their leases end.
      if (left.length > 0)
        await queue.release(left, clock.now()).catch((error: unknown) => onFault(error, lane, left))
    },
  }
}

/** Pauses in real time, not on the injected clock: tests that move time must not affect how long work gathers. */
export function rest(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
