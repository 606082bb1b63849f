import type { EpochMs, Ticket } from '../../kernel/ids.ts'
import { dialled, plainNumber } from '../../kernel/phone/phone.ts'
import type { Clock } from '../../kernel/process/clock.ts'
import type { Database, Tx } from '../../store/database.ts'
import { inChunks, placeholders } from '../../store/rows.ts'
import type { Carrier, CarrierVerdict, Receipt } from '../carrier.ts'
import { isOfEnded } from './ended-messages.ts'
import { EARLY_MS } from './refs.ts'
import { findWrittenOtherwise } from './written-otherwise.ts'

/** A receipt that fits no reference. */
export interface EarlyReceipt {
  carrier: string
  ref: string
  recipient: string
  verdict: CarrierVerdict
  reason: string | null
  at: EpochMs
  /** Until when it is kept, if it fits several messages. */
  keepUntil: number | null
}

/** A message that was handed over, and whose reference is not known. */
interface Unnamed {
  ticket: Ticket
  walletId: string
  recipient: string
  segments: number
  handedAt: number
  expiresAt: number
  /** 1 when its answer is not waited for any more. */
  isUncertain: 0 | 1
}

/** A receipt, and the messages that it may be of. */
interface Fitting {
  receipt: EarlyReceipt
  messages: readonly Unnamed[]
}

export interface EarlyReceiptsParts {
  database: Database
  clock: Clock
  takeReceipts(receipts: readonly Receipt[]): Promise<void>
  /** Called with each uncertain message that got its receipt by its number. */
  onMatch(ticket: Ticket, receipt: EarlyReceipt): void
}

/** Receipts that are looked at together. */
const SLICE = 200

/**
 * Brings a carrier's early receipts to their messages: to one whose answer came later and is written otherwise, or to the
 * only uncertain message to the number of the receipt. Where several fit, they are kept for an operator to say.
 */
export class EarlyReceipts {
  readonly #parts: EarlyReceiptsParts
  readonly #carrier: Pick<Carrier, 'name' | 'receipts' | 'hasNumericIds'>
  #after: [at: number, ref: string] = [-1, '']

  constructor(parts: EarlyReceiptsParts, carrier: Pick<Carrier, 'name' | 'receipts' | 'hasNumericIds'>) {
    this.#parts = parts
    this.#carrier = carrier
  }

