import { withNames } from '../../../accounts/people/index.ts'
import { theirWords } from '../../../assistants/index.ts'
import { type EpochMs, isTicket, type Ticket } from '../../../kernel/ids.ts'
import { partOfNumber } from '../../../kernel/phone/phone.ts'
import type { WalletPrincipal } from '../../../kernel/principal.ts'
import { HOUR_MS } from '../../../kernel/time/spans.ts'
import { chargedMessages, sendersOf } from '../../../messages/history/index.ts'
import type { Page as Rows } from '../../../net/server/paging.ts'
import { type AuditRow, readAudit } from '../../../store/audit/index.ts'
import type { Tx } from '../../../store/database.ts'
import { csvReply } from '../../files.ts'
import { listTime } from '../../times.tsx'
import { tableHead } from '../../widgets/table.tsx'
import type { Pages } from '../frame/pages.tsx'
import type { Page, Visit } from '../frame/visit.tsx'
import type { ConsoleParts } from '../parts.ts'
import { type Known, operationOf, sentenceOf } from './log-sentences.ts'

const SHOWN = 200
/** Bounds the file, which is made in memory at once. */
const MOST_IN_FILE = 10_000

/** Who did what in the account. */
export function mountLog(pages: Pages, { database, clock }: ConsoleParts): void {
  const read = ({ principal }: Visit, limit: number) => database.read((tx) => readLines(tx, principal, limit))

  pages.show('/log', 'read', async (visit): Promise<Page> => {
    const { lines, more } = await read(visit, SHOWN)
    const now = clock.now()
    return {
      title: 'Who did what',
      place: 'log',
      body: (
        <>
          <div class="head">
            <h1>Who did what</h1>
            <span class="end">
              <a class="button second" href="/log.csv">
                Export CSV
              </a>
            </span>
          </div>
          <section class="sheet flush">
            <table>
              <caption class="unseen">Who did what in this account, newest first</caption>
              {tableHead({ title: 'Time, UTC', class: 'w-time' }, 'Who did what')}
              <tbody>
                {lines.map(({ at, who, what, ticket }) => (
                  <tr>
                    <td class="nums">{listTime(at, now)}</td>
                    <td>
                      <bdi class="strong">{who}</bdi>{' '}
                      {ticket === undefined ? what : <a href={`/messages/${ticket}`}>{what}</a>}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
          {more && <p class="soft">These are the newest. The file has more.</p>}
        </>
      ),
    }
  })

  pages.file('/log.csv', 'read', async (visit) =>
    csvReply({
      name: 'who-did-what.csv',
      head: ['Time', 'Who', 'What', 'Ticket'],
      read: async (): Promise<Rows<Line>> => ({
        items: (await read(visit, MOST_IN_FILE)).lines,
        next: undefined,
      }),
      line: ({ at, who, what, ticket }) => [new Date(at).toISOString(), who, what, ticket],
    }),
  )
}

/** An audit entry in words, for the people of its account. */
interface Line {
  at: EpochMs
  who: string
  what: string
  /** The message that it is about, if it is still there. */
  ticket: string | undefined
}

const CONNECTION = 'connection:'

/** The newest entries of an account as sentences, without an operator's reasons, and whether there may be more. */
async function readLines(
  tx: Tx,
  principal: WalletPrincipal,
  limit: number,
): Promise<{ lines: Line[]; more: boolean }> {
  const { accountId, wallet, withoutTexts } = principal
  const filter = { accountId, since: undefined, action: undefined }
  const all = await readAudit(tx, filter, limit)
  const rows = onePerCall(await withNames(tx, all))
  const assistantOf = await assistantsIn(tx, rows)
  const messages = await chargedMessages(tx, principal, [...new Set(rows.flatMap(ticketIn))])
  const known: Known = {
    currency: wallet.currency,
    assistantOf,
    recipientOf: (ticket) => messages.get(ticket)?.recipient,
    numberOf: (number) => (withoutTexts ? partOfNumber(number) : number),
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
 * A tool's call has two rows: one of the tool, with who was asked, and one of the API operation that the tool called. Keeps the
 * row of the tool, and gives it the operation's reason if it failed.
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

/** The ticket of an entry. A model may have given any text as one: then none. */
function ticketIn({ detail: { ticket } }: AuditRow): Ticket[] {
  return typeof ticket === 'string' && isTicket(ticket) ? [ticket] : []
}

function isBy(how: 'mcp' | 'api', { action }: AuditRow): boolean {
  return action.startsWith(`${how} `)
}

/** A key that the rows of one call share. Refused calls are counted by the hour, so those of one hour share it. */
function callOf({ id, at, actor, action, detail }: AuditRow): string {
  const operation = operationOf(action)
  return id === null
    ? `${operation} ${at - (at % HOUR_MS)}`
    : `${operation} ${actor} ${String(detail.ticket ?? id)}`
}

/** The names that assistants in these entries gave themselves. */
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

/** Names who did it. Customers do not read which operator it was. */
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
    case 'portal':
      return 'somebody who was not signed in'
    default:
      return actor
  }
}
