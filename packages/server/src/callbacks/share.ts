/** How many callbacks may be under way in a process. */
export const PLACES = 512
/** One account may have half of the places as long as the other half is free; beyond that, so many. */
const MOST_OF_AN_ACCOUNT = 32
/** As many as find out that its receivers answer again. */
const MOST_WHILE_SILENT = 8
/** At most this many accounts are kept as silent; then the set is cleared, and all of them get another chance. */
const MOST_REMEMBERED = 10_000

/** What an account may have of the places. */
export interface ReceiverShare {
  /** How many callbacks of an account may be under way at a time, while so many of all are. */
  of(accountId: string, underWay: number): number
  /** Records whether a receiver of the account answered in time. */
  answered(accountId: string, inTime: boolean): void
}

/**
 * Keeps one account's receivers from holding up those of others. By account and not by host: one receiver may have many
 * names, and one host may be the receiver of many accounts.
 */
export function createReceiverShare(): ReceiverShare {
  const silent = new Set<string>()
  return {
    of(accountId, underWay) {
      if (silent.has(accountId)) return MOST_WHILE_SILENT
      return underWay < PLACES / 2 ? PLACES / 2 : MOST_OF_AN_ACCOUNT
    },
    answered(accountId, inTime) {
      if (inTime) return void silent.delete(accountId)
      if (silent.size >= MOST_REMEMBERED) silent.clear()
      silent.add(accountId)
    },
  }
}
