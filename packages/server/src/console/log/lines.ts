import { theirWords } from '../../assistants/index.ts'
import { type AuditRow, readAudit } from '../../audit/index.ts'
import { type EpochMs, isTicket, type Ticket } from '../../domain/ids.ts'
import { chargedMessages, sendersOf } from '../../history/index.ts'
import { withNames } from '../../people/index.ts'
import type { Tx } from '../../platform/database/database.ts'
import type { WalletPrincipal } from '../../platform/http/principal.ts'
import { type Known, operationOf, sentenceOf } from './sentences.ts'

/** What an entry of the audit log says to the people of its account. */
export interface Line {
  at: EpochMs
  who: string
  what: string
  /** The message that it is about, if it is still there. */
  ticket: string | undefined
}

const HOUR_MS = 3_600_000
const CONNECTION = 'connection:'

/** The newest entries of an account, in sentences, and whether there may be more. Reasons of the operator are left out. */
export async function readLines(
  tx: Tx,
  { accountId, wallet }: WalletPrincipal,
  limit: number,
): Promise<{ lines: Line[]; more: boolean }> {
  const filter = { accountId, since: undefined, action: undefined }
  const all = await readAudit(tx, filter, limit)
  const rows = onePerCall(await withNames(tx, all))
  const assistantOf = await assistantsIn(tx, rows)
  const messages = await chargedMessages(tx, wallet.id, [...new Set(rows.flatMap(ticketIn))])
  const known: Known = {
    currency: wallet.currency,
    assistantOf,
    recipientOf: (ticket) => messages.get(ticket)?.recipient,
  }
  const lines = rows.map(({ at, actor, action, detail }) => ({
    at,
    who: whoOf(actor, action, assistantOf),
    what: sentenceOf(action, detail, known),
    ticket: messages.get(String(detail.ticket))?.id,
  }))
  return { lines, more: all.length === limit }
}

/**
 * A call of a tool is there twice: as the tool's, which says who was asked, and as that of the operation that it called. Only
 * the first is kept, with the reason of the second.
 */
function onePerCall(rows: readonly AuditRow[]): AuditRow[] {
  const calls = new Set(rows.filter((row) => isBy('mcp', row)).map(callOf))
  const isSecond = (row: AuditRow) => isBy('api', row) && calls.has(callOf(row))
  const reasons = new Map(rows.filter(isSecond).map((row) => [callOf(row), row.detail.outcome]))
  return rows
    .filter((row) => !isSecond(row))
    .map((row) => {
      const reason = row.detail.outcome === 'failed' && reasons.get(callOf(row))
      return reason ? { ...row, detail: { ...row.detail, outcome: reason } } : row
    })
}

/** A model may have called a tool with any text as the ticket. */
function ticketIn({ detail: { ticket } }: AuditRow): Ticket[] {
  return typeof ticket === 'string' && isTicket(ticket) ? [ticket] : []
}

function isBy(how: 'mcp' | 'api', { action }: AuditRow): boolean {
  return action.startsWith(`${how} `)
}

/** The same of a tool and of what it called: by the message, or, where calls are counted, by the hour. */
function callOf({ id, at, actor, action, detail }: AuditRow): string {
  const operation = operationOf(action)
  return id === null
    ? `${operation} ${at - (at % HOUR_MS)}`
    : `${operation} ${actor} ${String(detail.ticket ?? id)}`
}

/** What the assistants call themselves that entries name. */
async function assistantsIn(tx: Tx, rows: readonly AuditRow[]): Promise<Known['assistantOf']> {
  const named = rows.flatMap(({ actor, detail: { connection } }) => [
    ...(actor.startsWith(CONNECTION) ? [actor] : []),
    ...(typeof connection === 'string' ? [`${CONNECTION}${connection}`] : []),
  ])
  const senders = await sendersOf(
    tx,
    [...new Set(named)].map((sentBy) => ({ sentBy })),
  )
  return (connection) => {
    const name = senders({ sentBy: `${CONNECTION}${connection}` })?.name
    const shown = name === undefined ? undefined : theirWords(name)
    return shown === undefined ? 'without a name' : `“${shown}”`
  }
}

/** Who did it, as people read it. Which operator, and why, is between operators. */
function whoOf(actor: string, action: string, assistantOf: Known['assistantOf']): string {
  const [kind, id = ''] = actor.split(':')
  switch (kind) {
    case 'person':
      return id.includes('@') ? id : 'somebody who was forgotten'
    case 'operator':
    case 'gateway':
      return 'the operator'
    case 'connection':
      return `the assistant ${assistantOf(id)}`
    case 'client':
      return action.startsWith('mcp ')
        ? `an assistant with the client ID ${id}`
        : `a program with the client ID ${id}`
    case 'oauth':
      return 'the gateway'
    default:
      return kind === 'portal' ? 'somebody who was not signed in' : actor
  }
}
