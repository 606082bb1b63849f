import type { Ticket } from '../../domain/ids.ts'
import type { Backlog } from '../../platform/backlog.ts'
import { createBatcher, type Outcome } from '../../platform/batcher.ts'
import type { Clock } from '../../platform/clock.ts'
import { type Database, StoreUnavailable, type Tx } from '../../platform/database/database.ts'
import { inChunks, placeholders } from '../../platform/database/rows.ts'
import { jobsIn, jobsOf } from '../../platform/jobs/lanes.ts'
import { type Carrier, isOwnRef, type Receipt } from '../carrier.ts'
import { type EndMessages, failedTickets } from './end-messages.ts'
import type { Ending } from './endings.ts'
import {
  findRefs,
  forgetRefs,
  type KnownRef,
  type LongPart,
  noteVerdicts,
  type PartVerdict,
  partsOf,
} from './refs.ts'
import { findWrittenOtherwise } from './written-otherwise.ts'

export interface TakeReceiptsOptions {
  database: Database
  clock: Clock
  carrier: Pick<Carrier, 'name' | 'receipts' | 'hasNumericIds'>
  endMessages: EndMessages
  /** How long to gather receipts for one commit. */
  gatherMs: number
  backlog?: Pick<Backlog, 'add'> | undefined
  onFault(error: unknown): void
}

/** Makes messages final whose parts have these verdicts. */
export type TakeVerdicts = (verdicts: readonly PartVerdict[]) => Promise<void>

/** Larger batches would delay sends of the same wallets by more than they save. */
const MOST_TOGETHER = 256

