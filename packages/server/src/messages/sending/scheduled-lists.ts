import { type Micros, micros } from '@wigwag/contract'
import { type EpochMs, isTicket, type Ticket } from '../../kernel/ids.ts'
import type { WalletPrincipal } from '../../kernel/principal.ts'
import { decode, encode, type Page, type PageRequest, pageOf } from '../../net/server/paging.ts'
import { auditWrites } from '../../store/audit/index.ts'
import type { Database, Tx } from '../../store/database.ts'
import { SLICE } from '../../store/slices.ts'
import { findMessages, type MessageRow, shownTo } from '../index.ts'
import { type Cancelling, LOCK_WAIT_MS } from './scheduled.ts'

/** Scheduled messages that were accepted together: those of a list, or one. */
export interface Together {
  /** The first of those that wait, for its text. */
  first: MessageRow
  /** How many wait. */
  messages: number
  held: Micros
}

/** The marks that messages of one list share: they are accepted at one moment, by one caller, for one time. */
type Shared = Pick<MessageRow, 'sendAt' | 'createdAt' | 'sender' | 'sentBy'>

interface GroupRow extends Shared {
  first: Ticket
  last: Ticket
  messages: number
  held: number
}

/** More than a list can have, so that the first of a page is read in full, and a bound on what is read for one page. */
const MOST_READ = 20_000
const BEFORE_ALL = { at: 0, id: '' }

/** A page of the caller's scheduled messages, those of a list as one, the next due first. */
export async function listTogether(
  database: Database,
  principal: WalletPrincipal,
  { cursor, limit }: PageRequest,
): Promise<Page<Together>> {
  const { at, id } = decode(cursor) ?? BEFORE_ALL
  const { wallet } = principal
  return database.read(async (tx) => {
    const rows = await tx.run<GroupRow>(
      `SELECT send_at AS "sendAt", created_at AS "createdAt", sender, sent_by AS "sentBy", min(id) AS first,
         max(id) AS last, count(*) AS messages, CAST(sum(price) AS BIGINT) AS held
       FROM (SELECT id, send_at, created_at, sender, sent_by, price FROM messages
         WHERE wallet_id = $1 AND status = 'scheduled' AND (send_at, id) > ($2, $3)
         ORDER BY send_at, id LIMIT ${MOST_READ}) AS waiting
       GROUP BY send_at, created_at, sender, sent_by ORDER BY send_at, min(id) LIMIT ${limit + 1}`,
      [wallet.id, at, id],
    )
    const { items, next } = wholePage(rows, limit)
    const found = await findMessages(
      tx,
      wallet.id,
      items.map(({ first }) => first),
    )
    const byId = new Map(found.map((message) => [message.id, shownTo(principal, message)]))
    return {
      next,
      items: items.flatMap(({ first, messages, held }) => {
        const message = byId.get(first)
        return message ? { first: message, messages, held: micros(held) } : []
      }),
    }
  })
}

/** A page of what was read. Where the reading stopped, the last list may be cut: it comes with the next page. */
function wholePage(rows: GroupRow[], limit: number): Page<GroupRow> {
  const positionOf = ({ sendAt, last }: GroupRow) => ({ at: sendAt, id: last })
  const isCut = rows.reduce((sum, { messages }) => sum + messages, 0) === MOST_READ
  if (!isCut || rows.length > limit) return pageOf(rows, limit, positionOf)
  const items = rows.length > 1 ? rows.slice(0, -1) : rows
  const end = items.at(-1)
  return { items, next: end && encode(positionOf(end)) }
}

