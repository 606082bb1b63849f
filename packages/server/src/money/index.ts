/** Prices, wallets and the ledger. Start reading in `wallets.ts`; prices are in `price.ts` and `rates.ts`. */
export { createMoney, type Money } from './create.ts'
export {
  type BookSums,
  brokenEntries,
  countLedger,
  sumBooks,
  type UnevenWallet,
  unevenWallets,
} from './ledger-check.ts'
export { emptyWallet, forgetEntries } from './play.ts'
export { type Price, priceOf } from './price.ts'
export { importRates, type Prices, readRates, replaceRates } from './rates.ts'
export {
  creditWallet,
  findWallet,
  holdAmounts,
  insertWallet,
  type LedgerRow,
  lockedWallets,
  settleWallet,
  walletsOf,
} from './wallets.ts'
