/** A wallet's messages in figures: deliveries and spend over time, what its ledger charged for, and what is open. */
import { type Micros, microsOfSum } from '@wigwag/contract'
import { type EpochMs, epochMs, type Ticket } from '../../kernel/ids.ts'
import type { WalletPrincipal } from '../../kernel/principal.ts'
import { DAY_MS } from '../../kernel/time/spans.ts'
import type { Replica, Tx } from '../../store/database.ts'
import { inChunks, placeholders } from '../../store/rows.ts'
import { type DayTotals, shownTo, totalsBetween } from '../index.ts'

interface InsightsRequest {
  groupBy: 'network' | 'day'
  from: EpochMs | undefined
  before: EpochMs | undefined
}

export interface InsightRow {
  key: string
  sent: number
  delivered: number
  failed: number
  pending: number
  spend: Micros
}

interface Insights {
  from: EpochMs
  before: EpochMs
  groups: InsightRow[]
  totals: InsightRow
}

const DEFAULT_RANGE_MS = 30 * DAY_MS
/** A response cannot express years of five digits. */
const LATEST = epochMs(Date.UTC(9999, 11, 31, 23, 59, 59, 999))

/** Counts a wallet's deliveries and spend in a range; undefined when the range ends before it begins. */
export async function readInsights(
  database: Replica,
  { wallet }: WalletPrincipal,
  request: InsightsRequest,
  now: EpochMs,
): Promise<Insights | undefined> {
  const before = epochMs(Math.min(request.before ?? now, LATEST))
  const from = request.from ?? epochMs(Math.max(0, before - DEFAULT_RANGE_MS))
  if (from > before) return undefined
  const rows = await database.read((tx) => totalsBetween(tx, wallet.id, from, before))
  const groups = sumBy(request.groupBy === 'day' ? dayOf : networkOf, rows)
  return { from, before, groups, totals: sumUp('total', rows) }
}

/** A wallet's totals of today (UTC), from the running totals of whole hours alone: no message is counted. */
export async function readToday(
  database: Replica,
  { wallet }: WalletPrincipal,
  now: EpochMs,
): Promise<InsightRow> {
  const from = epochMs(now - (now % DAY_MS))
  const rows = await database.read((tx) => totalsBetween(tx, wallet.id, from, epochMs(from + DAY_MS)))
  return sumUp('today', rows)
}

/** A range of time, its end not included. */
export interface TimeRange {
  from: EpochMs
  before: EpochMs
}

/** A wallet's deliveries and spend in a range, counted in every way that a person looks at them. */
export interface Report {
  /** One for each day and network, in this order. */
  rows: DayTotals[]
  days: InsightRow[]
  networks: InsightRow[]
  totals: InsightRow
  /** Of the range of the same length before. */
  earlier: InsightRow
}

export function readReport(
  database: Replica,
  { wallet }: WalletPrincipal,
  { from, before }: TimeRange,
): Promise<Report> {
  return database.read(async (tx) => {
    const rows = await totalsBetween(tx, wallet.id, from, before)
    const start = epochMs(Math.max(0, from - (before - from)))
    const earlier = await totalsBetween(tx, wallet.id, start, from)
    return {
      rows: rows.sort(byDayAndNetwork),
      days: sumBy(dayOf, rows),
      networks: sumBy(networkOf, rows),
      totals: sumUp('total', rows),
      earlier: sumUp('total', earlier),
    }
  })
}

function byDayAndNetwork(a: DayTotals, b: DayTotals): number {
  return a.day - b.day || (networkOf(a) < networkOf(b) ? -1 : 1)
}

/** The sums of the groups that rows fall into, in the order of their keys. */
function sumBy(keyOf: (row: DayTotals) => string, rows: readonly DayTotals[]): InsightRow[] {
  const groups = [...Map.groupBy(rows, keyOf)].map(([key, group]) => sumUp(key, group))
  return groups.sort((a, b) => (a.key < b.key ? -1 : 1))
}

function dayOf({ day }: DayTotals): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10)
}

function networkOf({ country, network }: DayTotals): string {
  return network === '' ? country : `${country} ${network}`
}

/** The sum of some totals. */
function sumUp(key: string, rows: readonly DayTotals[]): InsightRow {
  let [sent, delivered, failed, spend] = [0, 0, 0, 0]
  for (const row of rows) {
    sent += row.sent
    delivered += row.delivered
    failed += row.failed
    spend += row.spend
  }
  return { key, sent, delivered, failed, pending: sent - delivered - failed, spend: microsOfSum(spend) }
}

/** A charged message, as a ledger's reader sees it. */
export interface ChargedMessage {
  id: Ticket
  recipient: string
  segments: number
  price: Micros
}

/** The messages of the caller's wallet with these tickets. */
export async function chargedMessages(
  { run }: Tx,
  principal: WalletPrincipal,
  tickets: readonly Ticket[],
): Promise<Map<string, ChargedMessage>> {
  const found = new Map<string, ChargedMessage>()
  await inChunks(tickets, async (chunk) => {
    const rows = await run<ChargedMessage>(
      `SELECT id, recipient, segments, price FROM messages
       WHERE wallet_id = $1 AND id IN ${placeholders(1, chunk.length, undefined, 1)}`,
      [principal.wallet.id, ...chunk],
    )
    for (const row of rows) found.set(row.id, shownTo(principal, row))
  })
  return found
}

/** The messages for which a wallet's money is held. */
export interface OpenMessages {
  pending: number
  scheduled: number
  /** There are more: counting stopped. */
  more: boolean
}

const COUNTED = 1_000

/** Counts open messages, at most the newest thousand. */
export async function countOpen({ run }: Tx, walletId: string): Promise<OpenMessages> {
  const rows = await run<{ status: string; count: number }>(
    `SELECT status, count(*) AS count FROM
       (SELECT status FROM messages WHERE wallet_id = $1 AND sender_key IS NULL
        ORDER BY created_at DESC LIMIT ${COUNTED}) AS newest
     GROUP BY status`,
    [walletId],
  )
  const countOf = (status: string) => rows.find((row) => row.status === status)?.count ?? 0
  const [pending, scheduled] = [countOf('pending'), countOf('scheduled')]
  return { pending, scheduled, more: pending + scheduled === COUNTED }
}
