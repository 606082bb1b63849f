import { callbackStates } from '../../callbacks/index.ts'
import type { Ticket } from '../../domain/ids.ts'
import { available } from '../../domain/money/ledger.ts'
import { findWallet } from '../../money/index.ts'
import { amountOf } from '../../pages/widgets/money.ts'
import { decode } from '../../platform/http/paging.ts'
import type { WalletPrincipal } from '../../platform/http/principal.ts'
import { callbackOf, createReadInbox } from '../inbox/read.ts'
import type { ListedMessage } from '../inbox/row.ts'
import type { ConsoleParts } from '../parts.ts'
import { type NewestPage, PAGE_ROWS } from './seen.ts'

/** What streams read. Everything is of one wallet. */
export interface Reads {
  /** The newest messages that a filter matches. */
  page(principal: WalletPrincipal, q: string): Promise<NewestPage>
  /** Messages that were seen before, whatever the filter. */
  known(principal: WalletPrincipal, ids: readonly Ticket[]): Promise<ListedMessage[]>
  /** How many messages of a filter are newer than one, counted up to `COUNTED`. */
  countAfter(principal: WalletPrincipal, q: string, ticket: string): Promise<number>
  /** The balance as the rail shows it. */
  purse(principal: WalletPrincipal): Promise<string>
}

/** One more than what a page shows as a number. */
const COUNTED = 501

export function createReads(parts: Pick<ConsoleParts, 'database' | 'history' | 'clock'>): Reads {
  const { database, history } = parts
  const readInbox = createReadInbox(parts)

  return {
    async page(principal, q) {
      const { rows, next } = await readInbox(principal, q, { cursor: undefined, limit: PAGE_ROWS })
      return { rows, floor: decode(next)?.id ?? '' }
    },

    async known(principal, ids) {
      if (ids.length === 0) return []
      const rows = await history.queries.walletMessages(principal, ids)
      const told = rows.flatMap(({ id, callbackUrl }) => (callbackUrl === null ? [] : id))
      const states = await database.read((tx) => callbackStates(tx, principal.wallet.id, told))
      const by = await history.queries.sendersOf(rows)
      return rows.map((row) => ({ ...row, ...callbackOf(states.get(row.id)), by: by(row) }))
    },

    async countAfter(principal, q, ticket) {
      const { rows } = await readInbox(principal, q, { cursor: undefined, limit: COUNTED })
      return rows.filter(({ id }) => id > ticket).length
    },

    async purse({ wallet: { id, currency } }) {
      const wallet = await database.read((tx) => findWallet(tx, id))
      if (!wallet) throw new Error(`there is no wallet ${id}`)
      return `${currency} ${amountOf(available(wallet))}`
    },
  }
}
