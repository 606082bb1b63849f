/** How many callbacks may be under way in a process, and how many of one account. */
export const PLACES = 256
const MOST_OF_AN_ACCOUNT = 32
/** As many as find out that its receivers answer again. */
const MOST_WHILE_SILENT = 8
/** At most this many accounts are kept as silent; then the set is cleared, and all of them get another chance. */
const MOST_REMEMBERED = 10_000

/** What an account may have of the places. */
export interface ReceiverShare {
  /** How many callbacks of an account may be under way at a time. */
  of(accountId: string): number
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
    of: (accountId) => (silent.has(accountId) ? MOST_WHILE_SILENT : MOST_OF_AN_ACCOUNT),
    answered(accountId, inTime) {
      if (inTime) return void silent.delete(accountId)
      if (silent.size >= MOST_REMEMBERED) silent.clear()
      silent.add(accountId)
    },
  }
}
