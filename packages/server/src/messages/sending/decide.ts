import { hash } from 'node:crypto'
import { type Micros, toDecimal } from '@wigwag/contract'
import type { Outcome } from '../../flow/batch.ts'
import { enqueue } from '../../flow/jobs/outbox.ts'
import { Problem } from '../../kernel/errors.ts'
import type { EpochMs } from '../../kernel/ids.ts'
import { holdAmounts } from '../../money/index.ts'
import { auditWrites, isAudited, type Write } from '../../store/audit/index.ts'
import type { Tx } from '../../store/database.ts'
import { addToTotals, countSent, firstJob, insertMessages, type JobTimes, type NewMessage } from '../index.ts'
import { forgetReplies, type StoredReply, scopeIn, storeReplies } from './idempotency.ts'
import { holdWithinLimits, isLimited, type SendLimits } from './limited-hold.ts'
import type { PreparedSend, SendCommand } from './prepare.ts'
import { noteSchedulers } from './scheduled.ts'

export interface Accepted {
  json: string
  replayed: boolean
}

/** A send that waits to be accepted. */
export interface WaitingSend extends PreparedSend {
  scope: string | undefined
  json: string
}

/** The decisions about a batch. An undefined outcome means that its send must be tried again. */
export interface Decided {
  outcomes: (Outcome<Accepted> | undefined)[]
  messages: readonly NewMessage[]
}

/** Accepts or refuses each of the sends, step by step: keys first, then limits, then money. */
export async function decide(
  tx: Tx,
  sends: readonly WaitingSend[],
  {
    now,
    newId,
    times,
    limits,
  }: { now: EpochMs; newId(now: EpochMs): string; times: JobTimes; limits: SendLimits },
): Promise<Decided> {
  const leaders = firstOfEachScope(sends)
  const stored = await storeReplies(tx, leaders.flatMap(replyOf), now)
  const fresh = leaders.filter(({ scope }) => scope === undefined || !stored.has(scope))
  // Without a limited send in the batch, limits cost no extra statement and no turn of the event loop.
  const limited = fresh.filter(isLimited)
  const refused =
    limited.length > 0
      ? await holdWithinLimits(tx, fresh, { limits, now }, (some) => holdAll(tx, some))
      : await holdAll(tx, fresh)
  const accepted = fresh.filter((send) => !refused.has(send))
  const audited = fresh.filter(({ command }) => isAudited(command.principal))
  if (audited.length > 0)
    await auditWrites(
      tx,
      audited.map((send) => writeOf(send, refused.get(send))),
      now,
      newId,
    )
  await forgetReplies(
    tx,
    [...refused.keys()].flatMap(({ scope }) => scope ?? []),
  )
  const messages = accepted.flatMap((send) => send.messages)
  await storeAccepted(tx, messages, times)
  if (limited.length > 0) await noteSchedulers(tx, accepted)
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
  return { outcomes, messages }
}

function writeOf({ command, messages, total }: WaitingSend, problem: Problem | undefined): Write {
  const { principal, operation } = command
  const what = { principal, operation, messages: messages.length, cost: total }
  return problem ? { ...what, outcome: problem.code } : { ...what, outcome: 'done', ticket: messages[0]?.id }
}

/**
 * Of the sends with the same key, only the first is tried. Its repeats get its answer. If it is refused, nothing is
 * stored under the key, so sends with another body are decided separately.
 */
export function firstOfEachScope(sends: readonly WaitingSend[]): WaitingSend[] {
  const seen = new Set<string>()
  return sends.filter(({ scope }) => {
    if (scope === undefined) return true
    if (seen.has(scope)) return false
    seen.add(scope)
    return true
  })
}

/** Holds every send's total, wallet by wallet in a fixed order. Returns the refused sends. */
async function holdAll(tx: Tx, sends: readonly WaitingSend[]): Promise<Map<WaitingSend, Problem>> {
  const refused = new Map<WaitingSend, Problem>()
  const byWallet = Map.groupBy(sends, ({ command }) => command.principal.wallet.id)
  for (const walletId of [...byWallet.keys()].sort()) {
    const group = byWallet.get(walletId) ?? []
    const totals = group.map((send) => send.total)
    const { posted, covered, available } = await holdAmounts(tx, walletId, totals)
    for (const [index, send] of group.entries()) {
      if (!covered[index]) refused.set(send, insufficientFunds(send, available))
      else for (const message of send.messages) message.balanceBefore = message.balanceAfter = posted
    }
  }
  return refused
}

function isRepeat(send: WaitingSend, leader: WaitingSend): boolean {
  return send === leader || send.command.idempotency?.fingerprint === leader.command.idempotency?.fingerprint
}

function insufficientFunds({ total, command }: WaitingSend, available: Micros | undefined): Problem {
  const { currency } = command.principal.wallet
  const has = available === undefined ? 'less' : `${toDecimal(available)} ${currency}`
  const what =
    command.recipients.length === 1 ? 'The message costs' : `The ${command.recipients.length} messages cost`
  return new Problem(
    'insufficient_funds',
    `${what} ${toDecimal(total)} ${currency} and the wallet can spend ${has}.`,
  )
}

export function replyOf({ scope, command, json }: WaitingSend): StoredReply[] {
  if (scope === undefined || !command.idempotency) return []
  return [{ scope, fingerprint: command.idempotency.fingerprint, response: json }]
}

export function replay(
  { idempotency }: SendCommand,
  { fingerprint, response }: StoredReply,
): Outcome<Accepted> {
  if (fingerprint === idempotency?.fingerprint) return { value: { json: response, replayed: true } }
  return {
    error: new Problem(
      'idempotency_key_reused',
      'Nothing was sent for this request: its key was used before, with another body. Use a new key for a new request, or send the very body that the key was first used with.',
    ),
  }
}

/** The scope of an idempotency key: the client, wallet and operation that it was sent for. */
export function scopeOf({
  idempotency,
  principal,
  operation,
  keysOf = operation,
}: Pick<SendCommand, 'idempotency' | 'principal' | 'operation' | 'keysOf'>): string | undefined {
  if (!idempotency) return undefined
  const { accountId, clientId, wallet } = principal
  const parts = [clientId, wallet.id, keysOf, idempotency.key]
  return scopeIn({ accountId, walletId: wallet.id }, hash('sha256', parts.join('\n'), 'base64url'))
}

/** Stores accepted messages, each with the job that sends it. A scheduled one is counted as sent only when due. */
export async function storeAccepted(tx: Tx, messages: readonly NewMessage[], times: JobTimes): Promise<void> {
  await insertMessages(tx, messages)
  await addToTotals(tx, messages.filter(({ status }) => status === 'pending').map(countSent))
  await enqueue(
    tx,
    messages.map((message) => firstJob(message, times)),
  )
}
