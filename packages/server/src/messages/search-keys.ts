import { type SQL, sql } from 'drizzle-orm'
import type { FinalStatus } from '../kernel/message.ts'
import { type Phone, phoneOf } from '../kernel/phone/phone.ts'
import type { Database, Tx } from '../store/database.ts'
import { bySize, inChunks, placeholders } from '../store/rows.ts'

/** The search key of a final message by wallet, sender ID and status. */
export function senderKey(walletId: string, sender: string, status: FinalStatus): number {
  return digest(walletId + sender + status)
}

/**
 * A 53-bit hash of a text (two rounds of 32-bit multiply and mix). Hashes may collide, so a search compares the
 * original values as well.
 */
function digest(text: string): number {
  let high = 0xdeadbeef
  let low = 0x41c6ce57
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    high = Math.imul(high ^ code, 2_654_435_761)
    low = Math.imul(low ^ code, 1_597_334_677)
  }
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909)
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909)
  return 4_294_967_296 * (2_097_151 & low) + (high >>> 0)
}

/**
 * Messages per run. The keys of one run fill about a hundred pages, which stay in a busy gateway's cache. A search
 * looks into every run: 611 of them for ten million messages.
 */
export const RUN = 16_384
const HASHES = 2 ** 32

/**
 * The search key of a final message by recipient: its run and a hash of wallet and phone. Messages of one run become
 * final one after another and have adjacent keys. With the hash alone, each would write to a different page, which was
 * the largest single cost of making a message final. Runs count from 1, and later ones have lower keys.
 */
export function recipientKey(run: number, walletId: string, recipient: string): number {
  return hashOf(walletId, phoneOf(recipient)) - run * HASHES
}

function hashOf(walletId: string, phone: Phone): number {
  return digest(walletId + phone) % HASHES
}

/**
 * The run for messages that become final now. Each process has separate runs; if two share one for a while, it only
 * gets longer.
 */
export class RecipientRuns {
  readonly #database: Database
  #run: number | undefined
  #size = 0

  constructor(database: Database) {
    this.#database = database
  }

  async next(messages: number): Promise<number> {
    this.#run ??= (await newestRun(this.#database)) + 1
    if (this.#size >= RUN) {
      this.#run++
      this.#size = 0
    }
    this.#size += messages
    return this.#run
  }
}

async function newestRun(database: Database): Promise<number> {
  const [row] = await database.read(({ run }) => run<{ key: number | null }>(LOWEST_KEY, []))
  return Math.max(0, -Math.floor((row?.key ?? 0) / HASHES))
}

const LOWEST_KEY = 'SELECT min(recipient_key) AS key FROM messages WHERE recipient_key IS NOT NULL'
/** A key of the oldest run that still has messages. Old messages are deleted, and a search need not look for them. */
const HIGHEST_KEY = 'SELECT max(recipient_key) AS key FROM messages WHERE recipient_key IS NOT NULL'

/** A condition: the final message has one of a phone's keys. Other phones may share a key. */
export function hasKeyOf({ t: { messages } }: Tx, walletId: string, phone: Phone): SQL {
  return sql`${messages.recipientKey} IN (${keysOf(walletId, phone)})`
}

/** The keys of a phone, from the oldest run to the newest. Exported so that a test can count them. */
export function keysOf(walletId: string, phone: Phone): SQL {
  const hash = hashOf(walletId, phone)
  const [size, lowest, highest] = [String(HASHES), LOWEST_KEY, HIGHEST_KEY].map((text) => sql.raw(text))
  return sql`
    WITH RECURSIVE keys (key) AS (
      SELECT CAST(${hash} AS BIGINT) - (${size} - 1 - (${highest})) / ${size} * ${size}
      UNION ALL SELECT key - ${size} FROM keys WHERE key >= (${lowest}))
    SELECT key FROM keys`
}

/** The wallets that have a final message to a phone, or to one that shares its key. Reads only the index. */
export async function walletsTo({ run }: Tx, walletIds: readonly string[], phone: Phone): Promise<string[]> {
  const [range] = await run<{ lowest: number | null; highest: number | null }>(
    `SELECT (${LOWEST_KEY}) AS lowest, (${HIGHEST_KEY}) AS highest`,
    [],
  )
  if (range?.lowest == null || range.highest == null) return []
  const runs = [runOf(range.highest), runOf(range.lowest)]
  const byHash = Map.groupBy(walletIds, (id) => hashOf(id, phone))
  const found: string[] = []
  await inChunks([...byHash.keys()], async (chunk) => {
    const rows = await run<{ hash: number }>(hashesWithKeys(chunk.length), [...runs, ...chunk])
    for (const { hash } of rows) found.push(...(byHash.get(hash) ?? []))
  })
  return found
}

function runOf(key: number): number {
  return -Math.floor(key / HASHES)
}

/** Each key is asked for by itself: PostgreSQL would otherwise read all messages to join them. */
const hashesWithKeys = bySize(
  (size) => `WITH RECURSIVE runs (run) AS (
      SELECT CAST($1 AS BIGINT) UNION ALL SELECT run + 1 FROM runs WHERE run < $2),
    hashes (hash) AS (VALUES ${placeholders(size, 1, ['BIGINT'], 2)})
  SELECT hash FROM hashes WHERE (SELECT 1 FROM runs WHERE
    (SELECT 1 FROM messages WHERE recipient_key IS NOT NULL AND recipient_key = hash - run * ${HASHES} LIMIT 1) = 1
    LIMIT 1) = 1`,
)
