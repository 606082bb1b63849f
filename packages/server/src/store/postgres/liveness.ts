import type pg from 'pg'
import { type Pulse, realPulse } from '../../kernel/process/clock.ts'
import { CommitUncertain, StoreUnavailable } from '../database.ts'
import { isBroken } from './errors.ts'
import type { Hosts } from './hosts.ts'
import { setUp, type Wanted } from './session.ts'

/** A process that was stopped has missed answers without waiting for them, so checks are counted, not time. */
const CHECKS = 4

/**
 * Watches the connections that are in use. A server that vanished closes nothing, and the system gives up what was sent
 * to it only after a quarter of an hour.
 */
export class Watchdog {
  /** How often each connection in use was seen since its last answer. */
  readonly #seen = new Map<pg.PoolClient, number>()
  readonly #giveUp: (client: pg.PoolClient) => void
  readonly #stop: () => void

  /** `giveUp` ends a connection on which the server has not answered. */
  constructor(
    answerWithinMs: number,
    giveUp: (client: pg.PoolClient) => void,
    pulse: Pulse | undefined = realPulse,
  ) {
    this.#giveUp = giveUp
    this.#stop = pulse(answerWithinMs / CHECKS, () => this.#check())
  }

  /** Must see each connection once, when it is made. */
  meet(client: pg.PoolClient): void {
    client.on('drain', () => {
      if (this.#seen.has(client)) this.#seen.set(client, 0)
    })
  }

  /** From now on the server owes answers. */
  begin(client: pg.PoolClient): void {
    this.#seen.set(client, 0)
  }

  end(client: pg.PoolClient): void {
    this.#seen.delete(client)
  }

  stop(): void {
    this.#stop()
  }

  #check(): void {
    for (const [client, times] of this.#seen) {
      this.#seen.set(client, times + 1)
      if (times >= CHECKS) this.#giveUp(client)
    }
  }
}

export type Kind = 'read' | 'write'

/**
 * Asks the server by a connection of its own, in which no other work is in the way. Says which kind of work passed, the
 * reading before the writing, and rejects when the server does not let it. Ends its connection when it is given up.
 */
export type Probe = (passed: (kind: Kind) => void, givenUp: AbortSignal) => Promise<void>

/** With work that waits but no answer for so many ticks, the server is asked; it has as many to answer. */
const TICKS = 2
/**
 * A tick is so many turns of our own event loop, as long apart as they are when it has nothing else to do. In each turn
 * what came from the server is read, and work and the question take about ten round trips at most: a loop that is busy
 * takes longer for its turns, and the server is given as much longer.
 */
const TURNS = 10
/**
 * A probe that hangs may hang in a connection that was cut off, so after so many ticks another one is begun, and each time
 * after twice as many: on the server, one whose commit waits for a standby stays for as long as that is gone.
 */
const PROBE_TICKS = 25
const SILENT_AFTER_MS = 800
const KINDS = ['read', 'write'] as const

/**
 * Notices within a second that the server does not answer: it is frozen, cut off, or its commits wait for a standby that
 * is gone. Work that came before goes on waiting; what comes from then on need not.
 */
export class Silence {
  readonly #of = { read: new KindOfWork(), write: new KindOfWork() }
  readonly #probe: Probe
  readonly #begin: () => () => void
  #stop: (() => void) | undefined
  #probing: Probing | undefined
  #turns = 0
  #patience = PROBE_TICKS

  /** `silentAfterMs`: how long work goes without an answer until the server is called silent. */
  constructor(probe: Probe, silentAfterMs = SILENT_AFTER_MS, pulse: Pulse | undefined = realPulse) {
    this.#probe = probe
    this.#begin = () => pulse(silentAfterMs / (2 * TICKS * TURNS), () => this.#turn())
  }

  /** Begins to notice. Until then all work waits. */
  watch(): void {
    this.#stop ??= this.#begin()
  }

  /** Whether work of this kind is known to get no answer now. */
  isSilent(kind: Kind): boolean {
    return this.#of[kind].isSilent
  }

  /** Calls once when that begins. The returned function takes it back. */
  onSilence(kind: Kind, call: () => void): () => void {
    return this.#of[kind].onSilence(call)
  }

  /** Runs work that changes something. Refuses it while there is no answer; once begun, it is waited for. */
  write<T>(work: () => Promise<T>): Promise<T> {
    return this.#waitFor('write', work)
  }

