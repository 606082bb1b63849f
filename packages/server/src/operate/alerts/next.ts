import type { EpochMs } from '../../kernel/ids.ts'
import { MINUTE_MS, SECOND_MS } from '../../kernel/time/spans.ts'
import type { Tables } from '../../store/schema/schema.ts'

export type AlertRow = Tables['alerts']['$inferSelect']

/** A trouble, as it is told. */
export type Seen = Pick<AlertRow, 'key' | 'state' | 'text' | 'accountId'>

/** A warning that is over sooner is nobody's business. */
const TOLD_AFTER_MS = 30 * SECOND_MS
/** A trouble that comes back sooner was never over. */
const OVER_AFTER_MS = MINUTE_MS

/** The changes of a look. */
export interface NextAlerts {
  /** New or changed rows. */
  kept: AlertRow[]
  removed: string[]
  raised: AlertRow[]
  over: AlertRow[]
}

/**
 * Decides what a look changes. A failure is told at once, a warning when it has been there for half a minute, and that it
 * is over when it has been gone for a minute: what comes and goes is told once. Keys that begin with one of `unknown` are
 * not gone because they were not seen.
 */
export function nextAlerts(
  rows: readonly AlertRow[],
  seen: readonly Seen[],
  unknown: readonly string[],
  now: EpochMs,
): NextAlerts {
  const next: NextAlerts = { kept: [], removed: [], raised: [], over: [] }
  const before = new Map(rows.map((row) => [row.key, row]))
  for (const one of seen) {
    const row = before.get(one.key) ?? { ...one, seenAt: now, toldAt: null, goneAt: null }
    const isDue = row.toldAt === null && (one.state === 'fail' || since(row.seenAt, now) >= TOLD_AFTER_MS)
    const after: AlertRow = { ...row, goneAt: null, ...(isDue && { ...one, toldAt: now }) }
    if (isDue) next.raised.push(after)
    if (isDue || !before.has(one.key) || row.goneAt !== null) next.kept.push(after)
  }
  const here = new Set(seen.map(({ key }) => key))
  for (const row of rows) {
    if (here.has(row.key) || unknown.some((beginning) => row.key.startsWith(beginning))) continue
    if (row.goneAt === null) next.kept.push({ ...row, goneAt: now })
    else if (since(row.goneAt, now) >= OVER_AFTER_MS) {
      next.removed.push(row.key)
      if (row.toldAt !== null) next.over.push(row)
    }
  }
  return next
}

/** A clock that was set back would make all that was noted before wait for that long. */
function since(at: EpochMs, now: EpochMs): number {
  return now >= at ? now - at : Number.POSITIVE_INFINITY
}

export function isNothing({ kept, removed }: NextAlerts): boolean {
  return kept.length + removed.length === 0
}
