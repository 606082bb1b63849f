import { type Micros, micros, ZERO } from '@wigwag/contract'
import { asc, eq, inArray } from 'drizzle-orm'
import type { EpochMs, Ticket } from '../kernel/ids.ts'
import { available, credit, hold, post, type Wallet } from '../kernel/money/ledger.ts'
import { type Database, RowLocked, type Tx } from '../store/database.ts'
import { inChunks, insertRows, placeholders } from '../store/rows.ts'
import type { Tables } from '../store/schema/schema.ts'

/** Which of the requested amounts a wallet covers. */
export interface HoldResult {
  posted: Micros
  /** Whether each amount is held, in the order requested. */
  covered: boolean[]
  /** The amount available before. Set only when not everything was covered. */
  available: Micros | undefined
}

/**
 * Holds amounts on a wallet in order, each in full or not at all, like repeated {@link hold}. Takes one statement when
 * the wallet covers them all, which is nearly always the case.
 */
export async function holdAmounts(
  { run, locks }: Tx,
  walletId: string,
  amounts: readonly Micros[],
): Promise<HoldResult> {
  // Together they may be more than any wallet holds, and more than a number says exactly.
  const total = Math.min(sum(amounts), Number.MAX_SAFE_INTEGER + 1)
  const [all] = await run<{ posted: Micros }>(
    'UPDATE wallets SET held = held + $1 WHERE id = $2 AND posted - held >= $3 RETURNING posted',
    [total, walletId, total],
  )
  if (all) return { posted: all.posted, covered: amounts.map(() => true), available: undefined }

  const [before] = await run<Wallet>(`SELECT posted, held FROM wallets WHERE id = $1 ${locks.forUpdate}`, [
    walletId,
  ])
  if (!before) throw new Error(`there is no wallet ${walletId}`)
  let wallet = before
  const covered = amounts.map((amount) => {
    const after = hold(wallet, amount)
    wallet = after ?? wallet
    return after !== undefined
  })
  await run('UPDATE wallets SET held = $1 WHERE id = $2', [wallet.held, walletId])
  return { posted: wallet.posted, covered, available: available(before) }
}

/** Longer than our transactions take, so that wallets in normal use do not count as locked. */
const IN_USE_MS = 25

/** The wallets that another session keeps locked. Always empty on SQLite. */
export async function lockedWallets(
  database: Database,
  walletIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const free = await database.write((tx) => freeWallets(tx, walletIds))
  const suspects = walletIds.filter((id) => !free.has(id))
  const locked = await Promise.all(suspects.map((id) => staysLocked(database, id)))
  return new Set(suspects.filter((_, index) => locked[index]))
}

/** The wallets that are not locked right now. */
async function freeWallets({ run, locks }: Tx, walletIds: readonly string[]): Promise<ReadonlySet<string>> {
  const free = new Set<string>()
  await inChunks(walletIds, async (chunk) => {
    const rows = await run<{ id: string }>(
      `SELECT id FROM wallets WHERE id IN ${placeholders(1, chunk.length)} ${locks.skipLocked}`,
      chunk,
    )
    for (const { id } of rows) free.add(id)
  })
  return free
}

async function staysLocked(database: Database, walletId: string): Promise<boolean> {
  const lock = ({ run, locks }: Tx) =>
    run(`SELECT id FROM wallets WHERE id = $1 ${locks.forUpdate}`, [walletId])
  try {
    await database.write(lock, { lockWaitMs: IN_USE_MS })
    return false
  } catch (error) {
    if (error instanceof RowLocked) return true
    throw error
  }
}

/** Takes settled amounts off a wallet. Returns its state before, where the batch's entries continue the chain. */
export async function settleWallet(
  { run }: Tx,
  walletId: string,
  { posted, released, entries }: { posted: number; released: number; entries: number },
): Promise<{ before: Wallet; nextSeq: number }> {
  const [after] = await run<Wallet & { entries: number }>(
    `UPDATE wallets SET posted = posted - $1, held = held - $2, entries = entries + $3
     WHERE id = $4 RETURNING posted, held, entries`,
    [posted, released, entries, walletId],
  )
  if (!after) throw new Error(`there is no wallet ${walletId}`)
  return {
    before: { posted: micros(after.posted + posted), held: micros(after.held + released) },
    nextSeq: after.entries - entries + 1,
  }
}

