import type { Backlog } from '../../flow/backlog.ts'
import { Batch, type Outcome } from '../../flow/batch.ts'
import type { Parts } from '../../flow/parts.ts'
import { Problem, type ProblemCode } from '../../kernel/errors.ts'
import type { RateTable } from '../../kernel/money/rates.ts'
import { nextTurn } from '../../kernel/process/event-loop.ts'
import { lockedWallets } from '../../money/index.ts'
import { CommitUncertain, StoreUnavailable } from '../../store/database.ts'
import type { Depart, JobTimes, NewMessage } from '../index.ts'
import { acceptAtOnce } from './accept-at-once.postgres.ts'
import { BehindLocks } from './behind-locks.ts'
import {
  type Accepted,
  type Decided,
  decide,
  firstOfEachScope,
  replay,
  replyOf,
  scopeOf,
  type WaitingSend,
} from './decide.ts'
import { findReplies } from './idempotency.ts'
import { isLimited, type SendLimits } from './limited-hold.ts'
import { type PreparedSend, prepareSend, type SendCommand } from './prepare.ts'

/** Messages of one transaction, but for a bulk of more. */
const MOST_TOGETHER = 1_000
/** Messages that may wait to be accepted. */
const MOST_WAITING = 50_000
const MOST_OF_A_WALLET = 20_000
/** After the single statement refuses a batch, it is not tried again for this long. */
const CAREFUL_MS = 100

/**
 * Accepts sends. Sends that arrive together are committed in one transaction, and each is answered after that
 * COMMIT. Wallets take turns when more waits than one transaction takes. A send that fails does not affect
 * the others.
 */
export class Accept {
  readonly #parts: Pick<Parts, 'database' | 'clock' | 'newId'>
  /** Wallets that send much wait while results of earlier sends wait to be stored. */
  readonly #backlog: Pick<Backlog, 'admits' | 'small'> | undefined
  readonly #own: Own
  /** Lets through sends that must wait for results, about as many at a time as one transaction takes. */
  readonly #hold: Batch<WaitingSend, void>
  readonly #commit: Batch<WaitingSend, Accepted>
  #carefulUntil = 0

  constructor(
    parts: Pick<Parts, 'database' | 'clock' | 'newId'> & { backlog?: Pick<Backlog, 'admits' | 'small'> },
    own: Own,
  ) {
    const { database, backlog } = parts
    this.#parts = parts
    this.#backlog = backlog
    this.#own = own
    const maxWaiting = { weight: MOST_WAITING, ofOwner: MOST_OF_A_WALLET, error: overloaded }
    this.#hold = new Batch({
      async run(sends) {
        await backlog?.small()
        return sends.map(() => ({ value: undefined }))
      },
      weigh,
      maxWeight: MOST_TOGETHER,
      ownerOf: walletIdOf,
      maxWaiting,
    })
    const behindLocks = new BehindLocks<WaitingSend, Accepted>({
      run: (sends, lockWaitMs) => this.#commitTogether(sends, lockWaitMs),
      walletOf: walletIdOf,
      keyOf: ({ scope }) => scope,
      lockedWallets: (ids) => lockedWallets(database, ids),
      weigh,
      lockWaitMs: own.lockWaitMs,
      refusal: (by) => (by === 'key' ? stillRunning() : walletLocked()),
    })
    this.#commit = new Batch({
      run: (sends) => behindLocks.run(sends),
      weigh,
      maxWeight: MOST_TOGETHER,
      atOnce: database.writesAtOnce,
      ownerOf: walletIdOf,
      heavyBeside: true,
      maxWaiting,
    })
  }

  async send(command: SendCommand): Promise<Accepted> {
    const { database, clock, newId } = this.#parts
    // It would wait behind what gets no answer.
    if (database.isSilent?.()) throw new StoreUnavailable('the store does not answer')
    let prepared: PreparedSend | undefined
    try {
      const rates = await this.#own.rates()
      prepared = await prepareSend(command, { rates, now: clock.now(), newId })
      // Before the commit: another process may take the job right after it.
      await this.#own.keepTrace?.(prepared.messages)
      const json = await command.render(prepared.messages)
      const send = { ...prepared, scope: scopeOf(command), json }
      return await this.#unlessSilent(send.scope, this.#commitInTurn(send))
    } catch (error) {
      const isRefusal = error instanceof Problem && error.code !== 'outcome_unknown'
      const earlier = isRefusal ? await this.#answeredBefore(command) : undefined
      if (!earlier) throw error
      if ('value' in earlier) return earlier.value
      // Keep the reason for which a prepared send was refused, even if its key belongs to another body by now.
      throw prepared ? error : earlier.error
    }
  }

  async #commitInTurn(send: WaitingSend): Promise<Accepted> {
    if (this.#backlog && !this.#backlog.admits(walletIdOf(send), weigh(send))) await this.#hold.add(send)
    return this.#commit.add(send)
  }

  /**
   * While the store is silent, a caller with a key need not wait, because it can ask again. Its send goes on.
   * A caller without a key waits for the result.
   */
  #unlessSilent(scope: string | undefined, accepting: Promise<Accepted>): Promise<Accepted> {
    const { database } = this.#parts
    if (scope === undefined || !database.onSilence) return accepting
    const { promise, resolve, reject } = Promise.withResolvers<Accepted>()
    const takeBack = database.onSilence(() => reject(outcomeUnknown()))
    accepting.finally(takeBack).then(resolve, reject)
    return promise
  }

  /** A repeat of a request that succeeded gets the same answer, even if it would be refused today. */
  async #answeredBefore(command: SendCommand): Promise<Outcome<Accepted> | undefined> {
    const scope = scopeOf(command)
    if (scope === undefined) return undefined
    const stored = await this.#parts.database.read((tx) => findReplies(tx, [scope]))
    const earlier = stored.get(scope)
    return earlier && replay(command, earlier)
  }

  async #commitTogether(sends: readonly WaitingSend[], lockWaitMs: number): Promise<Outcome<Accepted>[]> {
    const { database, clock, newId } = this.#parts
    const { validityMs, limits, depart } = this.#own
    const departure = depart(sends.flatMap(({ messages }) => messages.filter(goesOut)))
    const times = { validityMs, departure }
    const isLong = sends.reduce((sum, send) => sum + weigh(send), 0) > MOST_TOGETHER
    try {
      if (isLong) await nextTurn()
      const { outcomes, messages } =
        (await this.#decideAtOnce(sends, times, lockWaitMs)) ??
        (await database.write((tx) => decide(tx, sends, { now: clock.now(), newId, times, limits }), {
          lockWaitMs,
          alone: isLong,
        }))
      if (isLong) await nextTurn()
      this.#begin(messages, departure)
      return sends.map((send, index) => outcomes[index] ?? this.#nextTime(send))
    } catch (error) {
      departure.giveBack()
      if (!(error instanceof CommitUncertain)) throw error
      return sends.map((send) => ({ error: uncertain(send, error) }))
    }
  }

  /** Accepts all sends in one statement; undefined, with nothing decided, when they need `decide`. */
  async #decideAtOnce(
    sends: readonly WaitingSend[],
    times: JobTimes,
    lockWaitMs: number,
  ): Promise<Decided | undefined> {
    const { database, clock } = this.#parts
    if (clock.elapsed() < this.#carefulUntil || sends.some(isLimited)) return undefined
    if (firstOfEachScope(sends).length < sends.length) return undefined
    const messages = sends.flatMap((send) => send.messages)
    const replies = sends.flatMap(replyOf)
    const accepted = { messages, replies, now: clock.now(), times }
    if (await acceptAtOnce(database, accepted, { lockWaitMs }))
      return { outcomes: sends.map(({ json }) => ({ value: { json, replayed: false } })), messages }
    this.#carefulUntil = clock.elapsed() + CAREFUL_MS
    return undefined
  }

  /** Starts sending accepted messages. They are committed, so a failure here fails no send. */
  #begin(messages: readonly NewMessage[], departure: ReturnType<Depart>): void {
    const outgoing = messages.filter(goesOut)
    try {
      departure.begin(outgoing)
      if (messages.length > 0) this.#own.onAccepted(messages, messages.length - outgoing.length)
    } catch (error) {
      this.#own.onFault(error)
    }
  }

  /** Leaves a send to a later batch. */
  #nextTime(send: WaitingSend): Outcome<Accepted> {
    const value = this.#commit.add(send)
    // It may be refused before this batch is done, when nothing handles the rejection yet.
    value.catch(() => undefined)
    return { value }
  }
}

