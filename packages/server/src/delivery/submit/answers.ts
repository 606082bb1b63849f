import type { EpochMs, Ticket } from '../../kernel/ids.ts'
import type { Clock } from '../../kernel/process/clock.ts'
import type { Logger } from '../../kernel/process/log.ts'
import { backoff, MINUTE_MS } from '../../kernel/time/spans.ts'
import { type EndMessages, outgoingMessages } from '../../messages/index.ts'
import type { Database, Tx } from '../../store/database.ts'
import type { Carrier, PartRef, Refusal, SubmitOutcome } from '../carrier.ts'
import type { TakeVerdicts } from '../finish/receipts.ts'
import { type PartVerdict, partsOf } from '../finish/refs.ts'
import type { Choice } from '../plan/index.ts'
import { costOf, storeTaken } from './costs.ts'

/** How often a late answer looks for its job, and the first pause. They double: a second submission may take a minute. */
const TRIES = 8
const TRY_AGAIN_MS = 500

interface Late {
  database: Database
  clock: Clock
  carrier: Pick<Carrier, 'name' | 'receiptExpectedMs'>
  choice: Pick<Choice, 'costOf'>
  endMessages: EndMessages
  takeVerdicts: TakeVerdicts
  /** Called when the message waits to be submitted again, or for its receipt. */
  notify(kind: 'dispatch' | 'await'): void
}

/** Takes a carrier's answer to a submission that was reported as uncertain, because it came too late. */
export async function takeLateAnswer(late: Late, ticket: Ticket, outcome: SubmitOutcome): Promise<void> {
  if (outcome.kind !== 'accepted' && outcome.kind !== 'partly') return takeRefusal(late, ticket, outcome)
  const early = await late.database.write((tx) => taken(late, tx, ticket, outcome, late.clock.now()))
  const { name: carrier, receiptExpectedMs } = late.carrier
  if (early.length > 0) await late.takeVerdicts(early)
  await change(late, (tx, now) => noteRefs(tx, ticket, outcome, { now, carrier, receiptExpectedMs }))
  late.notify('await')
  if (outcome.kind === 'partly') await takeRefusal(late, ticket, outcome.rest)
}

/** A late answer repeats the references that are known already: only new ones are owed. */
async function taken(
  { carrier: { name: carrier }, choice }: Late,
  tx: Tx,
  ticket: Ticket,
  { refs, parts }: { refs: readonly PartRef[]; parts: number },
  now: EpochMs,
): Promise<PartVerdict[]> {
  const [message] = await outgoingMessages(tx, [ticket])
  const cost = message && costOf(message, { carrier, unit: choice.costOf(message, carrier), parts, at: now })
  const { early } = await storeTaken(tx, [{ refs: { carrier, ticket, parts, refs }, cost }], now)
  return early
}

/** Changes the message's job as soon as it is uncertain: the step that says so may still be on its way to the store. */
async function keepTrying({ clock }: Late, work: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < TRIES; tries++) {
    if (tries > 0) {
      const pause = backoff(tries, TRY_AGAIN_MS)
      await new Promise<void>((resolve) => clock.after(pause, resolve))
    }
    if (await work()) return
  }
}

function change(late: Late, work: (tx: Tx, now: EpochMs) => Promise<boolean>): Promise<void> {
  return keepTrying(late, () => late.database.write((tx) => work(tx, late.clock.now())))
}

/** Ends the message, unless a second submission is under way or was taken. */
async function reject(late: Late, ticket: Ticket, reason: string): Promise<boolean> {
  const find = () => late.database.read((tx) => jobOf(tx, ticket, late.clock.now()))
  const job = await find()
  if (!job?.isOpen) return job === undefined
  const ending = { ticket, status: 'rejected', carrierRef: '', submittedAt: 0, reason } as const
  await late.endMessages([{ ...ending, epoch: job.epoch }])
  return (await find()) === undefined
}

async function takeRefusal(late: Late, ticket: Ticket, refusal: Refusal): Promise<void> {
  const { kind } = refusal
  if (kind === 'uncertain') return
  if (kind === 'rejected') return keepTrying(late, () => reject(late, ticket, refusal.reason))
  await change(late, (tx, now) => submitAgain(tx, ticket, now))
  late.notify('dispatch')
}

/**
 * Notes the references in the job. The message counts as submitted when no part is missing. A message that is
 * to be submitted again is taken back from its claimer: it then waits for its receipt, or has only its
 * missing parts submitted.
 */
