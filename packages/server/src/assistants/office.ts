import { OperatorError, requireAccount } from '../accounts/index.ts'
import type { EndByOperator } from './end.ts'
import { createGrants, type GrantsOptions, type GrantView } from './grants.ts'

/** What an operator sees of an account's connections, and does to them. */
export interface ConnectionOffice {
  /** In the order of {@link Grants.list}. */
  list(account: string): Promise<GrantView[]>
  /** Ends one, or all that are active. Returns the ids of those that ended. */
  end(account: string, which: string | 'all'): Promise<string[]>
}

export function createConnectionOffice(
  parts: GrantsOptions & { endByOperator: EndByOperator },
): ConnectionOffice {
  const { database, endByOperator } = parts
  const grants = createGrants(parts)
  return {
    async list(account) {
      const { id } = await database.read((tx) => requireAccount(tx, account))
      return grants.list(id)
    },

    end: (account, which) =>
      database.write(async (tx) => {
        const { id } = await requireAccount(tx, account)
        const ended = await endByOperator(tx, id, which, 'the operator ended it')
        if (which !== 'all' && ended.length === 0) {
          throw new OperatorError(
            `account ${account} has no active connection ${which}; wigwag account connections ${account} shows them all`,
          )
        }
        return ended
      }),
  }
}
