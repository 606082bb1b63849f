import type { Depart } from '../delivery/index.ts'
import { Problem, type ProblemCode } from '../domain/errors.ts'
import type { EpochMs, Ticket } from '../domain/ids.ts'
import type { RateTable } from '../domain/money/rates.ts'
import type { JobTimes, NewMessage } from '../messages/index.ts'
import { lockedWallets } from '../money/index.ts'
import type { Backlog } from '../platform/backlog.ts'
import { createBatcher, type Outcome } from '../platform/batcher.ts'
import type { Clock } from '../platform/clock.ts'
import { CommitUncertain, type Database, StoreUnavailable } from '../platform/database/database.ts'
import { nextTurn } from '../platform/event-loop.ts'
import { acceptAtOnce } from './accept-at-once.postgres.ts'
import {
  type Accepted,
  type Decided,
  decide,
  firstOfEachScope,
  replay,
  replyOf,
  scopeOf,
  type Waiting,
} from './decide.ts'
import { findReplies } from './idempotency.ts'
import { isLimited, type SendLimits } from './limited-hold.ts'
import { type PreparedSend, prepareSend, type SendCommand } from './prepare.ts'
import { createSetAside } from './set-aside.ts'

export interface AcceptOptions {
  database: Database
  clock: Clock
  rates(): Promise<RateTable>
  newId(now: EpochMs): Ticket
  /** How long a message may take to be delivered before it expires. */
  validityMs: number
  limits: SendLimits
  /** How long a send waits for a lock in one of its tries. */
  lockWaitMs?: number | undefined
  /** Chooses how messages that go out at once leave. */
  depart: Depart
  /** Wallets that send much wait while results of earlier sends wait to be stored. */
  backlog?: Pick<Backlog, 'admits' | 'small'> | undefined
  /** Called after a commit with the accepted messages and how many of them are scheduled. */
  onAccepted(messages: readonly NewMessage[], scheduled: number): void
  /** Remembers the current request for the messages of a send, while traces are on. */
  keepTrace?: ((messages: readonly NewMessage[]) => Promise<void>) | undefined
  /** Called with what `onAccepted` throws: the sends are committed by then and do not fail. */
  onFault(error: unknown): void
}

/** Messages of one transaction, but for a bulk of more. */
const MOST_TOGETHER = 1_000
/** Messages that may wait to be accepted. */
const MOST_WAITING = 50_000
const MOST_OF_A_WALLET = 20_000
/** After the single statement refuses a batch, it is not tried again for this long. */
const CAREFUL_MS = 100

/**
 * Accepts sends. Those that arrive together are committed in one transaction, and each is answered after that COMMIT.
 * Wallets take turns when more waits than one transaction takes. A send that fails does not affect the others.
 */
