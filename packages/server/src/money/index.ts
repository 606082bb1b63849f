/** Prices, wallets and the ledger. Start reading in `wallets.ts`; prices are in `price.ts` and `rates.ts`. */
export { createMoney } from './create.ts'
export { brokenEntries, countLedger, type UnevenWallet, unevenWallets } from './ledger-check.ts'
export { type Price, priceOf } from './price.ts'
export { importRates, readRates, replaceRates } from './rates.ts'
export {
  creditWallet,
  findWallet,
  findWalletByToken,
  holdAmounts,
  insertWallet,
  type LedgerRow,
  lockedWallets,
  settleWallet,
  walletsOf,
} from './wallets.ts'
