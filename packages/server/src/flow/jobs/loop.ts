import { pauseInRealTime } from '../../kernel/process/event-loop.ts'
import type { Lane, ReservedCapacity, Shift } from './lanes.ts'
import type { Due, Job } from './queue.ts'

/** Claims the due jobs of a lane and passes them to its handler. */
export class Loop {
  readonly #lane: Lane
  readonly #shift: Shift
  #stopping = false
  #woken = false
  #sleeping = false
  #full = false
  #reserved = 0
  #givenBack = false
  /** The jobs in progress, by id. */
  readonly #held = new Map<string, Job>()
  /** How many jobs of each owner are in progress, or are being stored as such. Counted where it matters. */
  readonly #ofOwner = new Map<string, number>()
  readonly #allowed = (owner: string) => this.#allowedOf(owner)
  readonly #leave = (job: Job) => this.#leaveOne(job)
  #rouse: (() => void) | undefined
  #stopRenewing: (() => void) | undefined
  #ended: Promise<void> | undefined

  constructor(lane: Lane, shift: Shift) {
    this.#lane = lane
    this.#shift = shift
  }

  start(): void {
    this.#shift.queue.notify(this.#lane)
    this.#ended = this.#run()
  }

  /** Jobs have come: these, or any. */
  notify(jobs?: readonly Due[]): void {
    this.#shift.queue.notify(this.#lane, jobs)
    this.wake()
  }

  /** There may be capacity for more. */
  wake(): void {
    this.#woken = true
    this.#rouse?.()
  }

  /** Whether it waits for a time or for work. */
  get sleeps(): boolean {
    return this.#sleeping && !this.#woken
  }

  /** How many jobs are in progress. */
  get inHand(): number {
    return this.#held.size
  }

  /** Whether no job is in progress, and none is about to be stored as already claimed. */
  get done(): boolean {
    return this.#held.size + this.#reserved === 0
  }

  /** Claims nothing more, and resolves when no claim is under way. */
  async stopClaiming(): Promise<void> {
    this.#stopping = true
    this.#rouse?.()
    await this.#ended
  }

