/** How many callbacks may be under way in a process. */
export const PLACES = 512
/** An account may have as many places as stay free, so one alone has half of them; and so many in any case. */
const LEAST_OF_AN_ACCOUNT = 32
/** As many as find out that its receivers answer again. */
const MOST_WHILE_SILENT = 8
/** At most this many accounts are kept as silent; then the set is cleared, and all of them get another chance. */
const MOST_REMEMBERED = 10_000

/** What an account may have of the places. */
export interface ReceiverShare {
  /** How many more callbacks an account may begin, by how many of its own and of all accounts are under way. */
  of(accountId: string, underWay: { own: number; all: number }): number
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
    of(accountId, { own, all }) {
      if (silent.has(accountId)) return MOST_WHILE_SILENT - own
      // What it takes is no longer free, so it may take half of the difference.
      return Math.max(Math.ceil((PLACES - all - own) / 2), LEAST_OF_AN_ACCOUNT - own)
    },
    answered(accountId, inTime) {
      if (inTime) return void silent.delete(accountId)
      if (silent.size >= MOST_REMEMBERED) silent.clear()
      silent.add(accountId)
    },
  }
}
