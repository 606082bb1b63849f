import { epochMs } from '../domain/ids.ts'
import { totalsBetween } from '../messages/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database } from '../platform/database/database.ts'
import type { WalletPrincipal } from '../platform/http/principal.ts'
import { type InsightRow, sumUp } from './insights.ts'

const DAY_MS = 24 * 3_600_000

/** What a wallet sent today (UTC), from the running totals of whole hours alone: no message is counted. */
export type Today = (principal: WalletPrincipal) => Promise<InsightRow>

export function createToday(database: Database, clock: Clock): Today {
  return async function today({ wallet }) {
    const now = clock.now()
    const from = epochMs(now - (now % DAY_MS))
    const rows = await database.read((tx) => totalsBetween(tx, wallet.id, from, epochMs(from + DAY_MS)))
    return sumUp('today', rows)
  }
}
