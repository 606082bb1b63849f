import { randomBytes } from 'node:crypto'
import type { Clock } from '../clock.ts'
import { type EpochMs, epochMs } from '../domain/ids.ts'
import type { Wallet } from '../domain/ledger.ts'
import type { Micros } from '../domain/money.ts'
import { checkSender } from '../domain/sender.ts'
import {
  type AccountRow,
  clientsOf,
  findAccount,
  insertAccount,
  type SenderRow,
  setAccountStatus,
  setCallbackSecret,
  setClientSecret,
  setPasswordHash,
  setSenderStatus,
  walletsOf,
} from '../store/accounts.ts'
import type { Connection, Database } from '../store/database.ts'
import { endSessions } from '../store/portal.ts'
import type { Sealer } from '../store/sealing.ts'
import { clearFailures } from '../store/sign-in-attempts.ts'
import { creditWallet } from '../store/wallets.ts'
import { type AuditAction, createAudit } from './audit.ts'
import { ROTATION_MS } from './callback-secrets.ts'
import { newCallbackSecret } from './callback-signature.ts'
import { digestOf } from './identify.ts'
import { OperatorError } from './operator-error.ts'
import { emailHashOf } from './sign-in-limits.ts'

/** What a new account is told once, and nobody can read again but the callback secret's owner. */
export interface AccountSecrets {
  accountId: string
  clientId: string
  clientSecret: string
  walletToken: string
  callbackSecret: string
}

export interface NewAccountRequest {
  name: string
  email: string
  passwordHash?: string
  currency: string
  balance: Micros
  senders: readonly string[]
}

export interface OperatorOptions {
  database: Database
  clock: Clock
  sealer: Sealer
  newId(now: EpochMs): string
}

/** What an operator does to accounts. Every change leaves an audit row. */
export interface Operator {
  /** `first` runs in the same transaction, before anything is written: what it throws takes everything back. */
  createAccount(
    request: NewAccountRequest,
    first?: (connection: Connection, secrets: AccountSecrets) => Promise<void>,
  ): Promise<AccountSecrets>
  setStatus(account: string, status: AccountRow['status']): Promise<void>
  /** Gives the account another password. Whoever was signed in with the one before is so no more. */
  setPassword(account: string, passwordHash: string): Promise<void>
  rotateSecret(account: string): Promise<{ clientId: string; clientSecret: string }>
  /** Gives the account another secret to sign with. The one before goes on signing beside it for a while. */
  rotateCallbackSecret(account: string): Promise<{ callbackSecret: string; previousUntil: EpochMs }>
  credit(account: string, amount: Micros): Promise<Wallet & { currency: string }>
  setSender(account: string, sender: string, status: SenderRow['status']): Promise<void>
}

export function createOperator({ database, clock, sealer, newId }: OperatorOptions): Operator {
  const audit = createAudit({ clock, newId })

  function change<T>(
    action: AuditAction,
    idOrEmail: string,
    detail: Record<string, unknown>,
    work: (connection: Connection, account: AccountRow) => Promise<T>,
  ): Promise<T> {
    return database.write(async (connection) => {
      const account = await findAccount(connection, idOrEmail)
      if (!account)
        throw new OperatorError(`there is no account ${idOrEmail}; wigwag account list shows them all`)
      const result = await work(connection, account)
      await audit(connection, { actor: 'operator', action, accountId: account.id, detail })
      return result
    })
  }

  return {
    async createAccount({ name, email, passwordHash, currency, balance, senders }, first) {
      for (const sender of senders) checkSender(sender)
      const now = clock.now()
      const secrets: AccountSecrets = {
        accountId: newId(now),
        clientId: `wc_${token(12)}`,
        clientSecret: `ws_${token(32)}`,
        walletToken: `wt_${token(32)}`,
        callbackSecret: newCallbackSecret(),
      }
      const walletId = newId(now)
      await database.write(async (connection) => {
        await first?.(connection, secrets)
        if (await findAccount(connection, email))
          throw new OperatorError(`there is already an account for ${email}`)
        await insertAccount(
          connection,
          {
            account: {
              id: secrets.accountId,
              name,
              email: email.toLowerCase(),
              passwordHash: passwordHash ?? null,
              callbackSecret: sealer.seal(secrets.callbackSecret),
            },
            client: { id: secrets.clientId, secretHash: digestOf(secrets.clientSecret) },
            wallet: { id: walletId, tokenHash: digestOf(secrets.walletToken), currency },
            senders,
          },
          now,
        )
        if (balance > 0) await creditWallet(connection, walletId, balance, now)
        const detail = { name, currency, balance, senders }
        const { accountId } = secrets
        await audit(connection, { actor: 'operator', action: 'account.create', accountId, detail })
      })
      return secrets
    },

    setStatus: (idOrEmail, status) =>
      change(
        status === 'active' ? 'account.resume' : 'account.suspend',
        idOrEmail,
        {},
        (connection, account) => setAccountStatus(connection, account.id, status),
      ),

    setPassword: (idOrEmail, passwordHash) =>
      change('account.set-password', idOrEmail, {}, async (connection, { id, email }) => {
        await setPasswordHash(connection, id, passwordHash)
        await endSessions(connection, id)
        await clearFailures(connection, emailHashOf(email))
      }),

    rotateSecret: (idOrEmail) =>
      change('account.rotate-secret', idOrEmail, {}, async (connection, account) => {
        const [client] = await clientsOf(connection, account.id)
        if (!client) throw new OperatorError(`account ${account.id} has no API client`)
        const clientSecret = `ws_${token(32)}`
        await setClientSecret(connection, client.id, digestOf(clientSecret))
        return { clientId: client.id, clientSecret }
      }),

    rotateCallbackSecret: (idOrEmail) =>
      change('account.rotate-callback-secret', idOrEmail, {}, async (connection, account) => {
        const callbackSecret = newCallbackSecret()
        const now = clock.now()
        await setCallbackSecret(connection, account, sealer.seal(callbackSecret), now)
        return { callbackSecret, previousUntil: epochMs(now + ROTATION_MS) }
      }),

    credit: (idOrEmail, amount) =>
      change('wallet.credit', idOrEmail, { amount }, async (connection, account) => {
        const [wallet] = await walletsOf(connection, account.id)
        if (!wallet) throw new OperatorError(`account ${account.id} has no wallet`)
        return {
          ...(await creditWallet(connection, wallet.id, amount, clock.now())),
          currency: wallet.currency,
        }
      }),

    setSender: (idOrEmail, sender, status) => {
      checkSender(sender)
      return change(`sender.${status}`, idOrEmail, { sender }, (connection, account) =>
        setSenderStatus(connection, { accountId: account.id, sender, status }, clock.now()),
      )
    },
  }
}

function token(bytes: number): string {
  return randomBytes(bytes).toString('base64url')
}
