import { CommitUncertain, StoreUnavailable } from '../database.ts'
import { isBroken } from './errors.ts'
import { type Pulse, realPulse } from './pulse.ts'

export type Kind = 'read' | 'write'

export interface SilenceOptions {
  /**
   * Asks the server by a connection of its own, in which no other work is in the way. Says which kind of work passed, the
   * reading before the writing, and rejects when the server does not let it. Ends its connection when it is given up.
   */
  probe(passed: (kind: Kind) => void, givenUp: AbortSignal): Promise<void>
  /** How long work goes without an answer until the server is called silent. */
  silentAfterMs?: number | undefined
  pulse?: Pulse | undefined
}

/**
 * Notices within a second that the server does not answer: it is frozen, cut off, or its commits wait for a standby that
 * is gone. Work that came before goes on waiting; what comes from then on need not.
 */
export interface Silence {
  /** Whether work of this kind is known to get no answer now. */
  isSilent(kind: Kind): boolean
  /** Calls once when that begins. The returned function takes it back. */
  onSilence(kind: Kind, call: () => void): () => void
  /** Runs work that changes something. Refuses it while there is no answer; once begun, it is waited for. */
  write<T>(work: () => Promise<T>): Promise<T>
  /** Runs work that changes nothing, so it is refused also when it has begun. */
  read<T>(work: () => Promise<T>): Promise<T>
  stop(): void
}

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

export function createSilence({
  probe,
  silentAfterMs = SILENT_AFTER_MS,
  pulse = realPulse,
}: SilenceOptions): Silence {
  const of = { read: createKind(), write: createKind() }
  /** A probe under way, and what was answered since it began or, once it is overdue, since the last look at it. */
  let probing: Probing | undefined
  let turns = 0
  let patience = PROBE_TICKS

  /** A process that was stopped or busy has missed answers without waiting for them, so turns are counted, not time. */
  function turn(): void {
    turns = (turns + 1) % TURNS
    if (turns === 0) tick()
  }

  function tick(): void {
    for (const kind of KINDS) of[kind].tick()
    if (probing) {
      probing.ticks++
      if (probing.ticks >= TICKS) judge(probing)
      if (probing.ticks >= patience) {
        patience *= 2
        giveUp()
      }
    } else if (KINDS.some((kind) => of[kind].isQuiet())) void ask()
  }

  async function ask(): Promise<void> {
    const begun = { ticks: 0, passed: new Set<Kind>(), end: new AbortController() }
    probing = begun
    await probe(answered, begun.end.signal).catch((error: unknown) => {
      if (probing !== begun) return
      // A server that has no connection left for this, say, is there.
      if (isBroken(error)) judge(begun)
      else for (const kind of KINDS) answered(kind)
    })
    if (probing === begun) probing = undefined
  }

  /** Forgets a probe, so that the next tick may begin another one. */
  function giveUp(): void {
    probing?.end.abort()
    probing = undefined
  }

  /**
   * Work that ends in a silence had begun before it, and may have had nothing to commit, or waited for a lock: the server is
   * there, but its commits may still wait. The probe under way may be lost, so the next tick begins another one.
   */
  function ended(kind: Kind): void {
    if (of[kind].isSilent()) giveUp()
    else answered(kind)
  }

  /** Whatever was answered since a probe began, the probe itself may have missed the server by a moment. */
  function answered(kind: Kind): void {
    of[kind].answered()
    probing?.passed.add(kind)
    patience = PROBE_TICKS
  }

  /**
   * What was not answered is silent. A probe may hang for as long as the server does: what was answered before that says
   * nothing later, and then what no work waits for may well be answered.
   */
  function judge({ ticks, passed }: Probing): void {
    for (const kind of KINDS)
      if (!passed.has(kind) && (ticks <= TICKS || of[kind].isQuiet())) of[kind].begin()
    passed.clear()
  }

  async function waitFor<T>(kind: Kind, work: () => Promise<T>): Promise<T> {
    if (of[kind].isSilent()) throw unanswered()
    const stopWaiting = of[kind].waits()
    try {
      const result = await work()
      ended(kind)
      return result
    } catch (error) {
      // Being refused a connection is no answer, nor is losing it.
      if (!(error instanceof StoreUnavailable || error instanceof CommitUncertain)) ended(kind)
      throw error
    } finally {
      stopWaiting()
    }
  }

  const stop = pulse(silentAfterMs / (2 * TICKS * TURNS), turn)
  return {
    isSilent: (kind) => of[kind].isSilent(),
    onSilence: (kind, call) => of[kind].onSilence(call),
    write: (work) => waitFor('write', work),
    read: (work) =>
      new Promise((resolve, reject) => {
        const takeBack = of.read.onSilence(() => reject(unanswered()))
        waitFor('read', work).finally(takeBack).then(resolve, reject)
      }),
    stop,
  }
}

interface Probing {
  ticks: number
  passed: Set<Kind>
  end: AbortController
}

/** What is known of one kind of work. */
function createKind() {
  const calls = new Set<() => void>()
  let waiting = 0
  /** Ticks since the last answer, while work waits for one. */
  let quiet = 0
  let silent = false
  return {
    isSilent: () => silent,
    isQuiet: () => silent || quiet >= TICKS,
    tick() {
      quiet = waiting > 0 ? quiet + 1 : 0
    },
    waits() {
      waiting++
      return () => void waiting--
    },
    answered() {
      quiet = 0
      silent = false
    },
    begin() {
      silent = true
      const begun = [...calls]
      calls.clear()
      for (const call of begun) call()
    },
    onSilence(call: () => void) {
      calls.add(call)
      return () => void calls.delete(call)
    },
  }
}

function unanswered(): StoreUnavailable {
  return new StoreUnavailable('PostgreSQL does not answer')
}
