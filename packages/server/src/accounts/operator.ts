import { type Micros, toDecimal } from '@wigwag/contract'
import type { Changes } from '../flow/changes.ts'
import type { EpochMs } from '../kernel/ids.ts'
import { available } from '../kernel/money/ledger.ts'
import { checkSender } from '../kernel/sent-fields.ts'
import { type Booked, type Booking, book, creditWallet, setWarning } from '../money/index.ts'
import { createOperatorAudit } from '../store/audit/index.ts'
import type { Tx } from '../store/database.ts'
import { type AccountRow, clientsOf, findAccount, insertAccount, setAccountStatus } from './accounts.ts'
import { cellName } from './cell-name.ts'
import { type Changing, changeAccount, OperatorError, requireAccount, requireWallet } from './change.ts'
import { type AccountFacts, editAccount } from './edit.ts'
import { currentKey, endOld, findKey, type KeyKind, type KeyRow, livingKeys, works } from './keys.ts'
import { KEEP_MS, type OwnKey, withoutSecret } from './own-keys.ts'
import { newClientId, newKey, newSecret, type Rotated, type Rotating, rotate } from './secrets.ts'
import { decideSender, type SenderRow, setSenderStatus } from './senders.ts'

/** The secrets of a new account, shown once. Later only the account can read its callback secret again. */
export interface AccountSecrets {
  accountId: string
  clientId: string
  clientSecret: string
  walletToken: string
  callbackSecret: string
}

interface NewAccountRequest {
  name: string
  email: string
  passwordHash?: string
  currency: string
  balance: Micros
  senders: readonly string[]
}

interface RotatedSecret {
  clientId: string
  clientSecret: string
  previousUntil: EpochMs
}

/** Parts of an operator's work on accounts. */
export type AccountWork = Changing & Rotating & { changes: Pick<Changes, 'note'> }

/** An operator's work on accounts. Every change is audited. */
export class Accounts {
  readonly #parts: AccountWork

  constructor(parts: AccountWork) {
    this.#parts = parts
  }

