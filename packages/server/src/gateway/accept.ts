import { hash } from 'node:crypto'
import type { Clock } from '../clock.ts'
import { Problem } from '../domain/errors.ts'
import type { EpochMs, Ticket } from '../domain/ids.ts'
import { type Micros, toDecimal } from '../domain/money.ts'
import type { RateTable } from '../domain/rates.ts'
import { storeAccepted } from '../store/accepted.ts'
import { CommitUncertain, type Connection, type Database, StoreUnavailable } from '../store/database.ts'
import { findReplies, forgetReplies, type StoredReply, storeReplies } from '../store/idempotency.ts'
import { holdAmounts, lockedWallets } from '../store/wallets.ts'
import { type AssistantWrite, auditWrites } from './assistant-audit.ts'
import { createBatcher, type Outcome } from './batcher.ts'
import { createHeldUp } from './held-up.ts'
import { holdWithinLimits, isLimited } from './limited-hold.ts'
import { type PreparedSend, prepareSend, type SendCommand } from './prepare.ts'

export interface Accepted {
  json: string
  replayed: boolean
}

export interface AcceptOptions {
  database: Database
  clock: Clock
  rates(): Promise<RateTable>
  newId(now: EpochMs): Ticket
  /** How long a message may take to be delivered before it expires. */
  validityMs: number
  /** Told after a commit how many messages wait to be dispatched. */
  onAccepted(messages: number): void
  /** Told of what `onAccepted` throws: the sends are committed by then. */
  onFault(error: unknown): void
}

interface Waiting extends PreparedSend {
  scope: string | undefined
  json: string
}

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
      lockedWallets: (ids) => database.write((connection) => lockedWallets(connection, ids)),
      weigh,
      refusal: (by) => (by === 'key' ? stillRunning() : walletLocked()),
    }),
    weigh,
    maxWeight: 1_000,
    maxWaiting: { weight: 50_000, error: overloaded },
  })

  async function commitTogether(sends: readonly Waiting[], lockWaitMs: number): Promise<Outcome<Accepted>[]> {
    const work = (connection: Connection) => commitSends(connection, sends)
    const committed = await database.write(work, { lockWaitMs }).catch((error: unknown) => {
      if (error instanceof CommitUncertain) return error
      throw error
    })
    if (committed instanceof CommitUncertain)
      return sends.map((send) => ({ error: uncertain(send, committed) }))
    if (committed.accepted > 0) tell(committed.accepted)
    return sends.map((send, index) => committed.outcomes[index] ?? nextTime(send))
  }

  function tell(accepted: number): void {
    try {
      options.onAccepted(accepted)
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

  /** An outcome is undefined when nothing was decided about its send. */
  async function commitSends(connection: Connection, sends: readonly Waiting[]) {
    const now = clock.now()
    const leaders = firstOfEachScope(sends)
    const stored = await storeReplies(connection, leaders.flatMap(replyOf), now)
    const fresh = leaders.filter(({ scope }) => scope === undefined || !stored.has(scope))
    // Sends that no connection makes pay for no limits: no statement more, and no turn of the event loop.
    const limited = fresh.filter(isLimited)
    const refused =
      limited.length > 0
        ? await holdWithinLimits(connection, fresh, now, (some) => holdAll(connection, some))
        : await holdAll(connection, fresh)
    const accepted = fresh.filter((send) => !refused.has(send))
    if (limited.length > 0)
      await auditWrites(
        connection,
        limited.map((send) => writeOf(send, refused.get(send))),
        now,
        newId,
      )
    await forgetReplies(
      connection,
      [...refused.keys()].flatMap(({ scope }) => scope ?? []),
    )
    const messages = accepted.flatMap((send) => send.messages)
    await storeAccepted(connection, messages, validityMs)
    const winners = new Map(leaders.map((send) => [send.scope, send]))
    const outcomes = sends.map((send): Outcome<Accepted> | undefined => {
      const leader = send.scope === undefined ? send : (winners.get(send.scope) ?? send)
      const earlier = send.scope === undefined ? undefined : stored.get(send.scope)
      if (earlier) return replay(send.command, earlier)
      const problem = refused.get(leader)
      if (problem) return isRepeat(send, leader) ? { error: problem } : undefined
      const [first] = replyOf(leader)
      return leader === send || !first
        ? { value: { json: send.json, replayed: false } }
        : replay(send.command, first)
    })
    return { outcomes, accepted: messages.length }
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

function writeOf({ command, messages, total }: Waiting, problem: Problem | undefined): AssistantWrite {
  const { principal, operation } = command
  const what = { principal, operation, messages: messages.length, cost: total }
  return problem ? { ...what, outcome: problem.code } : { ...what, outcome: 'done', ticket: messages[0]?.id }
}

/**
 * Of the sends that carry the same key, the first goes ahead. Its repeats get its answer; if it is refused, those with
 * another body are judged by themselves, for nothing was stored under the key.
 */
function firstOfEachScope(sends: readonly Waiting[]): Waiting[] {
  const seen = new Set<string>()
  return sends.filter(({ scope }) => {
    if (scope === undefined) return true
    if (seen.has(scope)) return false
    seen.add(scope)
    return true
  })
}

/** Holds every send's total, wallet by wallet in a fixed order, and says which sends were refused. */
async function holdAll(connection: Connection, sends: readonly Waiting[]): Promise<Map<Waiting, Problem>> {
  const refused = new Map<Waiting, Problem>()
  const byWallet = Map.groupBy(sends, ({ command }) => command.principal.wallet.id)
  for (const walletId of [...byWallet.keys()].sort()) {
    const group = byWallet.get(walletId) ?? []
    const totals = group.map((send) => send.total)
    const { posted, covered, available } = await holdAmounts(connection, walletId, totals)
    for (const [index, send] of group.entries()) {
      if (!covered[index]) refused.set(send, insufficientFunds(send, available))
      else for (const message of send.messages) message.balanceBefore = message.balanceAfter = posted
    }
  }
  return refused
}

function isRepeat(send: Waiting, leader: Waiting): boolean {
  return send === leader || send.command.idempotency?.fingerprint === leader.command.idempotency?.fingerprint
}

function insufficientFunds({ total, command }: Waiting, available: Micros | undefined): Problem {
  const { currency } = command.principal.wallet
  const has = available === undefined ? 'less' : `${toDecimal(available)} ${currency}`
  const what =
    command.recipients.length === 1 ? 'The message costs' : `The ${command.recipients.length} messages cost`
  return new Problem(
    'insufficient_funds',
    `${what} ${toDecimal(total)} ${currency} and the wallet can spend ${has}.`,
  )
}

function replyOf({ scope, command, json }: Waiting): StoredReply[] {
  if (scope === undefined || !command.idempotency) return []
  return [{ scope, fingerprint: command.idempotency.fingerprint, response: json }]
}

function replay({ idempotency }: SendCommand, { fingerprint, response }: StoredReply): Outcome<Accepted> {
  if (fingerprint === idempotency?.fingerprint) return { value: { json: response, replayed: true } }
  return {
    error: new Problem(
      'idempotency_key_reused',
      'Use a new key for a new request, or send the very body that the key was first used with.',
    ),
  }
}

/** A key means something only to the client, wallet and operation that it was sent for. */
function scopeOf({ idempotency, principal, operation }: SendCommand): string | undefined {
  if (!idempotency) return undefined
  const parts = [principal.clientId, principal.wallet.id, operation, idempotency.key]
  return hash('sha256', parts.join('\n'), 'base64url')
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