/** How long sends and messages may take, and the calls to what comes before and after accepting. */
interface Own {
  rates(): Promise<RateTable>
  /** How long a message may take to be delivered before it expires. */
  validityMs: number
  limits: SendLimits
  /** How long a send waits for a lock in one of its tries. */
  lockWaitMs?: number | undefined
  /** Chooses how messages that go out at once leave. */
  depart: Depart
  /** Called after a commit with the accepted messages and how many of them are scheduled. */
  onAccepted(messages: readonly NewMessage[], scheduled: number): void
  /** Remembers the current request for the messages of a send, while traces are on. */
  keepTrace?: ((messages: readonly NewMessage[]) => Promise<void>) | undefined
  /** Called with what `onAccepted` throws: the sends are committed by then and do not fail. */
  onFault(error: unknown): void
}

function weigh({ messages }: WaitingSend): number {
  return messages.length
}

function walletIdOf({ command }: WaitingSend): string {
  return command.principal.wallet.id
}

function goesOut({ status }: NewMessage): boolean {
  return status === 'pending'
}

/**
 * It is unknown whether the send was committed, and a repeat could send each message twice. Only a caller with an
 * idempotency key is asked to repeat it.
 */
function uncertain({ scope }: WaitingSend, error: CommitUncertain): Error {
  return scope === undefined ? error : outcomeUnknown()
}

function outcomeUnknown(): Problem {
  return repeatable(
    'outcome_unknown',
    'The store went away while it kept the request; repeat the request with the same key to find out. It is done once.',
  )
}

function stillRunning(): Problem {
  return repeatable('idempotency_in_progress', 'Repeat the request after a moment to get its result.')
}

function walletLocked(): Problem {
  return repeatable('unavailable', 'Other work keeps the wallet locked; repeat the request in a moment.')
}

function overloaded(): Problem {
  return repeatable(
    'unavailable',
    'Too many messages of this wallet wait to be accepted; repeat the request in a moment, and send fewer at a time.',
  )
}

function repeatable(
  code: Extract<ProblemCode, 'unavailable' | 'outcome_unknown' | 'idempotency_in_progress'>,
  detail: string,
): Problem {
  return new Problem(code, detail, { headers: { 'retry-after': '1' } })
}