/** The messages that wait together with one, a page of them; undefined when that one does not wait. */
export async function listOf(
  database: Database,
  principal: WalletPrincipal,
  ticket: string,
  { cursor, limit }: PageRequest,
): Promise<(Page<MessageRow> & Pick<Together, 'messages' | 'held'>) | undefined> {
  return database.read(async (tx) => {
    const one = await messageWith(tx, principal, ticket)
    if (one?.status !== 'scheduled') return undefined
    const [sum] = await tx.run<{ messages: number; held: number }>(
      `SELECT count(*) AS messages, CAST(sum(price) AS BIGINT) AS held FROM messages WHERE ${TOGETHER}`,
      sharedBy(principal, one),
    )
    const ids = await idsOf(tx, principal, one, { after: decode(cursor)?.id ?? '', limit: limit + 1 })
    const rows = (await findMessages(tx, principal.wallet.id, ids)).sort((a, b) => (a.id < b.id ? -1 : 1))
    const shown = rows.map((row) => shownTo(principal, row))
    const page = pageOf(shown, limit, ({ sendAt, id }) => ({ at: sendAt, id }))
    return { ...page, messages: sum?.messages ?? 0, held: micros(sum?.held ?? 0) }
  })
}

/**
 * Cancels all that wait together with a message, a slice after the other, and returns how many were; undefined when the caller
 * has no such message. A process that dies leaves the rest waiting, to be cancelled again; a message whose time has come stays.
 */
export async function cancelTogether(
  parts: Cancelling,
  principal: WalletPrincipal,
  ticket: string,
): Promise<number | undefined> {
  const { database, endMessages, clock, newId } = parts
  const one = await database.read((tx) => messageWith(tx, principal, ticket))
  if (!one) return undefined
  let cancelled = 0
  try {
    for (let after = ''; ; ) {
      const page = { after, limit: SLICE }
      const ids = await database.read((tx) => idsOf(tx, principal, one, page))
      const last = ids.at(-1)
      if (last === undefined) break
      const ending = { status: 'cancelled', carrierRef: '', submittedAt: 0 } as const
      await endMessages(
        ids.map((id) => ({ ticket: id, ...ending })),
        { lockWaitMs: LOCK_WAIT_MS },
      )
      const rows = await database.read((tx) => findMessages(tx, principal.wallet.id, ids))
      cancelled += rows.filter(({ status }) => status === 'cancelled').length
      after = last
    }
  } catch (error) {
    // The log has what was cancelled before as well.
    if (cancelled > 0) await audit('done')
    throw error
  }
  await audit(cancelled > 0 ? 'done' : 'not_cancellable')
  return cancelled

  function audit(outcome: 'done' | 'not_cancellable'): Promise<void> {
    const ticket = one?.id ?? ''
    const write = {
      principal,
      operation: 'cancelScheduledSms',
      ticket,
      outcome,
      messages: cancelled,
    } as const
    return database.write((tx) => auditWrites(tx, [write], clock.now(), newId))
  }
}

async function messageWith(
  tx: Tx,
  { wallet }: WalletPrincipal,
  ticket: string,
): Promise<MessageRow | undefined> {
  if (!isTicket(ticket)) return undefined
  const [one] = await findMessages(tx, wallet.id, [ticket.toLowerCase() as Ticket])
  return one
}

const TOGETHER = `wallet_id = $1 AND status = 'scheduled' AND send_at = $2 AND created_at = $3 AND sender = $4
  AND coalesce(sent_by, '') = $5`

function sharedBy(
  { wallet }: WalletPrincipal,
  { sendAt, createdAt, sender, sentBy }: Shared,
): (string | number)[] {
  return [wallet.id, sendAt, createdAt as EpochMs, sender, sentBy ?? '']
}

async function idsOf(
  { run }: Tx,
  principal: WalletPrincipal,
  one: Shared,
  { after, limit }: { after: string; limit: number },
): Promise<Ticket[]> {
  const rows = await run<{ id: Ticket }>(
    `SELECT id FROM messages WHERE ${TOGETHER} AND id > $6 ORDER BY id LIMIT $7`,
    [...sharedBy(principal, one), after, limit],
  )
  return rows.map(({ id }) => id)
}