  /** Looks at the next slice of them; after the last, begins with the first again. */
  async match(): Promise<void> {
    const { database, clock } = this.#parts
    const now = clock.now()
    const receipts = await database.read((tx) => this.#next(tx))
    const last = receipts.at(-1)
    this.#after = last && receipts.length === SLICE ? [last.at, last.ref] : [-1, '']
    if (receipts.length === 0) return
    const left = await this.#matchByReference(receipts, now)
    if (left.length > 0) await this.#matchByNumber(left, now)
  }

  #next({ run }: Tx): Promise<EarlyReceipt[]> {
    return run(
      `SELECT ${COLUMNS} FROM carrier_refs
       WHERE carrier = $1 AND message_id IS NULL AND recipient <> '' AND (at, ref) > ($2, $3)
       ORDER BY at, ref LIMIT ${SLICE}`,
      [this.#carrier.name, ...this.#after],
    )
  }

  /** Returns those that are left. */
  async #matchByReference(receipts: readonly EarlyReceipt[], now: EpochMs): Promise<EarlyReceipt[]> {
    const { database, takeReceipts } = this.#parts
    const recent = new Map(
      receipts.filter(({ at }) => at >= now - EARLY_MS).map((receipt) => [receiptOf(receipt), receipt]),
    )
    const found = await database.read((tx) => findWrittenOtherwise(tx, this.#carrier, [...recent.keys()]))
    const taken = new Set([...found.keys()].flatMap((receipt) => recent.get(receipt) ?? []))
    if (taken.size > 0) {
      await takeReceipts([...found].map(([receipt, { ref }]) => ({ ...receipt, ref })))
      await database.write((tx) => forgetEarly(tx, [...taken]))
    }
    return receipts.filter((receipt) => !taken.has(receipt))
  }

  async #matchByNumber(receipts: readonly EarlyReceipt[], now: EpochMs): Promise<void> {
    const { database, takeReceipts, onMatch } = this.#parts
    const unnamed = await database.read((tx) => unnamedOf(tx, this.#carrier.name, now))
    const byNumber = Map.groupBy(unnamed, ({ recipient }) => dialled(recipient))
    const fitting = receipts.flatMap((receipt) => {
      const messages = byNumber.get(dialled(plainNumber(receipt.recipient))) ?? []
      const before = messages.filter(({ handedAt }) => handedAt <= receipt.at)
      return before.some(({ isUncertain }) => isUncertain === 1) ? [{ receipt, messages: before }] : []
    })
    const open: Fitting[] = []
    for (const one of fitting) if (!(await this.#isSaidAgain(one))) open.push(one)
    const only = await this.#theOnlyOnes(open)
    const several: { receipt: EarlyReceipt; until: number }[] = []
    for (const { receipt, messages } of open) {
      const message = only.get(receipt)
      if (message) {
        await takeReceipts([{ ...receiptOf(receipt), ticket: message.ticket }])
        onMatch(message.ticket, receipt)
        continue
      }
      const until = Math.max(...messages.map(({ expiresAt }) => expiresAt))
      if (until > (receipt.keepUntil ?? 0)) several.push({ receipt, until })
    }
    if (several.length > 0) await database.write((tx) => keepEarly(tx, several))
  }

  /** Whether a receipt is of a message that has ended. Then it says nothing of others, and is deleted. */
  async #isSaidAgain({ receipt, messages }: Fitting): Promise<boolean> {
    const { database } = this.#parts
    const wallets = new Set(messages.map(({ walletId }) => walletId))
    const isSaidAgain = await database.read((tx) => isOfEnded(tx, receipt, wallets))
    if (isSaidAgain) await database.write((tx) => forgetEarly(tx, [receipt]))
    return isSaidAgain
  }

  /** The receipts that fit a single message, which is uncertain, gets a single receipt, and is fitted by no other. */
  async #theOnlyOnes(fitting: readonly Fitting[]): Promise<Map<EarlyReceipt, Unnamed>> {
    const single = fitting.flatMap(({ receipt, messages: [message, ...others] }) => {
      const isLong = (message?.segments ?? 0) > 1 && this.#carrier.receipts === 'each'
      return message?.isUncertain === 1 && others.length === 0 && !isLong ? [{ receipt, message }] : []
    })
    const to = new Map(single.map(({ receipt: { recipient }, message }) => [recipient, message.handedAt]))
    const all = await this.#parts.database.read((tx) => earlyReceiptsOf(tx, this.#carrier.name, to))
    return new Map(
      single
        .filter(({ receipt: { recipient } }) => all.get(recipient)?.length === 1)
        .map(({ receipt, message }) => [receipt, message]),
    )
  }
}

const COLUMNS = 'carrier, ref, recipient, verdict, reason, at, keep_until AS "keepUntil"'

/**
 * A carrier's receipts without a message that name one of these numbers and came after its time, oldest first. They are
 * read for all numbers at once: no index has the number, and there may be many.
 */
export async function earlyReceiptsOf(
  { run }: Tx,
  carrier: string,
  since: ReadonlyMap<string, number>,
): Promise<Map<string, EarlyReceipt[]>> {
  const found: EarlyReceipt[] = []
  const oldest = Math.min(...since.values())
  await inChunks([...since.keys()], async (chunk) => {
    const rows = await run<EarlyReceipt>(
      `SELECT ${COLUMNS} FROM carrier_refs WHERE carrier = $1 AND message_id IS NULL AND at >= $2
         AND recipient IN ${placeholders(1, chunk.length, undefined, 2)} ORDER BY at, ref`,
      [carrier, oldest, ...chunk],
    )
    found.push(...rows)
  })
  const isAfter = ({ recipient, at }: EarlyReceipt) =>
    at >= (since.get(recipient) ?? Number.POSITIVE_INFINITY)
  return Map.groupBy(found.filter(isAfter), ({ recipient }) => recipient)
}

/** All that a carrier has been handed and not named yet. */
function unnamedOf({ run }: Tx, carrier: string, now: EpochMs): Promise<Unnamed[]> {
  return run(
    `SELECT o.id AS ticket, m.wallet_id AS "walletId", m.recipient, m.segments, o.handed_at AS "handedAt",
       o.expires_at AS "expiresAt", CASE WHEN o.lease_until <= $1 THEN 1 ELSE 0 END AS "isUncertain"
     FROM outbox o JOIN messages m ON m.id = o.id
     WHERE o.kind = 'await' AND o.submitted_at = 0 AND o.lane = $2`,
    [now, carrier],
  )
}

/** Keeps receipts for as long as their messages may be uncertain. */
async function keepEarly(
  { run }: Tx,
  receipts: readonly { receipt: EarlyReceipt; until: number }[],
): Promise<void> {
  for (const { receipt, until } of receipts)
    await run(
      `UPDATE carrier_refs SET keep_until = $1
       WHERE carrier = $2 AND ref = $3 AND message_id IS NULL`,
      [until, receipt.carrier, receipt.ref],
    )
}

/** Deletes receipts that have found their messages. */
export async function forgetEarly(
  { run }: Tx,
  receipts: readonly Pick<EarlyReceipt, 'carrier' | 'ref'>[],
): Promise<void> {
  for (const { carrier, ref } of receipts)
    await run('DELETE FROM carrier_refs WHERE carrier = $1 AND ref = $2 AND message_id IS NULL', [
      carrier,
      ref,
    ])
}

function receiptOf({ ref, recipient, verdict, reason }: EarlyReceipt): Receipt {
  return { ref, recipient, verdict, ...(reason !== null && { reason }) }
}
