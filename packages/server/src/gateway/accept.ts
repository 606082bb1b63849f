import type { Clock } from '../clock.ts'
import { Problem } from '../domain/errors.ts'
import type { EpochMs, Ticket } from '../domain/ids.ts'
import type { RateTable } from '../domain/rates.ts'
import { acceptAtOnce } from '../store/accept-at-once.ts'
import { CommitUncertain, type Database, StoreUnavailable } from '../store/database.ts'
import { findReplies } from '../store/idempotency.ts'
import type { JobKind, Room } from '../store/job-queue.ts'
import type { NewMessage } from '../store/messages.ts'
import { bornClaimed, type JobTimes } from '../store/outbox.ts'
import { lockedWallets } from '../store/wallets.ts'
import { createBatcher, type Outcome } from './batcher.ts'
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
import { createHeldUp } from './held-up.ts'
import { isLimited } from './limited-hold.ts'
import { type PreparedSend, prepareSend, type SendCommand } from './prepare.ts'

export interface AcceptOptions {
  database: Database
  clock: Clock
  rates(): Promise<RateTable>
  newId(now: EpochMs): Ticket
  /** How long a message may take to be delivered before it expires. */
  validityMs: number
  /** Room for messages that go out at once; undefined when they are to be stored for anybody to claim. */
  roomFor(messages: number): Room | undefined
  /** Told after a commit how many messages were taken, and which kinds of jobs wait to be claimed. */
  onAccepted(messages: number, waiting: ReadonlySet<JobKind>): void
  /** Told of what `onAccepted` throws: the sends are committed by then. */
  onFault(error: unknown): void
}

/** After sends that can't be accepted in one statement, others are not tried in one for so long. */
const CAREFUL_MS = 100

/**
 * Takes sends. Those that arrive together are committed together, in one transaction; each is answered after its
 * COMMIT, and one that fails does not harm its neighbours.
 */
export function createAccept(options: AcceptOptions): (command: SendCommand) => Promise<Accepted> {
  const { database, clock, rates, newId, validityMs } = options
  const weigh = ({ messages }: Waiting) => messages.length
  const commit = createBatcher<Waiting, Accepted>({
    run: createHeldUp<Waiting, Accepted>({
      run: commitTogether,
      walletOf: ({ command }) => command.principal.wallet.id,
      keyOf: ({ scope }) => scope,
      lockedWallets: (ids) => lockedWallets(database, ids),
      weigh,
      refusal: (by) => (by === 'key' ? stillRunning() : walletLocked()),
    }),
    weigh,
    maxWeight: 1_000,
    atOnce: database.writesAtOnce,
    maxWaiting: { weight: 50_000, error: overloaded },
  })

  let carefulUntil = 0

  async function commitTogether(sends: readonly Waiting[], lockWaitMs: number): Promise<Outcome<Accepted>[]> {
    const outgoing = sends.flatMap(({ messages }) => messages.filter(goesOut))
    const room = outgoing.length > 0 ? options.roomFor(outgoing.length) : undefined
    const times = { validityMs, leaseMs: room?.leaseMs }
    try {
      const { outcomes, messages } =
        (await decideAtOnce(sends, times, lockWaitMs)) ??
        (await database.write((connection) => decide(connection, sends, { now: clock.now(), newId, times }), {
          lockWaitMs,
        }))
      begin(messages, room)
      return sends.map((send, index) => outcomes[index] ?? nextTime(send))
    } catch (error) {
      room?.giveBack()
      if (!(error instanceof CommitUncertain)) throw error
      return sends.map((send) => ({ error: uncertain(send, error) }))
    }
  }

  /** Accepts all sends, where that is easily seen to be right; otherwise decides nothing. */
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

  /** Has accepted messages sent. They are committed: a failure here fails no send. */
  function begin(messages: readonly NewMessage[], room: Room | undefined): void {
    const outgoing = messages.filter(goesOut)
    const waiting = new Set<JobKind>()
    if (outgoing.length < messages.length) waiting.add('scheduled')
    if (outgoing.length > 0 && !room) waiting.add('dispatch')
    try {
      room?.begin(outgoing.map((message) => bornClaimed(message, validityMs)))
      if (messages.length > 0) options.onAccepted(messages.length, waiting)
    } catch (error) {
      options.onFault(error)
    }
  }

  /** Leaves a send to a later batch. */
  function nextTime(send: Waiting): Outcome<Accepted> {
    const value = commit(send)
    // It may be refused before the rest of this batch is done, when its caller does not listen yet.
    value.catch(() => undefined)
    return { value }
  }

  /** What was right when it was first sent has its answer, even if its time has passed or its sender is gone since. */
  async function answeredBefore(command: SendCommand): Promise<Outcome<Accepted> | undefined> {
    const scope = scopeOf(command)
    if (scope === undefined) return undefined
    const stored = await database.read((connection) => findReplies(connection, [scope]))
    const earlier = stored.get(scope)
    return earlier && replay(command, earlier)
  }

  return async function accept(command) {
    let prepared: PreparedSend | undefined
    try {
      prepared = await prepareSend(command, { rates: await rates(), now: clock.now(), newId })
      return await commit({ ...prepared, scope: scopeOf(command), json: command.render(prepared.messages) })
    } catch (error) {
      const earlier = error instanceof Problem ? await answeredBefore(command) : undefined
      if (!earlier) throw error
      if ('value' in earlier) return earlier.value
      // A send that got as far as the store was refused for itself, whatever body has taken the key since.
      throw prepared ? error : earlier.error
    }
  }
}

function goesOut({ status }: NewMessage): boolean {
  return status === 'pending'
}

/**
 * It is unknown whether the send was committed, and doing it again could send each message twice. Only a caller who has
 * a key may be asked to repeat it.
 */
function uncertain({ scope }: Waiting, error: CommitUncertain): Error {
  return scope === undefined ? error : new StoreUnavailable(error.message, { cause: error })
}

function stillRunning(): Problem {
  return repeatable('idempotency_in_progress', 'Repeat the request after a moment to get its result.')
}

function walletLocked(): Problem {
  return repeatable('unavailable', 'Other work keeps the wallet locked; repeat the request in a moment.')
}

function overloaded(): Problem {
  return repeatable('unavailable', 'Too many messages wait to be accepted; repeat the request in a moment.')
}

function repeatable(code: 'unavailable' | 'idempotency_in_progress', detail: string): Problem {
  return new Problem(code, detail, { headers: { 'retry-after': '1' } })
}
