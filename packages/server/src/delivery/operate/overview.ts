import { lanesWithJobs } from '../../flow/jobs/lanes.ts'
import type { EpochMs } from '../../kernel/ids.ts'
import type { Tx } from '../../store/database.ts'
import { EARLY_MS } from '../finish/refs.ts'
import type { CarrierPlan } from '../plan/index.ts'
import { carrierReports, type LiveReport, pausedCarriers } from './switches.ts'
import { countUncertain } from './uncertain.ts'

/** How all carriers are, as far as the database knows: what running processes report, and what waits. */
export interface CarrierOverview {
  reports: readonly LiveReport[]
  /** The paused carriers, each with the time of the pause. */
  paused: ReadonlyMap<string, EpochMs>
  messages: readonly CarrierMessages[]
}

/** The messages and receipts of one carrier, in all processes. */
export interface CarrierMessages {
  /** Empty for messages without a carrier. */
  carrier: string
  /** Messages that wait to be submitted. */
  waiting: number
  /** When the first of them was to go; undefined when none waits. */
  oldest: EpochMs | undefined
  /** Messages for which the carrier never said whether it took them. */
  uncertain: number
  /** Receipts that came before the references of their messages. */
  early: number
  /** The early receipts that are so old that they belong to no message. */
  unmatched: number
}

/** Of each carrier's waiting messages only `most` are counted, if that is given. */
export async function carrierOverview(tx: Tx, now: EpochMs, most?: number): Promise<CarrierOverview> {
  const reports = await carrierReports(tx, now)
  const running = reports.flatMap(({ carriers }) => carriers.map(({ carrier }) => carrier))
  const messages = await messagesByCarrier(tx, running, { now, most })
  return { reports, paused: await pausedCarriers(tx), messages }
}

/** The names of carriers that can be paused or resumed: one may have been removed while it was paused. */
export function knownCarriers(
  { reports, paused }: Pick<CarrierOverview, 'reports' | 'paused'>,
  plan: () => CarrierPlan,
): string[] {
  const running = reports.flatMap(({ carriers }) => carriers.map(({ carrier }) => carrier))
  const known = new Set([...(reports.length > 0 ? running : plan().carriers.keys()), ...paused.keys()])
  return [...known].sort()
}

interface Counting {
  now: EpochMs
  /** How many waiting messages of a carrier are looked at; all when left out. */
  most?: number | undefined
}

/** The messages of these carriers, and of others that have any. */
export async function messagesByCarrier(
  tx: Tx,
  carriers: readonly string[],
  { now, most }: Counting,
): Promise<CarrierMessages[]> {
  const found = new Map<string, CarrierMessages>()
  const add = ({ carrier, ...numbers }: Partial<CarrierMessages> & { carrier: string }) => {
    const none = { carrier, waiting: 0, oldest: undefined, uncertain: 0, early: 0, unmatched: 0 }
    found.set(carrier, { ...none, ...found.get(carrier), ...numbers })
  }
  for (const carrier of carriers) add({ carrier })
  for (const lane of ['', ...(await lanesWithJobs(tx, 'dispatch'))]) {
    const row = await waitingMessages(tx, lane, { now, most })
    if (row && row.waiting > 0) add({ carrier: lane, ...row })
  }
  for (const { carrier, count } of await countUncertain(tx, now)) add({ carrier, uncertain: count })
  for (const row of await earlyReceipts(tx, now)) add(row)
  return [...found.values()].sort((a, b) => (a.carrier < b.carrier ? -1 : 1))
}

/** The time when a message was to go counts, not the time of its next try, which moves on. */
async function waitingMessages({ run }: Tx, lane: string, { now, most = Number.MAX_SAFE_INTEGER }: Counting) {
  const [row] = await run<{ waiting: number; oldest: EpochMs }>(
    `SELECT count(*) AS waiting, min(CASE WHEN m.due_at > 0 THEN m.due_at ELSE m.created_at END) AS oldest
     FROM (SELECT id FROM outbox WHERE kind = 'dispatch' AND lane = $1 AND lease_until <= $2 LIMIT $3) AS o
     JOIN messages m ON m.id = o.id`,
    [lane, now, most],
  )
  return row
}

function earlyReceipts({ run }: Tx, now: EpochMs) {
  return run<{ carrier: string; early: number; unmatched: number }>(
    `SELECT carrier, count(*) AS early, count(CASE WHEN at < $1 THEN 1 END) AS unmatched
     FROM carrier_refs WHERE message_id IS NULL GROUP BY carrier`,
    [now - EARLY_MS],
  )
}
