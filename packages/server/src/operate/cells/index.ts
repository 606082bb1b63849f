/** Accounts that move between cells, each a database with its gateways. Start reading in `move-account.ts`. */
export type { Cell } from './cell.ts'
export { type Begun, type MovedAccount, moveAccount, takeBackAccount } from './move-account.ts'
export { isAtRest, type Open } from './rest.ts'