  /**
   * Lets in its owner, but not a person who signs in already: `OperatorPeople.firstLink` invites them.
   * `first` runs in the same transaction before anything is written. If it throws, the account is not created.
   */
  async createAccount(
    { name, email, passwordHash, currency, balance, senders }: NewAccountRequest,
    first?: (tx: Tx, secrets: AccountSecrets) => Promise<void>,
  ): Promise<AccountSecrets> {
    const { database, clock, newId, acting } = this.#parts
    for (const sender of senders) checkSender(sender)
    const now = clock.now()
    const cell = await database.read(cellName)
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
      newKey(tx, { accountId, kind, ownerId }, secret, this.#parts)
    const keysIn = async (tx: Tx) => [
      await keyIn(tx, 'client', secrets.clientId, secrets.clientSecret),
      await keyIn(tx, 'wallet', walletId, secrets.walletToken),
      await keyIn(tx, 'callback', accountId, secrets.callbackSecret),
    ]
    const audit = createOperatorAudit(this.#parts)
    await database.write(async (tx) => {
      await first?.(tx, secrets)
      if (await findAccount(tx, email)) throw new OperatorError(`there is already an account for ${email}`)
      const isOwnerIn = await insertAccount(
        tx,
        {
          account: { id: accountId, name, email: email.toLowerCase() },
          owner: { id: newId(now), passwordHash, by: acting.actor },
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
  }

  /** Renames it or changes its address. Changes nothing, and is not audited, when it is so already. */
  edit(idOrEmail: string, facts: AccountFacts): Promise<AccountRow & { changed: boolean }> {
    return editAccount(this.#parts, idOrEmail, facts)
  }

  /** Changes nothing, and is not audited, when the account has that status already. */
  setStatus(idOrEmail: string, status: AccountRow['status']): Promise<AccountRow & { changed: boolean }> {
    return changeAccount(
      this.#parts,
      status === 'active' ? 'account.resume' : 'account.suspend',
      idOrEmail,
      {},
      async (tx, account) => {
        const statusAt = this.#parts.clock.now()
        const changed = await setAccountStatus(tx, account.id, { status, statusAt })
        return { ...account, ...(changed && { status, statusAt }), changed }
      },
      ({ changed }) => changed,
    )
  }

  /**
   * The old secret ends at once, and so do those before it, unless it is to be kept for a while. With the id of the key to
   * replace, a second call makes no second secret.
   */
  rotateSecret(idOrEmail: string, keepMs = 0, current?: string): Promise<RotatedSecret> {
    return changeAccount(this.#parts, 'account.rotate-secret', idOrEmail, { keepMs }, async (tx, account) => {
      const [client] = await clientsOf(tx, account.id)
      if (!client) throw new OperatorError(`account ${account.id} has no API client`)
      const owner = { kind: 'client', ownerId: client.id } as const
      const { secret: clientSecret, previousUntil } = await this.#rotate(tx, owner, keepMs, current)
      return { clientId: client.id, clientSecret, previousUntil }
    })
  }

  /** As `rotateSecret`, for the token of the account's wallet. */
  rotateWalletToken(
    idOrEmail: string,
    keepMs = 0,
    current?: string,
  ): Promise<{ walletToken: string; previousUntil: EpochMs }> {
    return changeAccount(
      this.#parts,
      'account.rotate-wallet-token',
      idOrEmail,
      { keepMs },
      async (tx, account) => {
        const { id: ownerId } = await requireWallet(tx, account)
        const owner = { kind: 'wallet', ownerId } as const
        const { secret: walletToken, previousUntil } = await this.#rotate(tx, owner, keepMs, current)
        return { walletToken, previousUntil }
      },
    )
  }

  /** The previous secret still signs alongside the new one until `previousUntil`. */
  rotateCallbackSecret(
    idOrEmail: string,
    current?: string,
  ): Promise<{ callbackSecret: string; previousUntil: EpochMs }> {
    return changeAccount(
      this.#parts,
      'account.rotate-callback-secret',
      idOrEmail,
      {},
      async (tx, { id: ownerId }) => {
        const owner = { kind: 'callback', ownerId } as const
        const { secret, previousUntil } = await this.#rotate(tx, owner, KEEP_MS.P1D, current)
        return { callbackSecret: secret, previousUntil }
      },
    )
  }

  /** The keys that still work: by kind, the current one first. */
  keys(idOrEmail: string): Promise<OwnKey[]> {
    const { database, clock } = this.#parts
    return database.read(async (tx) => {
      const { id: accountId } = await requireAccount(tx, idOrEmail)
      return (await livingKeys(tx, { accountId }, clock.now())).map(withoutSecret)
    })
  }

  /** Audits that an operator looks at a page of the account's console, by the path alone. */
  view(idOrEmail: string, path: string): Promise<void> {
    return changeAccount(this.#parts, 'account.view', idOrEmail, { path }, async () => {})
  }

  /** Ends an old key now, by its id. */
  endKey(idOrEmail: string, id: string): Promise<OwnKey> {
    return changeAccount(this.#parts, 'account.end-key', idOrEmail, { key: id }, async (tx, account) => {
      const now = this.#parts.clock.now()
      const key = await findKey(tx, account.id, id)
      if (!key || !works(key, now)) throw noSuchKey(account, id)
      if (key.endsAt === 0)
        throw new OperatorError(
          `${id} is the current ${key.kind} key, and only old ones can be ended: wigwag account ${ROTATE[key.kind]} replaces it`,
        )
      if ((await endOld(tx, key, now)) === 0) throw noSuchKey(account, id)
      return withoutSecret(key)
    })
  }

  /** Adds money to the wallet; with a reference at most once. Audited only when the wallet changed. */
  credit(idOrEmail: string, amount: Micros, reference?: string): Promise<Booked & { currency: string }> {
    return this.#book(idOrEmail, { kind: 'credit', amount, reference })
  }

  /** Takes money off the wallet, but nothing that is held; with a reference at most once. */
  debit(idOrEmail: string, amount: Micros, reference?: string): Promise<Booked & { currency: string }> {
    return this.#book(idOrEmail, { kind: 'debit', amount, reference })
  }

  /** Warns when less than an amount can be spent of the wallet; undefined for never. */
  warn(
    idOrEmail: string,
    below: Micros | undefined,
  ): Promise<{ walletId: string; currency: string; available: Micros }> {
    const detail = { below: below === undefined ? null : toDecimal(below) }
    return changeAccount(this.#parts, 'wallet.warn', idOrEmail, detail, async (tx, account) => {
      const wallet = await requireWallet(tx, account)
      await setWarning(tx, wallet.id, below)
      return { walletId: wallet.id, currency: wallet.currency, available: available(wallet) }
    })
  }

  /**
   * True when it changed something; audited only then. The customer sees the reason of a rejection. With `seen`,
   * what was decided otherwise meanwhile stays.
   */
  async setSender(
    idOrEmail: string,
    sender: string,
    status: SenderRow['status'],
    { reason, seen }: { reason?: string | undefined; seen?: SenderRow['status'] } = {},
  ): Promise<boolean> {
    checkSender(sender)
    const detail = { sender, ...(reason !== undefined && { reason }) }
    return changeAccount(
      this.#parts,
      `sender.${status}`,
      idOrEmail,
      detail,
      (tx, { id: accountId }) => {
        const decided = { accountId, sender, status, reason }
        return seen ? decideSender(tx, decided, seen) : setSenderStatus(tx, decided, this.#parts.clock.now())
      },
      (changed) => changed,
    )
  }

  async #rotate(
    tx: Tx,
    owner: Pick<KeyRow, 'kind' | 'ownerId'>,
    keepMs: number,
    expected: string | undefined,
  ): Promise<Rotated> {
    if (keepMs === 0) await endOld(tx, owner, this.#parts.clock.now())
    const current = await currentKey(tx, owner)
    const isExpected = expected === undefined || current?.id === expected
    const done = isExpected && current && (await rotate(tx, this.#parts, current, keepMs))
    if (!done)
      throw new OperatorError(`the ${owner.kind} key of ${owner.ownerId} was just replaced: try again`)
    return done
  }

  async #book(idOrEmail: string, booking: Booking): Promise<Booked & { currency: string }> {
    const { kind, amount, reference } = booking
    const detail = { amount: toDecimal(amount), ...(reference !== undefined && { reference }) }
    const { id, ...done } = await changeAccount(
      this.#parts,
      `wallet.${kind}`,
      idOrEmail,
      detail,
      async (tx, account) => {
        const { id, currency } = await requireWallet(tx, account)
        return { ...(await book(tx, id, booking, this.#parts.clock.now())), id, currency }
      },
      ({ result }) => result === 'made',
    )
    if (done.result === 'made') this.#parts.changes.note(id)
    return done
  }
}

/** The commands that replace a current key. */
const ROTATE = { client: 'rotate-secret', wallet: 'rotate-wallet-token', callback: 'rotate-callback-secret' }

function noSuchKey({ id: accountId }: AccountRow, id: string): OperatorError {
  return new OperatorError(
    `account ${accountId} has no key ${id} that still works; wigwag keys list ${accountId} shows them all`,
  )
}
