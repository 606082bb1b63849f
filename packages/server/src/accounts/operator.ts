import type { Micros } from '@wigwag/contract'
import { createAudit } from '../audit/index.ts'
import type { EpochMs } from '../domain/ids.ts'
import type { Wallet } from '../domain/ledger.ts'
import { checkSender } from '../domain/sender.ts'
import { creditWallet, walletsOf } from '../money/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database, Tx } from '../platform/database/database.ts'
import type { Sealer } from '../platform/secrets/sealing.ts'
import {
  type AccountRow,
  clientsOf,
  findAccount,
  insertAccount,
  type SenderRow,
  setAccountStatus,
  setClientSecret,
  setSenderStatus,
} from './accounts.ts'
import { type ChangeAccount, OperatorError } from './change.ts'
import { digestOf, newCallbackSecret, newClientId, newClientSecret, newWalletToken } from './secrets.ts'

/** The secrets of a new account, shown once. Later only the account can read its callback secret again. */
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

export interface AccountsOptions {
  change: ChangeAccount
  database: Database
  clock: Clock
  sealer: Sealer
  newId(now: EpochMs): string
}

/** An operator's work on accounts. Every change is audited. */
export interface Accounts {
  /** `first` runs in the same transaction before anything is written. If it throws, the account is not created. */
  createAccount(
    request: NewAccountRequest,
    first?: (tx: Tx, secrets: AccountSecrets) => Promise<void>,
  ): Promise<AccountSecrets>
  setStatus(account: string, status: AccountRow['status']): Promise<void>
  rotateSecret(account: string): Promise<{ clientId: string; clientSecret: string }>
  credit(account: string, amount: Micros): Promise<Wallet & { currency: string }>
  setSender(account: string, sender: string, status: SenderRow['status']): Promise<void>
}

/** Builds the operator's work on accounts. */
export function createAccounts({ change, database, clock, sealer, newId }: AccountsOptions): Accounts {
  const audit = createAudit({ clock, newId })

  return {
    async createAccount({ name, email, passwordHash, currency, balance, senders }, first) {
      for (const sender of senders) checkSender(sender)
      const now = clock.now()
      const secrets: AccountSecrets = {
        accountId: newId(now),
        clientId: newClientId(),
        clientSecret: newClientSecret(),
        walletToken: newWalletToken(),
        callbackSecret: newCallbackSecret(),
      }
      const walletId = newId(now)
      await database.write(async (tx) => {
        await first?.(tx, secrets)
        if (await findAccount(tx, email)) throw new OperatorError(`there is already an account for ${email}`)
        await insertAccount(
          tx,
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
        if (balance > 0) await creditWallet(tx, walletId, balance, now)
        const detail = { name, currency, balance, senders }
        const { accountId } = secrets
        await audit(tx, { actor: 'operator', action: 'account.create', accountId, detail })
      })
      return secrets
    },

    setStatus: (idOrEmail, status) =>
      change(status === 'active' ? 'account.resume' : 'account.suspend', idOrEmail, {}, (tx, account) =>
        setAccountStatus(tx, account.id, status),
      ),

    rotateSecret: (idOrEmail) =>
      change('account.rotate-secret', idOrEmail, {}, async (tx, account) => {
        const [client] = await clientsOf(tx, account.id)
        if (!client) throw new OperatorError(`account ${account.id} has no API client`)
        const clientSecret = newClientSecret()
        await setClientSecret(tx, client.id, digestOf(clientSecret))
        return { clientId: client.id, clientSecret }
      }),

    credit: (idOrEmail, amount) =>
      change('wallet.credit', idOrEmail, { amount }, async (tx, account) => {
        const [wallet] = await walletsOf(tx, account.id)
        if (!wallet) throw new OperatorError(`account ${account.id} has no wallet`)
        return {
          ...(await creditWallet(tx, wallet.id, amount, clock.now())),
          currency: wallet.currency,
        }
      }),

    setSender: (idOrEmail, sender, status) => {
      checkSender(sender)
      return change(`sender.${status}`, idOrEmail, { sender }, (tx, account) =>
        setSenderStatus(tx, { accountId: account.id, sender, status }, clock.now()),
      )
    },
  }
}
