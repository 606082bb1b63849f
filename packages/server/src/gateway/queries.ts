import type { Clock } from '../clock.ts'
import { Problem } from '../domain/errors.ts'
import { type EpochMs, isTicket } from '../domain/ids.ts'
import { available } from '../domain/ledger.ts'
import type { Micros } from '../domain/money.ts'
import { findWallet } from '../store/accounts.ts'
import type { Database } from '../store/database.ts'
import { findMessage, type MessageRow } from '../store/messages.ts'
import type { Principal, WalletPrincipal } from './principal.ts'

/** What can be asked without changing anything. */
export interface Queries {
  transaction(principal: Principal, ticket: string): Promise<MessageRow>
  balance(principal: WalletPrincipal): Promise<{ balance: Micros; currency: string; asOf: EpochMs }>
}

export function createQueries(database: Database, clock: Clock): Queries {
  return {
    async transaction({ accountId }, ticket) {
      const message = isTicket(ticket)
        ? await database.read((connection) => findMessage(connection, accountId, ticket.toLowerCase()))
        : undefined
      if (!message) throw new Problem('transaction_not_found', `This account has no transaction ${ticket}.`)
      return message
    },

    async balance({ wallet: { id, currency } }) {
      const wallet = await database.read((connection) => findWallet(connection, id))
      if (!wallet) throw new Error(`there is no wallet ${id}`)
      return { balance: available(wallet), currency, asOf: clock.now() }
    },
  }
}
