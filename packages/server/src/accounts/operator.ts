import { type Micros, toDecimal } from '@wigwag/contract'
import { createOperatorAudit, type OperatorAuditOptions } from '../audit/index.ts'
import type { EpochMs } from '../domain/ids.ts'
import { available } from '../domain/money/ledger.ts'
import { checkSender } from '../domain/sender.ts'
import {
  type Booked,
  type Booking,
  book,
  creditWallet,
  setWarning,
  type WalletRow,
  walletsOf,
} from '../money/index.ts'
import type { Changes } from '../platform/changes.ts'
import type { Database, Tx } from '../platform/database/database.ts'
import {
  type AccountRow,
  clientsOf,
  decideSender,
  findAccount,
  insertAccount,
  type SenderRow,
  setAccountStatus,
  setSenderStatus,
} from './accounts.ts'
import { cellOf } from './cell.ts'
import { type ChangeAccount, OperatorError, requireAccount } from './change.ts'
import { currentKey, endOld, findKey, type KeyKind, type KeyRow, livingKeys, works } from './keys.ts'
import { KEEP_MS, type OwnKey, withoutSecret } from './own-keys.ts'
import { createRotate, newKey, newSecret, type Rotated, type RotateParts } from './rotate.ts'
import { newClientId } from './secrets.ts'

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

export interface RotatedSecret {
  clientId: string
  clientSecret: string
  previousUntil: EpochMs
}

export interface RotatedToken {
  walletToken: string
  previousUntil: EpochMs
}

export interface AccountsOptions extends RotateParts, Pick<OperatorAuditOptions, 'acting'> {
  change: ChangeAccount
  database: Database
  changes: Pick<Changes, 'note'>
}

/** An operator's work on accounts. Every change is audited. */
export interface Accounts {
  /**
   * Lets in its owner, but not a person who signs in already: `OperatorPeople.firstLink` invites them.
   * `first` runs in the same transaction before anything is written. If it throws, the account is not created.
   */
  createAccount(
    request: NewAccountRequest,
    first?: (tx: Tx, secrets: AccountSecrets) => Promise<void>,
  ): Promise<AccountSecrets>
  /** Changes nothing, and is not audited, when the account has that status already. */
  setStatus(account: string, status: AccountRow['status']): Promise<AccountRow & { changed: boolean }>
  /**
   * The old secret ends at once, and so do those before it, unless it is to be kept for a while. With the id of the key to
   * replace, a second call makes no second secret.
   */
  rotateSecret(account: string, keepMs?: number, current?: string): Promise<RotatedSecret>
  /** As `rotateSecret`, for the token of the account's wallet. */
  rotateWalletToken(account: string, keepMs?: number, current?: string): Promise<RotatedToken>
  /** The previous secret still signs alongside the new one until `previousUntil`. */
  rotateCallbackSecret(
    account: string,
    current?: string,
  ): Promise<{ callbackSecret: string; previousUntil: EpochMs }>
  /** The keys that still work: by kind, the current one first. */
  keys(account: string): Promise<OwnKey[]>
  /** Audits that an operator looks at a page of the account's console, by the path alone. */
  view(account: string, path: string): Promise<void>
  /** Ends an old key now, by its id. */
  endKey(account: string, id: string): Promise<OwnKey>
  /** Adds money to the wallet; with a reference at most once. Audited only when the wallet changed. */
  credit(account: string, amount: Micros, reference?: string): Promise<Booked & { currency: string }>
  /** Takes money off the wallet, but nothing that is held; with a reference at most once. */
  debit(account: string, amount: Micros, reference?: string): Promise<Booked & { currency: string }>
  /** Warns when less than an amount can be spent of the wallet; undefined for never. */
  warn(
    account: string,
    below: Micros | undefined,
  ): Promise<{ walletId: string; currency: string; available: Micros }>
  /**
   * True when it changed something; audited only then. The customer sees the reason of a rejection. With `seen`,
   * what was decided otherwise meanwhile stays.
   */
  setSender(
    account: string,
    sender: string,
    status: SenderRow['status'],
    more?: { reason?: string | undefined; seen?: SenderRow['status'] },
  ): Promise<boolean>
}

