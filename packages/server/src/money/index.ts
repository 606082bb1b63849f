/** Prices, wallets and the ledger. Start reading in `wallets.ts`; prices are in `price.ts` and `rates.ts`. */
export {
  type Booked,
  type Booking,
  book,
  emptyWallet,
  entryOf,
  forgetEntries,
  MOST_IN_WALLET,
  type Referred,
} from './book.ts'
export {
  ledgerPage,
  type Period,
  referencesOf,
  type Statement,
  type StatementLine,
  statementLines,
  statementOf,
} from './ledger.ts'
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
  type EarlierList,
  type EarlierRates,
  earlierLists,
  earlierRates,
  importRates,
  type RatesReplaced,
  restoreRates,
} from './rate-lists.ts'
export {
  type Prices,
  type RatePlace,
  type RatesInForce,
  type RatesWanted,
  ratesIn,
  ratesInForce,
  readRates,
  replaceRates,
  sinceOf,
  someRates,
  unpricedCurrencies,
} from './rates.ts'
export {
  changesInWords,
  compareRates,
  countChanges,
  listRates,
  RATES_COLUMNS,
  type RateChange,
  type RatesFile,
  rateCells,
  readRatesText,
  withoutGaps,
} from './rates-file.ts'
export { STATEMENT_COLUMNS, statementCells } from './statement-file.ts'
export {
  creditWallet,
  findWallet,
  holdAmounts,
  insertWallet,
  knownWallet,
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
  lowWallets,
  markLow,
  setWarning,
  warningOf,
  warningsByWallet,
  watchLowWallets,
} from './warnings.ts'
export { openMoney } from './wiring.ts'
