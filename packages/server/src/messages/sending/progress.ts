import { type Micros, micros } from '@wigwag/contract'
import { type EpochMs, epochMs, type Ticket } from '../../kernel/ids.ts'
import { isFinal, type Status } from '../../kernel/message.ts'
import type { WalletPrincipal } from '../../kernel/principal.ts'
import type { Database, Tx } from '../../store/database.ts'
import { inChunks, placeholders } from '../../store/rows.ts'
import { scopeOf } from './decide.ts'
import { findReplies } from './idempotency.ts'

/** How far the messages of a bulk are. */
export interface Progress {
  accepted: number
  final: number
  byStatus: ReadonlyMap<Status, number>
  /** The amount held for messages that are not final. */
  held: Micros
  acceptedAt: EpochMs
  /** When the latest of them became final; undefined before the first. */
  latestAt: EpochMs | undefined
  /** The first message, from which the bulk can be recognised. */
  first: { sender: string; content: string }
}

interface StatusCount {
  status: Status
  count: number
  price: Micros
  acceptedAt: EpochMs
  latestAt: EpochMs
}

/**
 * A bulk is sent in parts of at most as many recipients as a request may have, each with a key made of its number. Also
 * where there is one: a list that was sent in two parts and is shorter now must not find a key that was never used.
 */
export function keyOfPart(key: string, part: number): string {
  return `${key}.${part + 1}`
}

/** More than the largest list that a form can carry has. */
const MOST_PARTS = 32

/**
 * Counts the messages of the bulk that was sent with a key, all parts of it, by the tickets in the stored answers.
 * Undefined when there is none: the key is unknown, another person's, or its answer is deleted by now.
 */
export function progressOf(
  database: Database,
  principal: WalletPrincipal,
  key: string,
): Promise<Progress | undefined> {
  const keys = Array.from({ length: MOST_PARTS }, (_, part) => keyOfPart(key, part))
  return database.read(async (tx) => {
    const tickets = await ticketsOf(tx, principal, keys)
    const [first] = tickets
    return first === undefined ? undefined : count(tx, principal.wallet.id, tickets, first)
  })
}

async function ticketsOf(
  tx: Tx,
  principal: WalletPrincipal,
  keys: readonly string[],
): Promise<readonly Ticket[]> {
  const scopes = keys.flatMap(
    (key) => scopeOf({ principal, operation: 'sendBulkSms', idempotency: { key, fingerprint: '' } }) ?? [],
  )
  const stored = await findReplies(tx, scopes)
  return scopes.flatMap((scope) => ticketsIn(stored.get(scope)?.response))
}

/** The tickets in the answer to a bulk, in the order of its recipients. */
export function ticketsIn(response = '[]'): Ticket[] {
  const results: { Ticket: Ticket }[] = JSON.parse(response)
  return results.map(({ Ticket }) => Ticket)
}

async function count(
  { run }: Tx,
  walletId: string,
  tickets: readonly Ticket[],
  first: Ticket,
): Promise<Progress | undefined> {
  const [model] = await run<Progress['first']>(
    'SELECT sender, content FROM messages WHERE wallet_id = $1 AND id = $2',
    [walletId, first],
  )
  if (!model) return undefined
  const byStatus = new Map<Status, number>()
  let [held, final, acceptedAt, latestAt] = [0, 0, Number.POSITIVE_INFINITY, 0]
  await inChunks(tickets, async (chunk) => {
    const rows = await run<StatusCount>(
      `SELECT status, count(*) AS count, CAST(sum(price) AS BIGINT) AS price, min(created_at) AS "acceptedAt",
         max(effected_at) AS "latestAt"
       FROM messages WHERE wallet_id = $1 AND id IN ${placeholders(1, chunk.length, undefined, 1)} GROUP BY status`,
      [walletId, ...chunk],
    )
    for (const row of rows) {
      byStatus.set(row.status, (byStatus.get(row.status) ?? 0) + row.count)
      acceptedAt = Math.min(acceptedAt, row.acceptedAt)
      if (!isFinal(row.status)) held += row.price
      else {
        final += row.count
        latestAt = Math.max(latestAt, row.latestAt)
      }
    }
  })
  return {
    accepted: tickets.length,
    final,
    byStatus,
    held: micros(held),
    acceptedAt: epochMs(acceptedAt),
    latestAt: final > 0 ? epochMs(latestAt) : undefined,
    first: model,
  }
}
