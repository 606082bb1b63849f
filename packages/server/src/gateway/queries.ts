import type { Clock } from '../clock.ts'
import { Problem } from '../domain/errors.ts'
import { type EpochMs, isTicket } from '../domain/ids.ts'
import { available } from '../domain/ledger.ts'
import type { Micros } from '../domain/money.ts'
import { findWallet, type SenderRow, sendersOf } from '../store/accounts.ts'
import type { Database } from '../store/database.ts'
import { findMessage, type MessageRow } from '../store/messages.ts'
import { ratesFor } from '../store/rates.ts'
import { type MessageFilter, scheduledMessages, searchMessages } from '../store/search.ts'
import { timelineSource } from '../store/timeline.ts'
import { decode, type Page, type PageRequest, pageOf } from './cursor.ts'
import { invalidFields } from './prepare.ts'
import type { Principal, WalletPrincipal } from './principal.ts'
import { type TimelineEntry, timelineOf } from './timeline.ts'

/** The prices for a country in a wallet's currency. */
export interface CountryRates {
  country: string
  currency: string
  defaultPrice: Micros | undefined
  networks: { name: string; mcc: string; mnc: string; price: Micros }[]
  sample: boolean
}

/** What can be asked without changing anything. */
export interface Queries {
  /** Any transaction of the account; to a caller bound to a wallet, of that wallet. */
  transaction(principal: Principal, ticket: string): Promise<MessageRow>
  /** A message of the caller's wallet. */
  walletMessage(principal: WalletPrincipal, id: string): Promise<MessageRow>
  messageInFull(
    principal: WalletPrincipal,
    id: string,
  ): Promise<{ message: MessageRow; timeline: TimelineEntry[] }>
  search(principal: WalletPrincipal, filter: MessageFilter, page: PageRequest): Promise<Page<MessageRow>>
  scheduled(principal: WalletPrincipal, page: PageRequest): Promise<Page<MessageRow>>
  balance(principal: WalletPrincipal): Promise<{ balance: Micros; currency: string; asOf: EpochMs }>
  senders(principal: Principal): Promise<SenderRow[]>
  rates(principal: WalletPrincipal, country: string): Promise<CountryRates>
}

export function createQueries(database: Database, clock: Clock): Queries {
  async function transaction({ accountId, wallet }: Principal, ticket: string): Promise<MessageRow> {
    const message = isTicket(ticket)
      ? await database.read((connection) => findMessage(connection, accountId, ticket.toLowerCase()))
      : undefined
    if (!message || (wallet && message.walletId !== wallet.id)) throw notFound(ticket)
    return message
  }

  return {
    transaction,
    walletMessage: transaction,

    async messageInFull(principal, id) {
      const message = await transaction(principal, id)
      const source = await database.read((connection) => timelineSource(connection, message))
      return { message: source.message, timeline: timelineOf(source) }
    },

    async search({ wallet, senders }, filter, { cursor, limit }) {
      const after = decode(cursor)
      const scope = { walletId: wallet.id, senders: [...senders.keys()] }
      const rows = await database.read((connection) =>
        searchMessages(connection, scope, filter, { after, limit: limit + 1 }),
      )
      return pageOf(rows, limit, ({ createdAt, id }) => ({ at: createdAt, id }))
    },

    async scheduled({ wallet }, { cursor, limit }) {
      const after = decode(cursor)
      const rows = await database.read((connection) =>
        scheduledMessages(connection, wallet.id, { after, limit: limit + 1 }),
      )
      return pageOf(rows, limit, ({ sendAt, id }) => ({ at: sendAt, id }))
    },

    async balance({ wallet: { id, currency } }) {
      const wallet = await database.read((connection) => findWallet(connection, id))
      if (!wallet) throw new Error(`there is no wallet ${id}`)
      return { balance: available(wallet), currency, asOf: clock.now() }
    },

    senders: ({ accountId }) => database.read((connection) => sendersOf(connection, accountId)),

    async rates({ wallet: { currency } }, country) {
      const { rates, sample } = await database.read((connection) => ratesFor(connection, currency, country))
      if (rates.length === 0) {
        const detail = `There is no rate in ${currency} for ${country}.`
        throw invalidFields([{ pointer: '/country', code: 'no_rate', detail }])
      }
      return {
        country,
        currency,
        defaultPrice: rates.find(({ mcc }) => mcc === '')?.price,
        networks: rates.flatMap(({ network, mcc, mnc, price }) =>
          mcc === '' ? [] : [{ name: network, mcc, mnc, price }],
        ),
        sample,
      }
    },
  }
}

function notFound(id: string): Problem {
  return new Problem('transaction_not_found', `This account has no transaction ${id}.`)
}
