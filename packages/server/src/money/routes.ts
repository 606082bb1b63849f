import { toDecimal } from '@wigwag/contract'
import { invalidFields } from '../kernel/errors.ts'
import { available } from '../kernel/money/ledger.ts'
import { walletOf } from '../kernel/principal.ts'
import type { Clock } from '../kernel/process/clock.ts'
import type { Handler } from '../net/server/handler.ts'
import { instant, nextCursor, pageRequest, timeOf } from '../net/server/paging.ts'
import type { Database } from '../store/database.ts'
import { ledgerPage } from './ledger.ts'
import { ratesFor } from './rates.ts'
import { findWallet, type LedgerRow } from './wallets.ts'

export function getBalance(database: Database, clock: Clock): Handler<'getBalance'> {
  return async ({ principal }) => {
    const { id, currency } = walletOf(principal).wallet
    const wallet = await database.read((tx) => findWallet(tx, id))
    if (!wallet) throw new Error(`there is no wallet ${id}`)
    return { body: { balance: toDecimal(available(wallet)), currency, asOf: instant(clock.now()) } }
  }
}

export function listLedger(database: Database): Handler<'listLedger'> {
  return async ({ principal, query }) => {
    const filter = { from: timeOf(query.DateFrom), before: timeOf(query.DateTo) }
    const { items, next } = await ledgerPage(database, walletOf(principal), filter, pageRequest(query))
    return { body: { Items: items.map(entry), ...nextCursor(next) } }
  }
}

export function getRates(database: Database): Handler<'getRates'> {
  return async ({ principal, path }) => {
    const country = path.country.toUpperCase()
    const { currency } = walletOf(principal).wallet
    const { rates, sample } = await database.read((tx) => ratesFor(tx, currency, country))
    if (rates.length === 0) {
      const detail = `There is no rate in ${currency} for ${country}.`
      throw invalidFields([{ pointer: '/country', code: 'no_rate', detail }])
    }
    const all = rates.find(({ mcc }) => mcc === '')
    return {
      body: {
        Country: country,
        Currency: currency,
        ...(all && { DefaultPrice: toDecimal(all.price) }),
        Networks: rates
          .filter(({ mcc }) => mcc !== '')
          .map(({ network, mcc, mnc, price }) => ({
            Network: network,
            Mcc: mcc,
            Mnc: mnc,
            Price: toDecimal(price),
          })),
        Sample: sample,
      },
    }
  }
}

function entry({ seq, kind, amount, balanceBefore, balanceAfter, messageId, createdAt }: LedgerRow) {
  return {
    Seq: seq,
    Kind: kind === 'credit' ? 'credit' : 'charge',
    Amount: toDecimal(amount),
    BalanceBefore: toDecimal(balanceBefore),
    BalanceAfter: toDecimal(balanceAfter),
    ...(messageId === null ? {} : { Ticket: messageId }),
    At: instant(createdAt),
  }
}
