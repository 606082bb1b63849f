import { inspect } from 'node:util'
import { expect } from 'vitest'
import type { Database } from '../../src/store/database.ts'
import { eventually } from './eventually.ts'

/** A wallet and all that should agree with it, as one statement saw them: a moment between two transactions. */
interface Standing {
  id: string
  posted: number
  held: number
  entries: number
  credits: number
  posts: number
  rows: number
  lastSeq: number
  lastAfter: number
  owed: number
  delivered: number
}

const STANDING = `
  SELECT w.id, w.posted, w.held, w.entries,
    (SELECT CAST(coalesce(sum(amount), 0) AS BIGINT) FROM ledger WHERE wallet_id = w.id AND kind = 'credit') AS credits,
    (SELECT CAST(coalesce(sum(amount), 0) AS BIGINT) FROM ledger WHERE wallet_id = w.id AND kind = 'post') AS posts,
    (SELECT count(*) FROM ledger WHERE wallet_id = w.id) AS rows,
    (SELECT coalesce(max(seq), 0) FROM ledger WHERE wallet_id = w.id) AS "lastSeq",
    (SELECT coalesce(max(balance_after), 0) FROM ledger WHERE wallet_id = w.id AND seq = w.entries) AS "lastAfter",
    (SELECT CAST(coalesce(sum(price), 0) AS BIGINT) FROM messages
     WHERE wallet_id = w.id AND status IN ('pending', 'scheduled')) AS owed,
    (SELECT CAST(coalesce(sum(cost), 0) AS BIGINT) FROM messages WHERE wallet_id = w.id) AS delivered
  FROM wallets w`

/** At any moment: nothing overspent, every hold owed to a message, every post to a delivered one. */
export async function checkStandings(database: Database): Promise<Standing[]> {
  const standings = await database.read(({ run }) => run<Standing>(STANDING, []))
  for (const {
    id,
    posted,
    held,
    entries,
    credits,
    posts,
    rows,
    lastSeq,
    lastAfter,
    owed,
    delivered,
  } of standings) {
    const seen = { id, posted, held, entries: rows, last: lastSeq, lastAfter, posts }
    expect(seen).toEqual({
      id,
      posted: credits - posts,
      held: owed,
      entries,
      last: entries,
      lastAfter: posted,
      posts: delivered,
    })
    expect(posted - held).toBeGreaterThanOrEqual(0)
  }
  return standings
}

interface Entry {
  wallet: string
  seq: number
  kind: 'credit' | 'post'
  amount: number
  before: number
  after: number
  message: string | null
}

/** When everything is final: nothing held, a chain without gaps, and one post for each delivered message. */
export async function checkBooks(database: Database): Promise<void> {
  for (const { held } of await checkStandings(database)) expect(held).toBe(0)
  const [unfinished] = await database.read(({ run }) =>
    run<{ n: number }>("SELECT count(*) AS n FROM messages WHERE status IN ('pending', 'scheduled')", []),
  )
  expect(unfinished?.n).toBe(0)
  const entries = await database.read(({ run }) =>
    run<Entry>(
      `SELECT wallet_id AS wallet, seq, kind, amount, balance_before AS "before", balance_after AS "after",
         message_id AS message FROM ledger ORDER BY wallet_id, seq`,
      [],
    ),
  )
  const ends = new Map<string, { seq: number; after: number }>()
  for (const { wallet, seq, kind, amount, before, after } of entries) {
    const last = ends.get(wallet) ?? { seq: 0, after: 0 }
    const expected = kind === 'credit' ? last.after + amount : last.after - amount
    expect({ seq, before, after }).toEqual({ seq: last.seq + 1, before: last.after, after: expected })
    ends.set(wallet, { seq, after })
  }
  await checkCharges(database, entries)
}

async function checkCharges(database: Database, entries: readonly Entry[]): Promise<void> {
  const delivered = await database.read(({ run }) =>
    run<{ id: string; status: string; cost: number; price: number; before: number; after: number }>(
      `SELECT id, status, cost, price, balance_before AS "before", balance_after AS "after" FROM messages`,
      [],
    ),
  )
  const posts = new Map(entries.flatMap((entry) => (entry.message === null ? [] : [[entry.message, entry]])))
  expect(posts.size).toBe(entries.filter(({ kind }) => kind === 'post').length)
  for (const { id, status, cost, price, before, after } of delivered) {
    const post = posts.get(id)
    const paid = status === 'success'
    expect(post?.amount ?? 0).toBe(paid ? price : 0)
    expect(cost).toBe(paid ? price : 0)
    expect(before - after).toBe(cost)
    if (post) expect({ before, after }).toEqual({ before: post.before, after: post.after })
  }
}

/** How many messages have not become final. */
export async function unfinished(database: Database): Promise<number> {
  const [row] = await database.read(({ run }) =>
    run<{ n: number }>("SELECT count(*) AS n FROM messages WHERE status IN ('pending', 'scheduled')", []),
  )
  return row?.n ?? 0
}

/** Waits until every message is final. Gives up with what is left of some that are not. */
export async function settled(database: Database, patienceMs?: number): Promise<void> {
  async function look(): Promise<true> {
    const left = await database.read(({ run }) =>
      run(
        `SELECT m.id, m.status, o.kind, o.run_at, o.lease_until, o.attempts, o.faults
         FROM messages m LEFT JOIN outbox o ON o.id = m.id
         WHERE m.status IN ('pending', 'scheduled') ORDER BY m.id LIMIT 3`,
        [],
      ),
    )
    expect(left.length, inspect(left)).toBe(0)
    return true
  }
  await eventually('all is final', look, patienceMs)
}

/** Lets the leases end that nobody will settle any more, as waiting for half a minute would. */
export async function endLeases(database: Database): Promise<void> {
  await database.write(({ run }) =>
    run('UPDATE outbox SET lease_until = 1, run_at = 1 WHERE lease_until > 0', []),
  )
}

/**
 * Lets messages expire whose receipts will never come, as waiting for two days would. A gateway may write
 * back a message that it holds at that moment with its old time. Returns how many there are.
 */
export async function endValidity(database: Database): Promise<number> {
  const ended = await database.write(({ run }) =>
    run("UPDATE outbox SET expires_at = 1, run_at = 1 WHERE kind = 'await' RETURNING 1 AS one", []),
  )
  return ended.length
}