  /** Gives back the jobs in progress. */
  async giveBack(): Promise<void> {
    const { queue, clock, onFault } = this.#shift
    this.#givenBack = true
    this.#stopRenewing?.()
    const left = [...this.#held.values()]
    // Without it, another process takes them when their leases end.
    if (left.length > 0)
      await queue.giveBack(left, clock.now()).catch((error: unknown) => onFault(error, this.#lane, left))
  }

  /** Reserves capacity beside a batch of claimed jobs. An owner gets half of it at most. */
  reserve(owners: readonly string[]): ReservedCapacity | undefined {
    const lane = this.#lane
    if (this.#stopping || this.#patience() > 0) return undefined
    const most = Math.min(this.#free(), lane.underWay - lane.batch - this.#held.size - this.#reserved)
    if (most <= 0) return undefined
    const now = this.#shift.clock.now()
    const taken = new Map<string, number>()
    let jobs = 0
    const places = owners.map((owner) => {
      const mine = taken.get(owner) ?? 0
      const isShort = jobs >= most || mine >= Math.min(Math.ceil(most / 2), this.#allowedOf(owner))
      if (isShort || this.#shift.queue.waits(lane, owner, now)) return false
      taken.set(owner, mine + 1)
      jobs++
      return true
    })
    if (jobs === 0) return undefined
    this.#reserved += jobs
    for (const [owner, mine] of taken) this.#count(owner, mine)
    const giveBack = () => {
      this.#reserved -= jobs
      for (const [owner, mine] of taken) this.#count(owner, -mine)
      if (this.#full) this.wake()
    }
    return {
      leaseMs: lane.leaseMs,
      has: (index) => places[index] === true,
      giveBack,
      begin: (stored) => {
        if (stored.length > 0 && !this.#givenBack) void this.#handle(stored)
        giveBack()
      },
    }
  }

  async #run(): Promise<void> {
    const { pollMs } = this.#shift
    while (!this.#stopping) {
      const limit = Math.max(0, Math.min(this.#free(), this.#lane.batch))
      const claimed = limit > 0 ? await this.#due(limit) : []
      this.#full = limit === 0
      // Nothing can be claimed now. The next job to finish wakes the loop.
      if (this.#full) this.#woken = false
      this.#begin(claimed.filter((job) => !this.#adopted(job)))
      if (this.#full) await this.#sleep(pollMs)
      else if (claimed.length < limit) await this.#sleep(this.#untilDue())
    }
  }

  #patience(): number {
    return this.#lane.patienceMs?.() ?? 0
  }

  /** How many more jobs may be in progress. */
  #free(): number {
    const lane = this.#lane
    const capacity = lane.underWay - this.#held.size - this.#reserved
    return lane.capacity ? Math.min(capacity, lane.capacity() - this.#reserved) : capacity
  }

  /** How many more jobs of an owner may be in progress. */
  #allowedOf(owner: string): number {
    const lane = this.#lane
    if (!lane.share) return Number.POSITIVE_INFINITY
    return lane.share(owner, { own: this.#ofOwner.get(owner) ?? 0, all: this.#held.size + this.#reserved })
  }

  #count(owner: string, more: number): void {
    if (!this.#lane.share) return
    const jobs = (this.#ofOwner.get(owner) ?? 0) + more
    if (jobs === 0) this.#ofOwner.delete(owner)
    else this.#ofOwner.set(owner, jobs)
  }

  async #due(limit: number): Promise<Job[]> {
    const lane = this.#lane
    const { queue, clock, pollMs, onFault } = this.#shift
    this.#woken = false
    try {
      const now = clock.now()
      const patienceMs = this.#patience()
      const claimed = await queue.claim(lane, {
        now,
        dueBy: now - patienceMs,
        leaseMs: lane.leaseMs,
        limit,
        allowed: this.#allowed,
      })
      const isBack = this.#patience() < patienceMs && claimed.length > 0
      return isBack ? await this.#backInLine(claimed) : claimed
    } catch (error) {
      onFault(error, lane, [])
      await this.#sleep(pollMs)
      return []
    }
  }

  /** The carrier came back while we claimed for it as away: gives all back, to claim by its real capacity. */
  async #backInLine(claimed: readonly Job[]): Promise<Job[]> {
    const { queue, clock } = this.#shift
    await queue.giveBack(claimed, clock.now())
    this.notify()
    return []
  }

  /**
   * A lease can end while its job is still in progress here: the process was suspended or the clock jumped.
   * Reclaiming the job renews the lease; starting a second handler would submit its message twice. If another
   * process held the job in between, the handler here has lost it and stores nothing that rests on its claim. A job
   * that was finished and is due again before its batch is done starts like any other.
   */
  #adopted(claimed: Job): boolean {
    const underWay = claimed.lapsed ? this.#shift.inProgress.get(claimed.id) : undefined
    if (underWay?.epoch === claimed.epoch - 1) underWay.epoch = claimed.epoch
    return underWay !== undefined
  }

  #begin(jobs: readonly Job[]): void {
    const together = jobs.filter(({ faults }) => faults === 0)
    const batches = together.length > 0 ? [together] : []
    for (const job of jobs) if (job.faults > 0) batches.push([job])
    // Finished jobs may be due again before the loop would wake.
    for (const batch of batches) void this.#handle(batch).then(() => this.wake())
  }

  async #handle(jobs: readonly Job[]): Promise<void> {
    for (const job of jobs) {
      const earlier = this.#held.get(job.id)
      if (earlier) this.#leaveOne(earlier)
      this.#held.set(job.id, job)
      this.#shift.inProgress.set(job.id, job)
      this.#count(job.owner, 1)
    }
    this.#renewInTime()
    try {
      await this.#lane.handle(jobs, this.#leave)
    } catch (error) {
      await this.#failed(jobs, error)
    }
    for (const job of jobs) this.#leaveOne(job)
  }

  async #failed(jobs: readonly Job[], error: unknown): Promise<void> {
    const { queue, clock, onFault } = this.#shift
    // The jobs were given back, and the store may be closed by now.
    if (this.#givenBack) return
    const unfinished = jobs.filter((job) => this.#held.get(job.id) === job)
    onFault(error, this.#lane, unfinished)
    await queue
      .failed(this.#lane, unfinished, error, clock.now())
      .catch((second: unknown) => onFault(second, this.#lane, unfinished))
    this.wake()
  }

  #leaveOne(job: Job): void {
    const { inProgress } = this.#shift
    if (this.#held.get(job.id) !== job) return
    this.#held.delete(job.id)
    this.#count(job.owner, -1)
    if (inProgress.get(job.id) === job) inProgress.delete(job.id)
    if (this.#held.size === 0) this.#stopRenewing?.()
    if (this.#full || this.#lane.share) this.wake()
  }

  /** Renews the leases of the jobs in progress, well before they end. */
  #renewInTime(): void {
    if (this.#stopRenewing) return
    const { queue, clock, onFault } = this.#shift
    const { leaseMs } = this.#lane
    const cancel = clock.after(leaseMs / 3, async () => {
      this.#stopRenewing = undefined
      const jobs = [...this.#held.values()]
      try {
        await queue.renew(jobs, clock.now() + leaseMs)
      } catch (error) {
        onFault(error, this.#lane, jobs)
      }
      if (this.#held.size > 0 && !this.#givenBack) this.#renewInTime()
    })
    this.#stopRenewing = () => {
      this.#stopRenewing = undefined
      cancel()
    }
  }

  #untilDue(): number {
    const { queue, clock, pollMs } = this.#shift
    const next = queue.nextDue(this.#lane, this.#allowed)
    if (next === undefined) return pollMs
    const dueIn = next + this.#patience() - clock.now()
    return Math.min(Math.max(dueIn, 0), pollMs)
  }

  async #sleep(ms: number): Promise<void> {
    if (this.#stopping || this.#woken) return this.#gather()
    if (ms === 0) return
    this.#sleeping = true
    await new Promise<void>((resolve) => {
      const cancel = this.#shift.clock.after(ms, resolve)
      this.#rouse = () => {
        cancel()
        resolve()
      }
    })
    this.#rouse = undefined
    this.#sleeping = false
    if (this.#woken) await this.#gather()
  }

  /** Waits for more work, so that one claim takes it all. */
  async #gather(): Promise<void> {
    const { gatherMs } = this.#lane
    if (gatherMs > 0 && !this.#stopping) await pauseInRealTime(gatherMs)
  }
}