export function createAccept(options: AcceptOptions): (command: SendCommand) => Promise<Accepted> {
  const { database, clock, rates, newId, validityMs, limits, backlog } = options
  const weigh = ({ messages }: Waiting) => messages.length
  const walletOf = ({ command }: Waiting) => command.principal.wallet.id
  const maxWaiting = { weight: MOST_WAITING, ofKey: MOST_OF_A_WALLET, error: overloaded }
  /** Lets through what has to wait for results, about as much as one transaction takes at a time. */
  const hold = createBatcher<Waiting, void>({
    async run(sends) {
      await backlog?.small()
      return sends.map(() => ({ value: undefined }))
    },
    weigh,
    maxWeight: MOST_TOGETHER,
    keyOf: walletOf,
    maxWaiting,
  })
  const commit = createBatcher<Waiting, Accepted>({
    run: createSetAside<Waiting, Accepted>({
      run: commitTogether,
      walletOf,
      keyOf: ({ scope }) => scope,
      lockedWallets: (ids) => lockedWallets(database, ids),
      weigh,
      lockWaitMs: options.lockWaitMs,
      refusal: (by) => (by === 'key' ? stillRunning() : walletLocked()),
    }),
    weigh,
    maxWeight: MOST_TOGETHER,
    atOnce: database.writesAtOnce,
    keyOf: walletOf,
    heavyBeside: true,
    maxWaiting,
  })

  let carefulUntil = 0

  async function commitTogether(sends: readonly Waiting[], lockWaitMs: number): Promise<Outcome<Accepted>[]> {
    const departure = options.depart(sends.flatMap(({ messages }) => messages.filter(goesOut)))
    const times = { validityMs, departure }
    const isLong = sends.reduce((sum, send) => sum + weigh(send), 0) > MOST_TOGETHER
    try {
      if (isLong) await nextTurn()
      const { outcomes, messages } =
        (await decideAtOnce(sends, times, lockWaitMs)) ??
        (await database.write((tx) => decide(tx, sends, { now: clock.now(), newId, times, limits }), {
          lockWaitMs,
          alone: isLong,
        }))
      if (isLong) await nextTurn()
      begin(messages, departure)
      return sends.map((send, index) => outcomes[index] ?? nextTime(send))
    } catch (error) {
      departure.giveBack()
      if (!(error instanceof CommitUncertain)) throw error
      return sends.map((send) => ({ error: uncertain(send, error) }))
    }
  }

  /** Accepts all sends in one statement; undefined, with nothing decided, when they need `decide`. */
  async function decideAtOnce(
    sends: readonly Waiting[],
    times: JobTimes,
    lockWaitMs: number,
  ): Promise<Decided | undefined> {
    if (clock.elapsed() < carefulUntil || sends.some(isLimited)) return undefined
    if (firstOfEachScope(sends).length < sends.length) return undefined
    const messages = sends.flatMap((send) => send.messages)
    const replies = sends.flatMap(replyOf)
    const accepted = { messages, replies, now: clock.now(), times }
    if (await acceptAtOnce(database, accepted, { lockWaitMs }))
      return { outcomes: sends.map(({ json }) => ({ value: { json, replayed: false } })), messages }
    carefulUntil = clock.elapsed() + CAREFUL_MS
    return undefined
  }

  /** Starts sending accepted messages. They are committed, so a failure here fails no send. */
  function begin(messages: readonly NewMessage[], departure: ReturnType<Depart>): void {
    const outgoing = messages.filter(goesOut)
    try {
      departure.begin(outgoing)
      if (messages.length > 0) options.onAccepted(messages, messages.length - outgoing.length)
    } catch (error) {
      options.onFault(error)
    }
  }

  /** Leaves a send to a later batch. */
  function nextTime(send: Waiting): Outcome<Accepted> {
    const value = commit(send)
    // It may be refused before this batch is done, when nothing handles the rejection yet.
    value.catch(() => undefined)
    return { value }
  }

  /** A repeat of a request that succeeded gets the same answer, even if it would be refused today. */
  async function answeredBefore(command: SendCommand): Promise<Outcome<Accepted> | undefined> {
    const scope = scopeOf(command)
    if (scope === undefined) return undefined
    const stored = await database.read((tx) => findReplies(tx, [scope]))
    const earlier = stored.get(scope)
    return earlier && replay(command, earlier)
  }

  /**
   * While the store says nothing, a caller who can ask again with its key need not wait. What was begun goes on, and a
   * caller without a key waits until it is known whether it was done.
   */
  function unlessSilent(scope: string | undefined, accepting: Promise<Accepted>): Promise<Accepted> {
    if (scope === undefined || !database.onSilence) return accepting
    const { promise, resolve, reject } = Promise.withResolvers<Accepted>()
    const takeBack = database.onSilence(() => reject(outcomeUnknown()))
    accepting.finally(takeBack).then(resolve, reject)
    return promise
  }

  async function commitInTurn(send: Waiting): Promise<Accepted> {
    if (backlog && !backlog.admits(walletOf(send), weigh(send))) await hold(send)
    return commit(send)
  }

  return async function accept(command) {
    // It would wait behind what gets no answer.
    if (database.isSilent?.()) throw new StoreUnavailable('the store does not answer')
    let prepared: PreparedSend | undefined
    try {
      prepared = await prepareSend(command, { rates: await rates(), now: clock.now(), newId })
      // Before the commit: another process may take the job right after it.
      await options.keepTrace?.(prepared.messages)
      const json = await command.render(prepared.messages)
      const send = { ...prepared, scope: scopeOf(command), json }
      return await unlessSilent(send.scope, commitInTurn(send))
    } catch (error) {
      const isRefusal = error instanceof Problem && error.code !== 'outcome_unknown'
      const earlier = isRefusal ? await answeredBefore(command) : undefined
      if (!earlier) throw error
      if ('value' in earlier) return earlier.value
      // Keep the reason for which a prepared send was refused, even if its key belongs to another body by now.
      throw prepared ? error : earlier.error
    }
  }
}

function goesOut({ status }: NewMessage): boolean {
  return status === 'pending'
}

/**
 * It is unknown whether the send was committed, and a repeat could send each message twice. Only a caller with an
 * idempotency key is asked to repeat it.
 */
function uncertain({ scope }: Waiting, error: CommitUncertain): Error {
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
