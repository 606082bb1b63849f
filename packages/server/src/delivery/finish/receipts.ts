import type { Backlog } from '../../flow/backlog.ts'
import { Batch, type Outcome } from '../../flow/batch.ts'
import { jobsIn, jobsOf } from '../../flow/jobs/lanes.ts'
import type { EpochMs, Ticket } from '../../kernel/ids.ts'
import type { Clock } from '../../kernel/process/clock.ts'
import type { Ending, EndMessages } from '../../messages/index.ts'
import { type Database, StoreUnavailable, type Tx } from '../../store/database.ts'
import { inChunks, placeholders } from '../../store/rows.ts'
import { type Carrier, isOwnRef, type Receipt } from '../carrier.ts'
import { failedTickets } from './end-messages.ts'
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

/** Makes messages final whose parts have these verdicts. */
export type TakeVerdicts = (verdicts: readonly PartVerdict[]) => Promise<void>

/** Larger batches would delay sends of the same wallets by more than they save. */
const MOST_TOGETHER = 256

/** Settles a carrier's receipts. Receipts that arrive together are committed together. */
export class Receipts {
  readonly #database: Database
  readonly #clock: Clock
  readonly #carrier: Pick<Carrier, 'name' | 'receipts' | 'hasNumericIds'>
  readonly #endMessages: EndMessages
  readonly #onFault: (error: unknown) => void
  readonly #together: Batch<readonly Receipt[], void>
  #ended = false
  #taking: Promise<unknown> = Promise.resolve()
  #forgetting: Promise<unknown> = Promise.resolve()

  constructor(parts: {
    database: Database
    clock: Clock
    carrier: Pick<Carrier, 'name' | 'receipts' | 'hasNumericIds'>
    endMessages: EndMessages
    /** How long to gather receipts for one commit. */
    gatherMs: number
    backlog?: Pick<Backlog, 'add'> | undefined
    onFault(error: unknown): void
  }) {
    this.#database = parts.database
    this.#clock = parts.clock
    this.#carrier = parts.carrier
    this.#endMessages = parts.endMessages
    this.#onFault = parts.onFault
    this.#together = new Batch({
      run: (groups) => this.#takeUnlessEnded(groups),
      weigh: (receipts) => receipts.length,
      maxWeight: MOST_TOGETHER,
      gatherMs: parts.gatherMs,
      backlog: parts.backlog,
      maxWaiting: { weight: 100_000, error: () => new Error('too many receipts wait to be taken') },
    })
  }

  take(receipts: readonly Receipt[]): Promise<void> {
    return this.#together.add(receipts)
  }

  /** Makes messages final. Rejects with the endings that could not be settled, once the others are. */
  async takeVerdicts(verdicts: readonly PartVerdict[]): Promise<void> {
    const ended = await this.#endedBy(verdicts)
    const failed = await this.#endMessages(
      ended.map((verdict) => endingOf(verdict, this.#clock.now())),
    ).catch(failedTickets)
    this.#forget(ended.filter(({ ticket }) => !failed?.tickets.has(ticket)))
    if (failed) throw failed
  }

  /** Takes no more receipts, and resolves when those under way are taken and what they leave behind is removed. */
  async end(): Promise<void> {
    this.#ended = true
    await this.#taking
    await this.#forgetting
  }

  async #takeUnlessEnded(groups: readonly (readonly Receipt[])[]): Promise<Outcome<void>[]> {
    // Carriers say them again to the next start.
    if (this.#ended) throw new StoreUnavailable('receipts are no longer taken: the carrier is being closed')
    const done = this.#take(groups)
    this.#taking = done.catch(() => undefined)
    return done
  }

  async #take(groups: readonly (readonly Receipt[])[]): Promise<Outcome<void>[]> {
    const known = await this.#knownVerdicts(groups.flat())
    const failed = await this.takeVerdicts(known.map(({ verdict }) => verdict)).catch(failedTickets)
    const lost = new Set(
      known.flatMap(({ receipt, verdict }) => (failed?.tickets.has(verdict.ticket) ? [receipt] : [])),
    )
    return groups.map(
      (group): Outcome<void> =>
        failed && group.some((receipt) => lost.has(receipt)) ? { error: failed } : { value: undefined },
    )
  }

  /**
   * The verdicts whose messages are known. Verdicts on parts of long messages are noted for the other parts'
   * sake, and verdicts on unknown references until their references come.
   */
  async #knownVerdicts(receipts: readonly Receipt[]): Promise<{ receipt: Receipt; verdict: PartVerdict }[]> {
    const { name } = this.#carrier
    const found = await this.#database.read((tx) => this.#findMessages(tx, receipts))
    const noted = receipts.flatMap((receipt) => {
      const { ref, parts } = found(receipt) ?? { ref: receipt.ref, parts: 2 }
      return parts > 1 ? [{ ...receipt, ref }] : []
    })
    const now = this.#clock.now()
    const known =
      noted.length > 0 ? await this.#database.write((tx) => noteVerdicts(tx, name, noted, now)) : []
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
  async #findMessages(tx: Tx, receipts: readonly Receipt[]) {
    const { name } = this.#carrier
    const refs = [...new Set(receipts.map(({ ref }) => ref))]
    const byRef = await findRefs(tx, name, refs)
    const unknown = receipts.filter(({ ref }) => !byRef.has(ref))
    const otherwise = await findWrittenOtherwise(tx, this.#carrier, unknown)
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

  /**
   * The verdicts that end their messages. A failed part ends a long message; success needs all its parts or, where a
   * carrier sends one receipt for all, that all of them were submitted.
   */
  async #endedBy(verdicts: readonly PartVerdict[]): Promise<PartVerdict[]> {
    const open = [...new Set(verdicts.filter(needsOthers).map(({ ticket }) => ticket))]
    if (open.length === 0) return [...verdicts]
    if (this.#carrier.receipts === 'one') {
      const unsent = await this.#database.read((tx) => jobsOf(tx, 'dispatch', open))
      return verdicts.filter(({ ticket }) => !unsent.has(ticket))
    }
    // Read after the verdicts were committed, so that of two processes with the last two parts one sees both.
    const parts = await this.#database.read((tx) => partsOf(tx, open))
    const whole = new Set(open.filter((ticket) => isDelivered(parts.get(ticket) ?? [])))
    // Only the first verdict on a whole message counts: the second one would look like a late receipt.
    return verdicts.filter((verdict) => !needsOthers(verdict) || whole.delete(verdict.ticket))
  }

  /** Removes references no longer needed, in the background. If that fails, they are pruned later. */
  #forget(refs: readonly KnownRef[]): void {
    if (refs.length === 0) return
    const done = this.#database.write((tx) => forgetRefs(tx, refs), { patient: true }).catch(this.#onFault)
    this.#forgetting = Promise.all([this.#forgetting, done]).then(() => undefined)
  }
}

function needsOthers({ parts, verdict }: PartVerdict): boolean {
  return parts > 1 && verdict === 'success'
}

function endingOf({ ticket, ref, verdict, reason }: PartVerdict, now: EpochMs): Ending {
  const ending = { ticket, status: verdict, carrierRef: ref, submittedAt: now }
  return reason === undefined ? ending : { ...ending, reason }
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