export interface LedgerRow {
  walletId: string
  seq: number
  kind: 'credit' | 'post'
  amount: Micros
  balanceBefore: Micros
  balanceAfter: Micros
  messageId: Ticket | null
  createdAt: EpochMs
}

/** Adds money to a wallet: the operator's top-up, an entry in the same chain as the charges. */
export async function creditWallet(tx: Tx, walletId: string, amount: Micros, now: EpochMs): Promise<Wallet> {
  const row = await lockWallet(tx, walletId)
  const { wallet, before, after } = credit(row, amount)
  await appendEntry(tx, { walletId, kind: 'credit', amount, before, after, seq: row.entries + 1, now })
  return wallet
}

/**
 * Takes money off a wallet: a charge without a message, in the same chain as the others. Undefined, and nothing is
 * changed, if less than that can be spent: what is held stays.
 */
export async function debitWallet(
  tx: Tx,
  walletId: string,
  amount: Micros,
  now: EpochMs,
): Promise<Wallet | undefined> {
  const row = await lockWallet(tx, walletId)
  const held = hold(row, amount)
  if (!held) return undefined
  const { wallet, before, after } = post(held, amount)
  await appendEntry(tx, { walletId, kind: 'post', amount, before, after, seq: row.entries + 1, now })
  return wallet
}

/** Reads a wallet and keeps it locked until the transaction ends. */
export async function lockWallet(
  { run, locks }: Tx,
  walletId: string,
): Promise<Wallet & { entries: number }> {
  const [row] = await run<Wallet & { entries: number }>(
    `SELECT posted, held, entries FROM wallets WHERE id = $1 ${locks.forUpdate}`,
    [walletId],
  )
  if (!row) throw new Error(`there is no wallet ${walletId}`)
  return row
}

interface Appended extends Pick<LedgerRow, 'walletId' | 'seq' | 'kind' | 'amount'> {
  before: Micros
  after: Micros
  now: EpochMs
}

/** Adds an entry that belongs to no message to a locked wallet. */
async function appendEntry(tx: Tx, { before, after, now, ...entry }: Appended): Promise<void> {
  const { walletId, seq } = entry
  await tx.run('UPDATE wallets SET posted = $1, entries = $2 WHERE id = $3', [after, seq, walletId])
  const row: LedgerRow = {
    ...entry,
    balanceBefore: before,
    balanceAfter: after,
    messageId: null,
    createdAt: now,
  }
  await insertRows(tx, tx.t.ledger, [row])
}

function sum(amounts: readonly Micros[]): number {
  let total = 0
  for (const amount of amounts) total += amount
  return total
}

export type WalletRow = Tables['wallets']['$inferSelect']

/** Stores a new wallet. */
export async function insertWallet(
  tx: Tx,
  wallet: Pick<WalletRow, 'id' | 'currency' | 'accountId'>,
  now: EpochMs,
): Promise<void> {
  const row: WalletRow = { ...wallet, posted: ZERO, held: ZERO, entries: 0, createdAt: now }
  await insertRows(tx, tx.t.wallets, [row])
}

export async function findWallet({ db, t }: Tx, id: string): Promise<WalletRow | undefined> {
  const [row] = await db.select().from(t.wallets).where(eq(t.wallets.id, id))
  return row
}

/** A wallet whose id the caller got from the database. */
export async function knownWallet(tx: Tx, id: string): Promise<WalletRow> {
  const wallet = await findWallet(tx, id)
  if (!wallet) throw new Error(`there is no wallet ${id}`)
  return wallet
}

export function walletsOf({ db, t }: Tx, accountId: string): Promise<WalletRow[]> {
  return db
    .select()
    .from(t.wallets)
    .where(eq(t.wallets.accountId, accountId))
    .orderBy(asc(t.wallets.createdAt))
}

/** The wallets of all accounts, or of some, by account. */
export async function walletsByAccount(
  { db, t }: Tx,
  some?: readonly string[],
): Promise<Map<string, WalletRow[]>> {
  const rows = await db
    .select()
    .from(t.wallets)
    .where(some && inArray(t.wallets.accountId, [...some]))
    .orderBy(asc(t.wallets.createdAt))
  return Map.groupBy(rows, ({ accountId }) => accountId)
}