/** Settles a carrier's receipts. Those that arrive together are committed together. */
export function createTakeReceipts(options: TakeReceiptsOptions): {
  takeReceipts(receipts: readonly Receipt[]): Promise<void>
  takeVerdicts: TakeVerdicts
  /** Takes no more receipts, and resolves when those under way are taken and what they leave behind is removed. */
  end(): Promise<void>
} {
  const { database, clock, carrier, endMessages, gatherMs, backlog, onFault } = options
  let ended = false
  let taking: Promise<unknown> = Promise.resolve()
  const takeReceipts = createBatcher<readonly Receipt[], void>({
    async run(groups) {
      // Carriers say them again to the next start.
      if (ended) throw new StoreUnavailable('receipts are no longer taken: the carrier is being closed')
      const done = take(groups)
      taking = done.catch(() => undefined)
      return done
    },
    weigh: (receipts) => receipts.length,
    maxWeight: MOST_TOGETHER,
    gatherMs,
    backlog,
    maxWaiting: { weight: 100_000, error: () => new Error('too many receipts wait to be taken') },
  })

  async function take(groups: readonly (readonly Receipt[])[]): Promise<Outcome<void>[]> {
    const known = await knownVerdicts(groups.flat())
    const failed = await takeVerdicts(known.map(({ verdict }) => verdict)).catch(failedTickets)
    const lost = new Set(
      known.flatMap(({ receipt, verdict }) => (failed?.tickets.has(verdict.ticket) ? [receipt] : [])),
    )
    return groups.map(
      (group): Outcome<void> =>
        failed && group.some((receipt) => lost.has(receipt)) ? { error: failed } : { value: undefined },
    )
  }

  /**
   * The verdicts whose messages are known. Those on long messages are noted for the other parts' sake, and those on
   * unknown references until their references come.
   */
  async function knownVerdicts(
    receipts: readonly Receipt[],
  ): Promise<{ receipt: Receipt; verdict: PartVerdict }[]> {
    const { name } = carrier
    const found = await database.read((tx) => findMessages(tx, receipts))
    const noted = receipts.flatMap((receipt) => {
      const { ref, parts } = found(receipt) ?? { ref: receipt.ref, parts: 2 }
      return parts > 1 ? [{ ...receipt, ref }] : []
    })
    const now = clock.now()
    const known = noted.length > 0 ? await database.write((tx) => noteVerdicts(tx, name, noted, now)) : []
    const sinceThen = new Map(known.map((one) => [one.ref, one]))
    return receipts.flatMap((receipt) => {
      const { ref, ticket, verdict, reason } = receipt
      const one = found(receipt) ?? sinceThen.get(ref)
      // Another message's reference, which the carrier uses again.
      if (one === undefined || (ticket !== undefined && ticket !== one.ticket)) return []
      return [{ receipt, verdict: { ...one, verdict, reason } }]
    })
  }

  /**
   * Finds the messages of receipts: by a ticket where the message is with this carrier, since strangers may post
   * receipts, else by the reference, as it was written or else as carriers write it otherwise.
   */
  async function findMessages(tx: Tx, receipts: readonly Receipt[]) {
    const { name } = carrier
    const refs = [...new Set(receipts.map(({ ref }) => ref))]
    const byRef = await findRefs(tx, name, refs)
    const unknown = receipts.filter(({ ref }) => !byRef.has(ref))
    const otherwise = await findWrittenOtherwise(tx, carrier, unknown)
    const here = await jobsIn(
      tx,
      name,
      receipts.flatMap(({ ticket }) => ticket ?? []),
    )
    return (receipt: Receipt): KnownRef | undefined => {
      const { ref, ticket } = receipt
      if (ticket !== undefined && here.has(ticket)) return { carrier: name, ref, ticket, parts: 1 }
      return byRef.get(ref) ?? otherwise.get(receipt)
    }
  }

  /** Makes messages final. Rejects with the endings that could not be settled, once the others are. */
  async function takeVerdicts(verdicts: readonly PartVerdict[]): Promise<void> {
    const ended = await endedBy(verdicts)
    const failed = await endMessages(ended.map(endingOf)).catch(failedTickets)
    forget(ended.filter(({ ticket }) => !failed?.tickets.has(ticket)))
    if (failed) throw failed
  }

  /**
   * The verdicts that end their messages. A failed part ends a long message; success needs all its parts or, where a
   * carrier sends one receipt for all, that all of them were submitted.
   */
  async function endedBy(verdicts: readonly PartVerdict[]): Promise<PartVerdict[]> {
    const open = [...new Set(verdicts.filter(needsOthers).map(({ ticket }) => ticket))]
    if (open.length === 0) return [...verdicts]
    if (carrier.receipts === 'one') {
      const unsent = await database.read((tx) => jobsOf(tx, 'dispatch', open))
      return verdicts.filter(({ ticket }) => !unsent.has(ticket))
    }
    // Read after the verdicts were committed, so that of two processes with the last two parts one sees both.
    const parts = await database.read((tx) => partsOf(tx, open))
    const whole = new Set(open.filter((ticket) => isDelivered(parts.get(ticket) ?? [])))
    // Only the first verdict on a whole message counts: the second one would look like a late receipt.
    return verdicts.filter((verdict) => !needsOthers(verdict) || whole.delete(verdict.ticket))
  }

  function needsOthers({ parts, verdict }: PartVerdict): boolean {
    return parts > 1 && verdict === 'success'
  }

  function endingOf({ ticket, ref, verdict, reason }: PartVerdict): Ending {
    const ending = { ticket, status: verdict, carrierRef: ref, submittedAt: clock.now() }
    return reason === undefined ? ending : { ...ending, reason }
  }

  let forgetting: Promise<unknown> = Promise.resolve()

  /** Removes references that are no longer needed, in the background. What is left is pruned later. */
  function forget(refs: readonly KnownRef[]): void {
    if (refs.length === 0) return
    const done = database.write((tx) => forgetRefs(tx, refs), { patient: true }).catch(onFault)
    forgetting = Promise.all([forgetting, done]).then(() => undefined)
  }

  return {
    takeReceipts,
    takeVerdicts,
    async end() {
      ended = true
      await taking
      await forgetting
    },
  }
}

function isDelivered(parts: readonly LongPart[]): boolean {
  const arrived = parts.filter(({ verdict }) => verdict === 'success').length
  const unnamed = parts.filter(({ ref, verdict }) => verdict === null && isOwnRef(ref)).length
  return arrived > 0 && arrived + unnamed === parts[0]?.parts
}

/** Deletes the late receipts of messages that are deleted. Housekeeping prunes the carriers' references. */
export async function forgetLateReceipts({ run }: Tx, tickets: readonly Ticket[]): Promise<void> {
  await inChunks(tickets, async (chunk) => {
    await run(`DELETE FROM late_receipts WHERE message_id IN ${placeholders(1, chunk.length)}`, chunk)
  })
}
