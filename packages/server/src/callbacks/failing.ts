import type { EpochMs } from '../kernel/ids.ts'
import type { Tx } from '../store/database.ts'
import { inChunks, placeholders } from '../store/rows.ts'

/** A customer whose receivers do not take callbacks, although none was given up yet. */
export interface FailingReceiver {
  accountId: string
  name: string
  /** Callbacks that failed at least three attempts and wait for a later one, counted up to a limit. */
  callbacks: number
  /** The hosts that they go to, and did not answer well since. */
  hosts: readonly string[]
}

/** So many callbacks of a customer are looked at. */
const MOST_LOOKED_AT = 100
/** So many of the newest delivered ones say whether a receiver answers again. */
const LATEST_DELIVERED = 20
const TRIED = `kind = 'callback' AND lane = '' AND attempts >= 3`

/**
 * The customers whose receivers fail, ordered by their ids, at most so many. A receiver that took another callback since
 * fails no more: the rest are only waiting for their time.
 */
export async function failingReceivers(tx: Tx, most: number): Promise<FailingReceiver[]> {
  const failing: FailingReceiver[] = []
  for (let after = ''; failing.length < most; ) {
    const [next] = await tx.run<{ owner: string }>(
      `SELECT owner FROM outbox WHERE ${TRIED} AND owner > $1 ORDER BY owner LIMIT 1`,
      [after],
    )
    if (!next) break
    after = next.owner
    const one = await failingOf(tx, after)
    if (one) failing.push(one)
  }
  return failing
}

/** The receivers that fail of some customers. */
export async function failingAmong(tx: Tx, accountIds: readonly string[]): Promise<FailingReceiver[]> {
  const failing: FailingReceiver[] = []
  await inChunks(accountIds, async (chunk) => {
    const tried = await tx.run<{ id: string }>(
      `SELECT id FROM accounts WHERE id IN ${placeholders(1, chunk.length)}
         AND EXISTS (SELECT 1 FROM outbox WHERE ${TRIED} AND owner = accounts.id)`,
      chunk,
    )
    for (const { id } of tried) {
      const one = await failingOf(tx, id)
      if (one) failing.push(one)
    }
  })
  return failing
}

interface Tried {
  walletId: string
  url: string
  name: string
  failedAt: EpochMs
}

async function failingOf(tx: Tx, accountId: string): Promise<FailingReceiver | undefined> {
  const tried = await tx.run<Tried>(
    `SELECT c.wallet_id AS "walletId", c.url, a.name,
       (SELECT coalesce(max(t.started_at), 0) FROM callback_attempts t WHERE t.callback_id = c.id) AS "failedAt"
     FROM (SELECT id FROM outbox WHERE ${TRIED} AND owner = $1 ORDER BY id DESC LIMIT $2) AS o
     JOIN callbacks c ON c.id = o.id JOIN accounts a ON a.id = c.account_id`,
    [accountId, MOST_LOOKED_AT],
  )
  const taken = new Map<string, number>()
  for (const walletId of new Set(tried.map(({ walletId }) => walletId)))
    for (const { host, at } of await lastTaken(tx, walletId))
      taken.set(host, Math.max(at, taken.get(host) ?? 0))
  const failing = tried.filter(({ url, failedAt }) => failedAt > (taken.get(hostOf(url)) ?? -1))
  const [first] = failing
  if (!first) return undefined
  const hosts = [...new Set(failing.map(({ url }) => hostOf(url)))].sort()
  return { accountId, name: first.name, callbacks: failing.length, hosts }
}

async function lastTaken({ run }: Tx, walletId: string): Promise<{ host: string; at: EpochMs }[]> {
  const rows = await run<{ url: string; at: EpochMs }>(
    `SELECT c.url, (SELECT coalesce(max(t.started_at), 0) FROM callback_attempts t WHERE t.callback_id = c.id) AS at
     FROM (SELECT id, url FROM callbacks WHERE wallet_id = $1 AND state = 'delivered' ORDER BY id DESC LIMIT $2) AS c`,
    [walletId, LATEST_DELIVERED],
  )
  return rows.map(({ url, at }) => ({ host: hostOf(url), at }))
}

/** The host of a callback's URL, or the whole text if it is not a URL. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url
}

/** From how many callbacks on they are only counted as more. */
export const MOST_FAILING = MOST_LOOKED_AT
