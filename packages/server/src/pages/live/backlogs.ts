/** How many bytes wait for pages that do not read, by account. */
export interface Backlogs {
  /** Adds a stream of an account. `drop` ends it, when it has most of what may wait for the account. */
  join(accountId: string, drop: () => void): Backlog
}

/** The part of one stream. */
export interface Backlog {
  /** Says how many bytes wait for it now. */
  hold(bytes: number): void
  leave(): void
}

/** An account may have hundreds of streams, and a megabyte may wait for each: this is the limit for all of them together. */
const MOST_OF_AN_ACCOUNT = 8 * 1_024 * 1_024

interface Member {
  bytes: number
  drop(): void
}

export function createBacklogs(most = MOST_OF_AN_ACCOUNT): Backlogs {
  const accounts = new Map<string, { members: Set<Member>; bytes: number }>()

  return {
    join(accountId, drop) {
      const account = accounts.get(accountId) ?? { members: new Set(), bytes: 0 }
      accounts.set(accountId, account)
      const mine: Member = { bytes: 0, drop }
      account.members.add(mine)
      return {
        hold(bytes) {
          if (!account.members.has(mine)) return
          account.bytes += bytes - mine.bytes
          mine.bytes = bytes
          if (account.bytes > most) largestOf(account.members)?.drop()
        },
        leave() {
          if (!account.members.delete(mine)) return
          account.bytes -= mine.bytes
          if (account.members.size === 0) accounts.delete(accountId)
        },
      }
    },
  }
}

function largestOf(members: ReadonlySet<Member>): Member | undefined {
  let largest: Member | undefined
  for (const member of members) if (!largest || member.bytes > largest.bytes) largest = member
  return largest
}
