/** Accounts that move between cells, each a database with its gateways. Start reading in `move-account.ts`. */
export type { Cell } from './cell.ts'
export { type MovedAccount, moveAccount } from './move-account.ts'
export { bringReceipts, takeBackAccount } from './take-back.ts'