/** Builds the operator's work on accounts. */
export function createAccounts(options: AccountsOptions): Accounts {
  const { change, database, clock, changes, newId } = options
  const audit = createOperatorAudit(options)
  const rotate = createRotate(options)

  async function rotated(
    tx: Tx,
    owner: Pick<KeyRow, 'kind' | 'ownerId'>,
    keepMs: number,
    expected: string | undefined,
  ): Promise<Rotated> {
    if (keepMs === 0) await endOld(tx, owner, clock.now())
    const current = await currentKey(tx, owner)
    const isExpected = expected === undefined || current?.id === expected
    const done = isExpected && current && (await rotate(tx, current, keepMs))
    if (!done)
      throw new OperatorError(`the ${owner.kind} key of ${owner.ownerId} was just replaced: try again`)
    return done
  }

  async function booked(idOrEmail: string, booking: Booking): Promise<Booked & { currency: string }> {
    const { kind, amount, reference } = booking
    const detail = { amount: toDecimal(amount), ...(reference !== undefined && { reference }) }
    const { id, ...done } = await change(
      `wallet.${kind}`,
      idOrEmail,
      detail,
      async (tx, account) => {
        const { id, currency } = await walletOf(tx, account)
        return { ...(await book(tx, id, booking, clock.now())), id, currency }
      },
      ({ result }) => result === 'made',
    )
    if (done.result === 'made') changes.note(id)
    return done
  }

  return {
    async createAccount({ name, email, passwordHash, currency, balance, senders }, first) {
      for (const sender of senders) checkSender(sender)
      const now = clock.now()
      const cell = await database.read(cellOf)
      const secrets: AccountSecrets = {
        accountId: newId(now),
        clientId: newClientId(cell),
        clientSecret: newSecret('client', cell),
        walletToken: newSecret('wallet', cell),
        callbackSecret: newSecret('callback', cell),
      }
      const walletId = newId(now)
      const { accountId } = secrets
      const keyIn = (tx: Tx, kind: KeyKind, ownerId: string, secret: string) =>
        newKey(tx, { accountId, kind, ownerId }, secret, options)
      const keysIn = async (tx: Tx) => [
        await keyIn(tx, 'client', secrets.clientId, secrets.clientSecret),
        await keyIn(tx, 'wallet', walletId, secrets.walletToken),
        await keyIn(tx, 'callback', accountId, secrets.callbackSecret),
      ]
      await database.write(async (tx) => {
        await first?.(tx, secrets)
        if (await findAccount(tx, email)) throw new OperatorError(`there is already an account for ${email}`)
        const isOwnerIn = await insertAccount(
          tx,
          {
            account: { id: accountId, name, email: email.toLowerCase() },
            owner: { id: newId(now), passwordHash, by: options.acting.actor },
            client: { id: secrets.clientId },
            wallet: { id: walletId, currency },
            keys: await keysIn(tx),
            senders,
          },
          now,
        )
        if (passwordHash !== undefined && !isOwnerIn)
          throw new OperatorError(`${email} signs in already, to another account: leave the password out`)
        if (balance > 0) await creditWallet(tx, walletId, balance, now)
        const detail = { name, currency, balance: toDecimal(balance), senders }
        await audit(tx, { action: 'account.create', accountId, detail })
      })
      return secrets
    },

    setStatus: (idOrEmail, status) =>
      change(
        status === 'active' ? 'account.resume' : 'account.suspend',
        idOrEmail,
        {},
        async (tx, account) => {
          const statusAt = clock.now()
          const changed = await setAccountStatus(tx, account.id, { status, statusAt })
          return { ...account, ...(changed && { status, statusAt }), changed }
        },
        ({ changed }) => changed,
      ),

    rotateSecret: (idOrEmail, keepMs = 0, current) =>
      change('account.rotate-secret', idOrEmail, { keepMs }, async (tx, account) => {
        const [client] = await clientsOf(tx, account.id)
        if (!client) throw new OperatorError(`account ${account.id} has no API client`)
        const owner = { kind: 'client', ownerId: client.id } as const
        const { secret: clientSecret, previousUntil } = await rotated(tx, owner, keepMs, current)
        return { clientId: client.id, clientSecret, previousUntil }
      }),

    rotateWalletToken: (idOrEmail, keepMs = 0, current) =>
      change('account.rotate-wallet-token', idOrEmail, { keepMs }, async (tx, account) => {
        const { id: ownerId } = await walletOf(tx, account)
        const owner = { kind: 'wallet', ownerId } as const
        const { secret: walletToken, previousUntil } = await rotated(tx, owner, keepMs, current)
        return { walletToken, previousUntil }
      }),

    rotateCallbackSecret: (idOrEmail, current) =>
      change('account.rotate-callback-secret', idOrEmail, {}, async (tx, { id: ownerId }) => {
        const { secret, previousUntil } = await rotated(
          tx,
          { kind: 'callback', ownerId },
          KEEP_MS.P1D,
          current,
        )
        return { callbackSecret: secret, previousUntil }
      }),

    keys: (idOrEmail) =>
      database.read(async (tx) => {
        const { id: accountId } = await requireAccount(tx, idOrEmail)
        return (await livingKeys(tx, { accountId }, clock.now())).map(withoutSecret)
      }),

    view: (idOrEmail, path) => change('account.view', idOrEmail, { path }, async () => {}),

    endKey: (idOrEmail, id) =>
      change('account.end-key', idOrEmail, { key: id }, async (tx, account) => {
        const now = clock.now()
        const key = await findKey(tx, account.id, id)
        if (!key || !works(key, now)) throw noSuchKey(account, id)
        if (key.endsAt === 0)
          throw new OperatorError(
            `${id} is the current ${key.kind} key, and only old ones can be ended: wigwag account ${ROTATE[key.kind]} replaces it`,
          )
        if ((await endOld(tx, key, now)) === 0) throw noSuchKey(account, id)
        return withoutSecret(key)
      }),

    credit: (account, amount, reference) => booked(account, { kind: 'credit', amount, reference }),
    debit: (account, amount, reference) => booked(account, { kind: 'debit', amount, reference }),

    warn(idOrEmail, below) {
      const detail = { below: below === undefined ? null : toDecimal(below) }
      return change('wallet.warn', idOrEmail, detail, async (tx, account) => {
        const wallet = await walletOf(tx, account)
        await setWarning(tx, wallet.id, below)
        return { walletId: wallet.id, currency: wallet.currency, available: available(wallet) }
      })
    },

    setSender: (idOrEmail, sender, status, { reason, seen } = {}) => {
      checkSender(sender)
      const detail = { sender, ...(reason !== undefined && { reason }) }
      return change(
        `sender.${status}`,
        idOrEmail,
        detail,
        (tx, { id: accountId }) => {
          const decided = { accountId, sender, status, reason }
          return seen ? decideSender(tx, decided, seen) : setSenderStatus(tx, decided, clock.now())
        },
        (changed) => changed,
      )
    },
  }
}

/** The commands that replace a current key. */
const ROTATE = { client: 'rotate-secret', wallet: 'rotate-wallet-token', callback: 'rotate-callback-secret' }

function noSuchKey({ id: accountId }: AccountRow, id: string): OperatorError {
  return new OperatorError(
    `account ${accountId} has no key ${id} that still works; wigwag keys list ${accountId} shows them all`,
  )
}

async function walletOf(tx: Tx, { id }: AccountRow): Promise<WalletRow> {
  const [wallet] = await walletsOf(tx, id)
  if (wallet) return wallet
  throw new OperatorError(`account ${id} has no wallet`)
}
