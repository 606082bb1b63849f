/**
 * Accounts with their API clients, sender IDs and secrets. Start reading in `operator.ts` for changes and in
 * `identify.ts` for authentication.
 */
export {
  type AccountRow,
  accountsWith,
  clientsOf,
  countWaitingSenders,
  findAccount,
  lastUses,
  listAccounts,
  listSenders,
  type NamedSender,
  newestAccounts,
  type SenderPlace,
  type SenderRow,
  senderStart,
  sendersAlike,
  sendersOf,
  setAccountStatus,
  setSenderStatus,
  type ToolProgram,
  toolProgramsOf,
  waitingSenders,
} from './accounts.ts'
export { cellOf, nameCell } from './cell.ts'
export {
  type ChangeAccount,
  createChangeAccount,
  lockForChange,
  OperatorError,
  requireAccount,
} from './change.ts'
export { eraseAccountRows, isErased } from './erase.ts'
export { accountSuspended, statusOfSenders } from './identify.ts'
export type { KeyUses } from './key-uses.ts'
export { callbackKeys, type KeyKind, type KeyRow, pruneKeys } from './keys.ts'
export {
  type MovingMark,
  movingAccounts,
  readMovingMark,
  removeMovingMark,
  writeMovingMark,
} from './moving-mark.ts'
export { type AccountSecrets, type Accounts, createAccounts } from './operator.ts'
export { createOwnAccount, type OwnAccount } from './own-account.ts'
export { KEEP_MS, type KeepOldFor, type OwnKey } from './own-keys.ts'
export type { OnRotated, Rotated } from './rotate.ts'
export { digestOf } from './secrets.ts'
