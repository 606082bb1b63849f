import { Problem } from '../domain/errors.ts'
import { isTicket } from '../domain/ids.ts'
import { findMessage, type MessageRow } from '../messages/index.ts'
import type { Database } from '../platform/database/database.ts'
import type { Principal, WalletPrincipal } from '../platform/http/principal.ts'
import { decode, type Page, type PageRequest, pageOf } from '../platform/http/wire.ts'
import { type MessageFilter, searchMessages } from './search.ts'
import { type TimelineEntry, timelineOf, timelineSource } from './timeline.ts'

/** Reads of messages. */
export interface Queries {
  /** Any transaction of the account. A caller bound to a wallet sees only that wallet's transactions. */
  transaction(principal: Principal, ticket: string): Promise<MessageRow>
  /** A message of the caller's wallet. */
  walletMessage(principal: WalletPrincipal, id: string): Promise<MessageRow>
  messageInFull(
    principal: WalletPrincipal,
    id: string,
  ): Promise<{ message: MessageRow; timeline: TimelineEntry[] }>
  search(principal: WalletPrincipal, filter: MessageFilter, page: PageRequest): Promise<Page<MessageRow>>
}

export function createQueries(database: Database): Queries {
  async function transaction({ accountId, wallet }: Principal, ticket: string): Promise<MessageRow> {
    const message = isTicket(ticket)
      ? await database.read((tx) => findMessage(tx, accountId, ticket.toLowerCase()))
      : undefined
    if (!message || (wallet && message.walletId !== wallet.id)) throw notFound(ticket)
    return message
  }

  return {
    transaction,
    walletMessage: transaction,

    async messageInFull(principal, id) {
      const message = await transaction(principal, id)
      const source = await database.read((tx) => timelineSource(tx, message))
      return { message: source.message, timeline: timelineOf(source) }
    },

    async search({ wallet, senders }, filter, { cursor, limit }) {
      const after = decode(cursor)
      const scope = { walletId: wallet.id, senders: [...senders.keys()] }
      const rows = await database.read((tx) => searchMessages(tx, scope, filter, { after, limit: limit + 1 }))
      return pageOf(rows, limit, ({ createdAt, id }) => ({ at: createdAt, id }))
    },
  }
}

function notFound(id: string): Problem {
  return new Problem('transaction_not_found', `This account has no transaction ${id}.`)
}
