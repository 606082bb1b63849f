import { OperatorError, requireAccount, type ToolProgram } from '../accounts/index.ts'
import { type ConnectionsOptions, type ConnectionView, createAssistantConnections } from './connections.ts'
import type { EndByOperator } from './end-connections.ts'

/** What an operator sees of an account's connections, and does to them. */
export interface OperatorConnections {
  /** In the order of {@link Grants.list}. */
  list(account: string): Promise<ConnectionView[]>
  /** The programs that use the tools with the account's API credentials, without a connection. */
  programs(account: string): Promise<ToolProgram[]>
  /** Ends one, or all that are active. Returns the ids of those that ended. */
  end(account: string, which: string | 'all'): Promise<string[]>
}

/** What names a program with API credentials in lists and in the audit log. */
const PROGRAM = 'client:'

function notConnected(account: string, which: string): OperatorError {
  return new OperatorError(
    `${which} calls the tools with API credentials and has no connection to end; wigwag account rotate-secret ${account} replaces its secret`,
  )
}

export function createOperatorConnections(
  parts: ConnectionsOptions & { endByOperator: EndByOperator },
): OperatorConnections {
  const { database, endByOperator } = parts
  const connections = createAssistantConnections(parts)
  return {
    async list(account) {
      const { id } = await database.read((tx) => requireAccount(tx, account))
      return connections.list(id)
    },

    async programs(account) {
      const { id } = await database.read((tx) => requireAccount(tx, account))
      return connections.programs(id)
    },

    end: (account, which) =>
      database.write(async (tx) => {
        const { id } = await requireAccount(tx, account)
        if (which.startsWith(PROGRAM)) throw notConnected(account, which)
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
