import type { Worker } from 'node:worker_threads'
import type { Pulse } from './clock.ts'

const BEAT_MS = 500
/** A thread that has not answered for so many beats is stuck. A busy one answers between two turns of its event loop. */
const MOST_OWED = 20
/** Loading takes long where the machine is busy. */
const MOST_OWED_AT_START = 120

/** Whether a thread still answers. It is asked at each beat, unless it owes an answer. */
export class SignsOfLife {
  readonly #pulse: Pulse
  readonly #mostComputed: number
  readonly #ask: () => void
  readonly #onStuck: (why: string) => void
  #worker: Worker | undefined
  #isUp = false
  #stopBeats = () => {}
  /** Beats without an answer. */
  #owed = 0
  /** The processor time of the thread when it was asked for the sign of life that it owes. */
  #computedThen: Promise<number | undefined> = Promise.resolve(undefined)
  #isCounting = false

  constructor(parts: {
    pulse: Pulse
    /** A thread that has computed for so long since it was asked is stuck sooner. */
    mostComputedMicros: number
    ask(): void
    onStuck(why: string): void
  }) {
    this.#pulse = parts.pulse
    this.#mostComputed = parts.mostComputedMicros
    this.#ask = parts.ask
    this.#onStuck = parts.onStuck
  }

  /** The thread was started, and loads. */
  watch(worker: Worker): void {
    this.#worker = worker
    this.#isUp = false
    this.#owed = 0
    this.#stopBeats = this.#pulse(BEAT_MS, () => this.#beat(worker))
  }

  /** It has loaded. */
  up(): void {
    this.#isUp = true
    this.#owed = 0
  }

  seen(): void {
    this.#owed = 0
  }

  stop(): void {
    this.#worker = undefined
    this.#stopBeats()
  }

  /**
   * Counts beats, not time: a process that was stopped, or whose first thread was held up, has waited for no answer. Nor
   * has one that did not read: so a beat counts when this turn of the event loop has read what had arrived.
   */
  #beat(worker: Worker): void {
    if (this.#isCounting) return
    this.#isCounting = true
    setImmediate(() => {
      this.#isCounting = false
      if (worker !== this.#worker) return
      const most = this.#isUp ? MOST_OWED : MOST_OWED_AT_START
      if (this.#owed === 0 && this.#isUp) {
        this.#ask()
        this.#computedThen = computed(worker)
      }
      this.#owed++
      if (this.#owed > most) this.#end(`it has not answered for ${most} beats`)
      else if (this.#owed > 1 && this.#isUp) void this.#endIfComputing(worker, this.#computedThen)
    })
  }

  /** It may also wait for the processor, where the machine is busy: then it has not computed. */
  async #endIfComputing(worker: Worker, computedThen: Promise<number | undefined>): Promise<void> {
    const [now, then] = await Promise.all([computed(worker), computedThen])
    // It has answered meanwhile, and owes another sign of life or none.
    if (this.#owed === 0 || this.#computedThen !== computedThen || worker !== this.#worker) return
    if (now === undefined || then === undefined || now - then < this.#mostComputed) return
    this.#end(`it has computed for ${Math.round((now - then) / 1_000)} ms without an answer`)
  }

  #end(why: string): void {
    this.stop()
    this.#onStuck(why)
  }
}

/** The processor time of a thread, also of one that answers nothing. Undefined once it has ended. */
async function computed(worker: Worker): Promise<number | undefined> {
  try {
    const { user, system } = await worker.cpuUsage()
    return user + system
  } catch {
    return undefined
  }
}
