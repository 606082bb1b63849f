import type { EpochMs, Ticket } from '../../domain/ids.ts'
import { outgoingMessages } from '../../messages/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database, Tx } from '../../platform/database/database.ts'
import type { Carrier, PartRef, Refusal, SubmitOutcome } from '../carrier.ts'
import type { EndMessages } from '../finish/end-messages.ts'
import { type PartVerdict, partsOf } from '../finish/refs.ts'
import type { Choice } from './choice.ts'
import { costOf, storeTaken } from './costs.ts'

export interface LateAnswerOptions {
  database: Database
  clock: Clock
  carrier: Pick<Carrier, 'name' | 'receiptExpectedMs'>
  choice: Pick<Choice, 'costOf'>
  endMessages: EndMessages
  takeVerdicts(verdicts: readonly PartVerdict[]): Promise<void>
  /** Called when the message waits to be submitted again, or for its receipt. */
  notify(kind: 'dispatch' | 'await'): void
}

/** How often a late answer looks for its job, and the first pause. They double: a second submission may take a minute. */
const TRIES = 8
const TRY_AGAIN_MS = 500

/** Takes a carrier's answer to a submission that was reported as uncertain, because it came too late. */
export function createTakeLateAnswer(options: LateAnswerOptions) {
  const { database, clock, choice, endMessages, takeVerdicts, notify } = options
  const { name: carrier, receiptExpectedMs } = options.carrier

  /** A late answer repeats the references that are known already: only new ones are owed. */
  async function take(
    tx: Tx,
    ticket: Ticket,
    { refs, parts }: { refs: readonly PartRef[]; parts: number },
    now: EpochMs,
  ): Promise<PartVerdict[]> {
    const [message] = await outgoingMessages(tx, [ticket])
    const cost =
      message && costOf(message, { carrier, unit: choice.costOf(message, carrier), parts, at: now })
    const { early } = await storeTaken(tx, [{ refs: { carrier, ticket, parts, refs }, cost }], now)
    return early
  }

  /** Changes the message's job as soon as it is uncertain: the step that says so may still be on its way to the store. */
  async function keepTrying(work: () => Promise<boolean>): Promise<void> {
    for (let tries = 0; tries < TRIES; tries++) {
      if (tries > 0) {
        const pause = TRY_AGAIN_MS * 2 ** (tries - 1)
        await new Promise<void>((resolve) => clock.after(pause, resolve))
      }
      if (await work()) return
    }
  }

  const change = (work: (tx: Tx, now: EpochMs) => Promise<boolean>) =>
    keepTrying(() => database.write((tx) => work(tx, clock.now())))

  /** Ends the message, unless a second submission is under way or was taken. */
  async function reject(ticket: Ticket, reason: string): Promise<boolean> {
    const find = () => database.read((tx) => jobOf(tx, ticket, clock.now()))
    const job = await find()
    if (!job?.isOpen) return job === undefined
    const ending = { ticket, status: 'rejected', carrierRef: '', submittedAt: 0, reason } as const
    await endMessages([{ ...ending, epoch: job.epoch }])
    return (await find()) === undefined
  }

  async function takeRefusal(ticket: Ticket, refusal: Refusal): Promise<void> {
    const { kind } = refusal
    if (kind === 'uncertain') return
    if (kind === 'rejected') return keepTrying(() => reject(ticket, refusal.reason))
    await change((tx, now) => submitAgain(tx, ticket, now))
    notify('dispatch')
  }

  return async function takeLateAnswer(ticket: Ticket, outcome: SubmitOutcome): Promise<void> {
    if (outcome.kind !== 'accepted' && outcome.kind !== 'partly') return takeRefusal(ticket, outcome)
    const early = await database.write((tx) => take(tx, ticket, outcome, clock.now()))
    if (early.length > 0) await takeVerdicts(early)
    await change((tx, now) => noteRefs(tx, ticket, outcome, { now, carrier, receiptExpectedMs }))
    notify('await')
    if (outcome.kind === 'partly') await takeRefusal(ticket, outcome.rest)
  }
}

/**
 * Notes the references in the job. The message counts as submitted when no part is missing. One that is to be submitted
 * again is taken from whoever has claimed it for that: it waits for its receipt instead, or for its missing parts.
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
