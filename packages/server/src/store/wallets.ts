import type { EpochMs, Ticket } from '../domain/ids.ts'
import { available, credit, hold, type Wallet } from '../domain/ledger.ts'
import { type Micros, micros } from '../domain/money.ts'
import { type Connection, type Database, RowLocked } from './database.ts'
import { inChunks, placeholders } from './rows.ts'

/** What a wallet can cover: everything that was asked, or only what it holds. */
export interface HoldResult {
  posted: Micros
  /** Which amounts are held, in the order they were asked. */
  covered: boolean[]
  /** What could be spent before; set when not everything was covered. */
  available: Micros | undefined
}

/**
 * Holds amounts on a wallet, each one wholly or not at all, in order, as {@link hold} does with one after the other.
 * One statement when the wallet covers them all, which is nearly always.
 */
export async function holdAmounts(
  { run, locks }: Connection,
  walletId: string,
  amounts: readonly Micros[],
): Promise<HoldResult> {
  const total = sum(amounts)
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

/** Longer than a transaction of ours takes, so that wallets in use do not pass for locked ones. */
const IN_USE_MS = 25

/** Which of these wallets others keep locked. On SQLite there are none. */
export async function lockedWallets(
  database: Database,
  walletIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const free = await database.write((connection) => freeWallets(connection, walletIds))
  const suspects = walletIds.filter((id) => !free.has(id))
  const locked = await Promise.all(suspects.map((id) => staysLocked(database, id)))
  return new Set(suspects.filter((_, index) => locked[index]))
}

/** Those of the wallets that are not locked at this moment. */
async function freeWallets(
  { run, locks }: Connection,
  walletIds: readonly string[],
): Promise<ReadonlySet<string>> {
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
  const lock = ({ run, locks }: Connection) =>
    run(`SELECT id FROM wallets WHERE id = $1 ${locks.forUpdate}`, [walletId])
  try {
    await database.write(lock, { lockWaitMs: IN_USE_MS })
    return false
  } catch (error) {
    if (error instanceof RowLocked) return true
    throw error
  }
}

/** Takes settled amounts off a wallet and says how it stood before: the start of the batch's part of the chain. */
export async function settleWallet(
  { run }: Connection,
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

/** Adds money to a wallet: the operator's top-up, an entry of the same chain as the charges. */
export async function creditWallet(
  { db, t, run, locks }: Connection,
  walletId: string,
  amount: Micros,
  now: EpochMs,
): Promise<Wallet> {
  const [row] = await run<Wallet & { entries: number }>(
    `SELECT posted, held, entries FROM wallets WHERE id = $1 ${locks.forUpdate}`,
    [walletId],
  )
  if (!row) throw new Error(`there is no wallet ${walletId}`)
  const { wallet, before, after } = credit(row, amount)
  const seq = row.entries + 1
  await run('UPDATE wallets SET posted = $1, entries = $2 WHERE id = $3', [after, seq, walletId])
  await db.insert(t.ledger).values({
    walletId,
    seq,
    kind: 'credit',
    amount,
    balanceBefore: before,
    balanceAfter: after,
    createdAt: now,
  })
  return wallet
}

function sum(amounts: readonly Micros[]): Micros {
  let total = 0
  for (const amount of amounts) total += amount
  return micros(total)
}
