/**
 * Accounts with their API clients, sender IDs and secrets. Start reading in `operator.ts` for changes and in
 * `identify.ts` for authentication.
 */
export {
  type AccountRow,
  clientsOf,
  findAccount,
  findAccountByEmail,
  listAccounts,
  sendersOf,
  setCallbackSecret,
  setPasswordHash,
} from './accounts.ts'
export { type ChangeAccount, createChangeAccount, OperatorError } from './change.ts'
export { accountSuspended, createIdentify, statusOfSenders } from './identify.ts'
export { type AccountSecrets, type Accounts, createAccounts } from './operator.ts'
export { listSenderIds } from './routes.ts'
export { digestOf, newCallbackSecret } from './secrets.ts'
