/** Prices, wallets and the ledger. Start reading in `wallets.ts`; prices are in `price.ts` and `rates.ts`. */
export { type Booked, type Booking, book, MOST_IN_WALLET } from './book.ts'
export { compareRates, countChanges, type RateChange } from './compare-rates.ts'
export { emptyWallet, forgetEntries } from './empty-wallet.ts'
export {
  type BookSums,
  brokenEntries,
  countLedger,
  sumBooks,
  type UnevenWallet,
  unevenWallets,
} from './ledger-check.ts'
export { type Price, priceOf, totalPrice } from './price.ts'
export {
  importRates,
  type Prices,
  type RatePlace,
  type RatesInForce,
  type RatesWanted,
  ratesInForce,
  readRates,
  replaceRates,
  sinceOf,
  someRates,
} from './rates.ts'
export {
  listRates,
  RATES_COLUMNS,
  type RatesFile,
  rateCells,
  readRatesText,
  withoutGaps,
} from './rates-file.ts'
export { entryOf, type Referred } from './references.ts'
export { type Statement, type StatementLine, statementLines, statementOf } from './statement.ts'
export {
  creditWallet,
  findWallet,
  holdAmounts,
  insertWallet,
  type LedgerRow,
  lockedWallets,
  settleWallet,
  type WalletRow,
  walletsByAccount,
  walletsOf,
} from './wallets.ts'
export {
  countLow,
  isMarkStale,
  type LowWallet,
  lowestWallets,
  markLow,
  setWarning,
  warningOf,
  warningsByWallet,
  watchLowWallets,
} from './warnings.ts'
export { createMoney, type Money } from './wiring.ts'
