import { available } from '../domain/ledger.ts'
import { toDecimal } from '../domain/money.ts'
import { OperatorError } from '../gateway/operator-error.ts'
import { type AccountRow, clientsOf, findAccount, sendersOf, walletsOf } from '../store/accounts.ts'
import type { Connection } from '../store/database.ts'

/** An account without what is behind it. */
export function accountLine({ id, name, email, status, createdAt }: AccountRow) {
  return { accountId: id, name, email, status, createdAt: new Date(createdAt).toISOString() }
}

export async function requireAccount(connection: Connection, idOrEmail: string): Promise<AccountRow> {
  const account = await findAccount(connection, idOrEmail)
  if (account) return account
  throw new OperatorError(`there is no account ${idOrEmail}; wigwag account list shows them all`)
}

/** An account with its clients, wallets and sender IDs. No secret is in it. */
export async function accountRecord(connection: Connection, idOrEmail: string) {
  const account = await requireAccount(connection, idOrEmail)
  const clients = await clientsOf(connection, account.id)
  const wallets = await walletsOf(connection, account.id)
  const senders = await sendersOf(connection, account.id)
  return {
    ...accountLine(account),
    hasPassword: account.passwordHash !== null,
    clients: clients.map(({ id }) => ({ clientId: id })),
    wallets: wallets.map(({ id, currency, posted, held }) => ({
      walletId: id,
      currency,
      balance: toDecimal(available({ posted, held })),
      posted: toDecimal(posted),
      held: toDecimal(held),
    })),
    senders: senders.map(({ sender, status }) => ({ senderId: sender, status })),
  }
}
