/**
 * Accounts with their API clients, sender IDs and secrets. Start reading in `operator.ts` for changes and in
 * `identify.ts` for authentication.
 */
export {
  type AccountOrder,
  type AccountRow,
  accountsWith,
  clientsOf,
  countAccounts,
  eraseAccountRows,
  findAccount,
  isErased,
  lastUses,
  listAccounts,
  newestAccounts,
  orderedAccounts,
  setAccountFacts,
  setAccountStatus,
  type ToolProgram,
  toolProgramsOf,
  unwatchedAccounts,
} from './accounts.ts'
export { cellName, nameCell } from './cell-name.ts'
export {
  type Changing,
  changeAccount,
  lockForChange,
  type MovingMark,
  movingAccounts,
  OperatorError,
  readMovingMark,
  removeMovingMark,
  requireAccount,
  writeMovingMark,
} from './change.ts'
export { accountSuspended, statusOfSenders } from './identify.ts'
export { markTold, type NewAddress, untoldAddresses } from './key-addresses.ts'
export type { KeyUses } from './key-uses.ts'
export { callbackKeys, type KeyKind, type KeyRow, pruneKeys } from './keys.ts'
export { type AccountSecrets, Accounts, type AccountWork } from './operator.ts'
export { type OwnAccount, openOwnAccount } from './own-account.ts'
export { KEEP_MS, type KeepOldFor, type OwnKey } from './own-keys.ts'
export { pruneRefusals, type RefusalsOfHour, refusalsSince } from './refusals.ts'
export { noteRefusal, type RefusedRequest } from './refused-request.ts'
export { digestOf, type OnRotated, type Rotated } from './secrets.ts'
export {
  countWaitingSenders,
  listSenders,
  type NamedSender,
  oldestWaitingSender,
  type SenderPlace,
  type SenderRow,
  senderStart,
  sendersAlike,
  sendersOf,
  setSenderStatus,
  waitingSenders,
} from './senders.ts'