  /** Runs work that changes nothing, so it is refused also when it has begun. */
  read<T>(work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const takeBack = this.#of.read.onSilence(() => reject(unanswered()))
      this.#waitFor('read', work).finally(takeBack).then(resolve, reject)
    })
  }

  stop(): void {
    this.#stop?.()
  }

  /** A process that was stopped or busy has missed answers without waiting for them, so turns are counted, not time. */
  #turn(): void {
    this.#turns = (this.#turns + 1) % TURNS
    if (this.#turns === 0) this.#tick()
  }

  #tick(): void {
    for (const kind of KINDS) this.#of[kind].tick()
    const probing = this.#probing
    if (probing) {
      probing.ticks++
      if (probing.ticks >= TICKS) this.#judge(probing)
      if (probing.ticks >= this.#patience) {
        this.#patience *= 2
        this.#giveUp()
      }
    } else if (KINDS.some((kind) => this.#of[kind].isQuiet())) void this.#ask()
  }

  async #ask(): Promise<void> {
    const begun = { ticks: 0, passed: new Set<Kind>(), end: new AbortController() }
    this.#probing = begun
    await this.#probe((kind) => this.#answered(kind), begun.end.signal).catch((error: unknown) => {
      if (this.#probing !== begun) return
      // A server that has no connection left for this, say, is there.
      if (isBroken(error)) this.#judge(begun)
      else for (const kind of KINDS) this.#answered(kind)
    })
    if (this.#probing === begun) this.#probing = undefined
  }

  /** Forgets a probe, so that the next tick may begin another one. */
  #giveUp(): void {
    this.#probing?.end.abort()
    this.#probing = undefined
  }

  /**
   * Work that ends in a silence had begun before it, and may have had nothing to commit, or waited for a lock: the server is
   * there, but its commits may still wait. The probe under way may be lost, so the next tick begins another one.
   */
  #ended(kind: Kind): void {
    if (this.#of[kind].isSilent) this.#giveUp()
    else this.#answered(kind)
  }

  /** Whatever was answered since a probe began, the probe itself may have missed the server by a moment. */
  #answered(kind: Kind): void {
    this.#of[kind].answered()
    this.#probing?.passed.add(kind)
    this.#patience = PROBE_TICKS
  }

  /**
   * Calls a kind of work silent when it got no answer since the last look. An overdue probe may itself hang,
   * so from then on the kind must also have work that waits.
   */
  #judge({ ticks, passed }: Probing): void {
    for (const kind of KINDS)
      if (!passed.has(kind) && (ticks <= TICKS || this.#of[kind].isQuiet())) this.#of[kind].begin()
    passed.clear()
  }

  async #waitFor<T>(kind: Kind, work: () => Promise<T>): Promise<T> {
    const ofKind = this.#of[kind]
    if (ofKind.isSilent) throw unanswered()
    ofKind.waiting++
    try {
      const result = await work()
      this.#ended(kind)
      return result
    } catch (error) {
      // Being refused a connection is no answer, nor is losing it.
      if (!(error instanceof StoreUnavailable || error instanceof CommitUncertain)) this.#ended(kind)
      throw error
    } finally {
      ofKind.waiting--
    }
  }
}

/** A probe under way, and what was answered since it began or, once it is overdue, since the last look at it. */
interface Probing {
  ticks: number
  passed: Set<Kind>
  end: AbortController
}

/** The waiting work of one kind, and whether it gets answers. */
class KindOfWork {
  readonly #calls = new Set<() => void>()
  waiting = 0
  isSilent = false
  /** Ticks since the last answer, while work waits for one. */
  #quiet = 0

  isQuiet(): boolean {
    return this.isSilent || this.#quiet >= TICKS
  }

  tick(): void {
    this.#quiet = this.waiting > 0 ? this.#quiet + 1 : 0
  }

  answered(): void {
    this.#quiet = 0
    this.isSilent = false
  }

  begin(): void {
    this.isSilent = true
    const begun = [...this.#calls]
    this.#calls.clear()
    for (const call of begun) call()
  }

  onSilence(call: () => void): () => void {
    this.#calls.add(call)
    return () => void this.#calls.delete(call)
  }
}

function unanswered(): StoreUnavailable {
  return new StoreUnavailable('PostgreSQL does not answer')
}

/** A commit that changes no row: it waits for what every commit waits for, and for no lock. */
const COMMIT = "SELECT pg_logical_emit_message(true, 'wigwag', '')"

/** Asks one host whether it serves us: a {@link Probe} once it is told of the hosts. */
export async function probe(
  hosts: Hosts,
  { connection, wanted }: { connection: pg.ClientConfig; wanted: Wanted },
  passed: (kind: Kind) => void,
  givenUp: AbortSignal,
): Promise<void> {
  const client = new hosts.Client(connection)
  client.on('error', () => undefined)
  givenUp.addEventListener('abort', () => client.connection.stream.destroy(), { once: true })
  try {
    await client.connect()
    await setUp(client, 'to write', wanted).catch((error: unknown) => {
      hosts.failed(client)
      throw error
    })
    hosts.worked(client)
    passed('read')
    await client.query(COMMIT)
    passed('write')
  } finally {
    // Not by `end()`, which a connection that hangs would never answer.
    client.connection.stream.destroy()
  }
}
