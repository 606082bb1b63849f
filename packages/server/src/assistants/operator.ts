import { OperatorError, requireAccount, type ToolProgram } from '../accounts/index.ts'
import type { Parts } from '../flow/parts.ts'
import { createOperatorAudit, type OperatorAuditOptions } from '../store/audit/index.ts'
import type { Tx } from '../store/database.ts'
import { activeIds } from './connection-rows.ts'
import { Connections, type ConnectionView } from './connections.ts'
import { endWithTokens } from './end-connections.ts'

/** Prefix of a program with API credentials, in lists and in the audit log. */
const PROGRAM = 'client:'

/** An account's connections, for operators to see and end. */
export class OperatorConnections {
  readonly #parts: OperatorAuditOptions & Pick<Parts, 'database'>
  readonly #connections: Connections

  constructor(parts: OperatorAuditOptions & Pick<Parts, 'database' | 'clock' | 'newId'>) {
    this.#parts = parts
    this.#connections = new Connections(parts)
  }

  /** In the order of `Connections.list`. */
  async list(account: string): Promise<ConnectionView[]> {
    return this.#connections.list(await this.#idOf(account))
  }

  /** The programs that use the tools with the account's API credentials, without a connection. */
  async programs(account: string): Promise<ToolProgram[]> {
    return this.#connections.programs(await this.#idOf(account))
  }

  async #idOf(account: string): Promise<string> {
    const { id } = await this.#parts.database.read((tx) => requireAccount(tx, account))
    return id
  }

  /** Ends one, or all that are active. Returns the ids of those that ended. */
  end(account: string, which: string | 'all'): Promise<string[]> {
    return this.#parts.database.write(async (tx) => {
      const { id } = await requireAccount(tx, account)
      if (which.startsWith(PROGRAM)) throw notConnected(account, which)
      const ended = await endByOperator(this.#parts, tx, id, which, 'the operator ended it')
      if (which !== 'all' && ended.length === 0) {
        throw new OperatorError(
          `account ${account} has no active connection ${which}; wigwag account connections ${account} shows them all`,
        )
      }
      return ended
    })
  }
}

function notConnected(account: string, which: string): OperatorError {
  return new OperatorError(
    `${which} calls the tools with API credentials and has no connection to end; wigwag account rotate-secret ${account} replaces its secret`,
  )
}

/**
 * Ends active connections of an account for the operator: one, or all. Returns those that ended, each with an audit
 * row. The next call of each is refused, in every process, because a connection is looked up on every call.
 */
export async function endByOperator(
  parts: OperatorAuditOptions,
  tx: Tx,
  accountId: string,
  which: string | 'all',
  reason: string,
): Promise<string[]> {
  const ended: string[] = []
  for (const id of which === 'all' ? await activeIds(tx, accountId) : [which]) {
    if (await endWithTokens(tx, { accountId, id }, parts.clock.now())) ended.push(id)
  }
  const entry = { action: 'connection.end', accountId } as const
  await createOperatorAudit(parts)(
    tx,
    ...ended.map((connection) => ({ ...entry, detail: { connection, reason } })),
  )
  return ended
}
