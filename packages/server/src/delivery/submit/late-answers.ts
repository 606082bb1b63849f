import type { EpochMs, Ticket } from '../../domain/ids.ts'
import { outgoingMessages } from '../../messages/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database, Tx } from '../../platform/database/database.ts'
import type { PartRef, Refusal, SubmitOutcome } from '../carrier.ts'
import type { EndMessages } from '../finish/end-messages.ts'
import { type PartVerdict, partsOf } from '../finish/refs.ts'
import type { Choice } from './choice.ts'
import { costOf, storeTaken } from './costs.ts'

export interface LateAnswerOptions {
  database: Database
  clock: Clock
  /** The carrier's name. */
  carrier: string
  choice: Pick<Choice, 'costOf'>
  endMessages: EndMessages
  takeVerdicts(verdicts: readonly PartVerdict[]): Promise<void>
  /** Called when the message waits to be submitted again. */
  onAgain(): void
}

/** How often and when a late answer looks for its job. */
const TRIES = 4
const TRY_AGAIN_MS = 500

/** Takes a carrier's answer to a submission that was reported as uncertain, because it came too late. */
export function createTakeLateAnswer(options: LateAnswerOptions) {
  const { database, clock, carrier, choice, endMessages, takeVerdicts, onAgain } = options

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
  async function change(work: (tx: Tx, now: EpochMs) => Promise<boolean>): Promise<void> {
    for (let tries = 0; tries < TRIES; tries++) {
      if (tries > 0) await new Promise<void>((resolve) => clock.after(TRY_AGAIN_MS, resolve))
      if (await database.write((tx) => work(tx, clock.now()))) return
    }
  }

  async function takeRefusal(ticket: Ticket, refusal: Refusal): Promise<void> {
    const { kind } = refusal
    if (kind === 'uncertain') return
    if (kind === 'rejected') {
      const { reason } = refusal
      return endMessages([{ ticket, status: 'rejected', carrierRef: '', submittedAt: 0, reason }])
    }
    await change((tx, now) => submitAgain(tx, ticket, now))
    onAgain()
  }

  return async function takeLateAnswer(ticket: Ticket, outcome: SubmitOutcome): Promise<void> {
    if (outcome.kind !== 'accepted' && outcome.kind !== 'partly') return takeRefusal(ticket, outcome)
    const early = await database.write((tx) => take(tx, ticket, outcome, clock.now()))
    if (early.length > 0) await takeVerdicts(early)
    await change((tx, now) => noteRefs(tx, ticket, outcome, now))
    if (outcome.kind === 'partly') await takeRefusal(ticket, outcome.rest)
  }
}

/** Notes the references in the job. The message counts as submitted when no part is missing. */
async function noteRefs(
  tx: Tx,
  ticket: Ticket,
  { refs, parts }: { refs: readonly PartRef[]; parts: number },
  now: EpochMs,
): Promise<boolean> {
  const all = parts > 1 ? ((await partsOf(tx, [ticket])).get(ticket) ?? []) : refs
  const changed = await tx.run(
    `UPDATE outbox SET carrier_ref = $1, submitted_at = $2
     WHERE id = $3 AND ${UNCERTAIN} AND lease_until <= $4 RETURNING 1 AS one`,
    [all.map(({ ref }) => ref).join(' '), all.length === parts ? now : 0, ticket, now],
  )
  return changed.length > 0
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