async function noteRefs(
  tx: Tx,
  ticket: Ticket,
  { refs, parts }: { refs: readonly PartRef[]; parts: number },
  { now, carrier, receiptExpectedMs }: { now: EpochMs; carrier: string; receiptExpectedMs: number },
): Promise<boolean> {
  const all = parts > 1 ? ((await partsOf(tx, [ticket])).get(ticket) ?? []) : refs
  const isWhole = all.length === parts
  const known = [all.map(({ ref }) => ref).join(' '), isWhole ? now : 0]
  const askedAt = now + receiptExpectedMs
  const changed = await tx.run(
    `UPDATE outbox SET carrier_ref = $1, submitted_at = $2, attempts = 0, run_at = $3
     WHERE id = $4 AND ${UNCERTAIN} AND lease_until <= $5 RETURNING 1 AS one`,
    [...known, askedAt, ticket, now],
  )
  if (changed.length > 0) return true
  const values = [...known, carrier]
  const next = isWhole ? `, kind = 'await', attempts = 0, run_at = $${values.push(askedAt)}` : ''
  const takenBack = await tx.run(
    `UPDATE outbox SET carrier_ref = $1, submitted_at = $2, lane = $3${next}, lease_until = 0, epoch = epoch + 1
     WHERE id = $${values.push(ticket)} AND ${AGAIN} RETURNING 1 AS one`,
    values,
  )
  return takenBack.length > 0
}

/** The claim of a message's job, and whether no submission is under way or was taken. */
async function jobOf(
  { run }: Tx,
  ticket: Ticket,
  now: EpochMs,
): Promise<{ epoch: number; isOpen: number } | undefined> {
  const [job] = await run<{ epoch: number; isOpen: number }>(
    `SELECT epoch, CASE WHEN (${UNCERTAIN} AND lease_until <= $1) OR (${AGAIN}) THEN 1 ELSE 0 END AS "isOpen"
     FROM outbox WHERE id = $2`,
    [now, ticket],
  )
  return job
}

async function submitAgain({ run }: Tx, ticket: Ticket, now: EpochMs): Promise<boolean> {
  const changed = await run(
    `UPDATE outbox SET kind = 'dispatch', run_at = $1
     WHERE id = $2 AND ${UNCERTAIN} AND lease_until <= $3 RETURNING 1 AS one`,
    [now, ticket, now],
  )
  return changed.length > 0
}

const UNCERTAIN = "kind = 'await' AND submitted_at = 0"
/** It was submitted, and is to be submitted again. */
const AGAIN = "kind = 'dispatch' AND handed_at > 0 AND submitted_at = 0"

/** After this time without an answer, the carrier's answer counts as unknown. */
const LONGEST_ANSWER_MS = MINUTE_MS

/** A carrier's answers, each of them `otherwise` when it fails or takes too long. */
export function inTime<T>(
  answers: readonly Promise<T>[],
  otherwise: T,
  { clock, onFault }: { clock: Clock; onFault(error: unknown): void },
): Promise<T>[] {
  let giveUp = () => {}
  const late = new Promise<T>((resolve) => {
    giveUp = () => resolve(otherwise)
  })
  const began = clock.elapsed()
  let cancel = () => {}
  const wait = (ms: number) => {
    cancel = clock.after(ms, () => {
      const leftMs = LONGEST_ANSWER_MS - (clock.elapsed() - began)
      // Woken early, by a sandbox whose clock was moved: the carrier has all its time nevertheless.
      if (leftMs >= 1) return wait(leftMs)
      onFault(new Error(`the carrier has not answered for ${LONGEST_ANSWER_MS / 1_000} s`))
      giveUp()
    })
  }
  wait(LONGEST_ANSWER_MS)
  const failed = (error: unknown) => {
    onFault(error)
    return otherwise
  }
  const caught = answers.map((answer) => answer.catch(failed))
  void Promise.all(caught).then(() => cancel())
  return caught.map((answer) => Promise.race([answer, late]))
}

/**
 * Logs a carrier's answer without its words, which can repeat what it was sent. `onUncertain` warns of a
 * missing answer.
 */
export function logAnswer(
  log: Logger,
  carrier: string,
  { ticket, outcome, late }: { ticket: Ticket; outcome: SubmitOutcome; late?: true },
): void {
  if (outcome.kind === 'uncertain' || !log.isLevelEnabled('debug')) return
  const refs = 'refs' in outcome ? { refs: outcome.refs.map(({ ref }) => ref) } : {}
  log.debug({ carrier, ticket, outcome: outcome.kind, ...refs, late }, 'a message was submitted')
}
