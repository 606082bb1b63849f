import type { Parts } from '../flow/parts.ts'
import type { EpochMs } from '../kernel/ids.ts'
import type { Clock } from '../kernel/process/clock.ts'
import { DAY_MS, HOUR_MS } from '../kernel/time/spans.ts'
import { countedAddress, UNKNOWN_ADDRESS } from '../net/callers/client-address.ts'
import type { Tx } from '../store/database.ts'
import { Gathering } from './gathering.ts'

/** An address that a key was not used from for so long is new again. */
const ADDRESS_KNOWN_MS = 30 * DAY_MS
/** A key that is used from more addresses has no new ones: it moves about. */
const MOST_OF_A_KEY = 50
/** An address is noted again after so long. */
const EVERY_MS = HOUR_MS
const MOST_REMEMBERED = 10_000

interface AddressUse {
  keyId: string
  address: string
  at: EpochMs
}

/** Stores from which addresses the keys of API clients are used, to the hour, and which of them are new. */
export class KeyAddresses {
  readonly #clock: Clock
  readonly #gathering: Gathering<AddressUse>
  /** Noted in the last hour, by the steady clock: a key's next request from there writes nothing. */
  readonly #lately = new Map<string, number>()

  constructor(parts: Pick<Parts, 'database' | 'clock'>, onFault: (error: unknown) => void) {
    this.#clock = parts.clock
    this.#gathering = new Gathering(parts, onFault, storeUses)
  }

  /** Costs the caller nothing: it is written later. An IPv6 address stands for its /64 network. */
  note(keyId: string, from: string): void {
    const address = countedAddress(from)
    if (address === UNKNOWN_ADDRESS) return
    const id = `${keyId} ${address}`
    const elapsed = this.#clock.elapsed()
    const noted = this.#lately.get(id)
    if (noted !== undefined && elapsed - noted < EVERY_MS) return
    if (this.#lately.size >= MOST_REMEMBERED) this.#lately.clear()
    this.#lately.set(id, elapsed)
    this.#gathering.add(id, { keyId, address, at: this.#clock.now() })
  }

  /** Whether nothing is being written. */
  idle(): boolean {
    return this.#gathering.idle()
  }

  /** Drops what is not written yet. Resolves when the write under way is done. */
  stop(): Promise<void> {
    return this.#gathering.stop()
  }
}

async function storeUses(tx: Tx, uses: readonly AddressUse[]): Promise<void> {
  for (const [keyId, ofKey] of Map.groupBy(uses, (use) => use.keyId)) await storeOfKey(tx, keyId, ofKey)
}

interface Known {
  address: string
  usedAt: EpochMs
}

async function storeOfKey({ run }: Tx, keyId: string, uses: readonly AddressUse[]): Promise<void> {
  const rows = await run<Known>(
    'SELECT address, used_at AS "usedAt" FROM key_addresses WHERE key_id = $1 ORDER BY used_at DESC, address',
    [keyId],
  )
  for (const { address, at } of uses)
    await run(
      // A key that is gone meanwhile leaves no row, nor does one of an account that moves.
      `INSERT INTO key_addresses (key_id, address, account_id, used_at, untold)
       SELECT k.id, CAST($1 AS TEXT), k.account_id, CAST($2 AS BIGINT), CAST($3 AS BIGINT)
       FROM keys k JOIN accounts a ON a.id = k.account_id AND a.status = 'active' WHERE k.id = $4
       ON CONFLICT (key_id, address) DO UPDATE SET used_at = excluded.used_at,
         untold = CASE WHEN key_addresses.used_at < excluded.used_at - ${ADDRESS_KNOWN_MS}
           THEN excluded.untold ELSE key_addresses.untold END`,
      [address, at, isNew(rows, address, at) ? 1 : 0, keyId],
    )
  const before = Math.max(...uses.map(({ at }) => at)) - ADDRESS_KNOWN_MS
  if (rows.length + uses.length <= MOST_OF_A_KEY && !rows.some(({ usedAt }) => usedAt < before)) return
  await run(
    `DELETE FROM key_addresses WHERE key_id = $1 AND (used_at < $2 OR address NOT IN (
       SELECT address FROM key_addresses WHERE key_id = $3 ORDER BY untold DESC, used_at DESC, address LIMIT ${MOST_OF_A_KEY}))`,
    [keyId, before, keyId],
  )
}

/**
 * Whether a key was not used from an address lately. The first of a key is not new, nor is the one that it was used from
 * last, however long ago.
 */
function isNew(rows: readonly Known[], address: string, at: EpochMs): boolean {
  const [last] = rows
  if (last === undefined || last.address === address || rows.length >= MOST_OF_A_KEY) return false
  return !rows.some((row) => row.address === address && at - row.usedAt < ADDRESS_KNOWN_MS)
}

/** An address that is new for a key. */
export interface NewAddress {
  keyId: string
  address: string
  accountId: string
  usedAt: EpochMs
  /** The last characters of the key. */
  ending: string
}

/** Addresses whose accounts are still to be told, at most so many. */
export function untoldAddresses({ run }: Tx, most: number): Promise<NewAddress[]> {
  return run(
    `SELECT n.key_id AS "keyId", n.address, n.account_id AS "accountId", n.used_at AS "usedAt", coalesce(k.ending, '') AS ending
     FROM (SELECT key_id, address, account_id, used_at FROM key_addresses WHERE untold = 1
           ORDER BY key_id, address LIMIT $1) AS n
     LEFT JOIN keys k ON k.id = n.key_id ORDER BY n.key_id, n.address`,
    [most],
  )
}

/** Notes that addresses need not be told of any more. */
export async function markTold({ run }: Tx, addresses: readonly NewAddress[]): Promise<void> {
  for (const { keyId, address } of addresses)
    await run('UPDATE key_addresses SET untold = 0 WHERE key_id = $1 AND address = $2', [keyId, address])
}
