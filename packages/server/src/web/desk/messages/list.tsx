import type { AccountRow } from '../../../accounts/index.ts'
import { type EpochMs, isTicket } from '../../../kernel/ids.ts'
import { checkReference } from '../../../kernel/sent-fields.ts'
import type { FoundMessage, FoundPage, MessageQuery } from '../../../messages/history/index.ts'
import type { Markup } from '../../../net/pages/markup.ts'
import { decode, encode, type Position } from '../../../net/server/paging.ts'
import { listTime } from '../../times.tsx'
import { phoneNumber } from '../../widgets/phone.tsx'
import { statusMark } from '../../widgets/state.tsx'
import type { Page } from '../frame/visit.ts'
import { customer, pathOf, tableSheet } from './words.tsx'

export interface ListView {
  q: string
  /** As the address has it. */
  account: string
  /** The customer that is meant; undefined for all, and where there is none. */
  of: AccountRow | undefined
  /** Undefined when nothing was asked for. */
  found: FoundPage | undefined
  isFirst: boolean
  accounts: ReadonlyMap<string, AccountRow>
  now: EpochMs
}

export function listPage(view: ListView): Page {
  const { account, of, found } = view
  const isWrong = account !== '' && !of
  return {
    title: 'Messages',
    place: 'messages',
    status: isWrong ? 422 : 200,
    body: (
      <>
        <div class="head">
          <h1>
            Messages
            {of && (
              <>
                {' '}
                of <bdi>{of.name}</bdi>
              </>
            )}
          </h1>
        </div>
        {searchForm(view, isWrong)}
        {found && list(view, found)}
        {!found && !isWrong && lists}
      </>
    ),
  }
}

function searchForm({ q, account, of }: ListView, isWrong: boolean): Markup {
  return (
    <form class="sheet" method="get" action="/messages" role="search" aria-label="Messages">
      <label for="q">Search</label>
      <span class="hint" id="q-hint">
        A ticket, the number it went to, the customer’s reference in full, or the carrier’s
      </span>
      {isWrong && (
        <span class="wrong" id="q-error">
          There is no customer {account}.
        </span>
      )}
      <div class="together">
        <input
          class="box search"
          id="q"
          name="q"
          type="search"
          value={q}
          maxlength={LONGEST_SEARCH}
          aria-describedby={`q-hint${isWrong ? ' q-error' : ''}`}
          autocomplete="off"
          spellcheck={false}
        />
        {of && <input type="hidden" name="account" value={of.id} />}
        <button>Search</button>
        {of && (
          <a href={queryOf({ q, account: '' })}>
            {q === '' ? 'Look among all customers' : 'Search among all customers'}
          </a>
        )}
      </div>
    </form>
  )
}

/** Where to go without knowing of a message. */
const lists = (
  <>
    <section class="sheet">
      <h2>What needs a look</h2>
      <ul class="findings">
        <li>
          <span>
            <a href="/messages/uncertain">Uncertain messages</a>: their carrier never said whether it took
            them, so somebody has to decide.
          </span>
        </li>
        <li>
          <span>
            <a href="/messages/waiting">Messages that wait for longer than they should</a>, and why.
          </span>
        </li>
        <li>
          <span>
            <a href="/messages/set-aside">What was set aside</a>, because handling it keeps failing.
          </span>
        </li>
        <li>
          <span>
            <a href="/messages/callbacks">Callbacks that were given up</a>, to post them again when their
            receiver works.
          </span>
        </li>
      </ul>
    </section>
    <p class="soft">The audit log keeps what was looked for. Texts are covered until somebody opens one.</p>
  </>
)

function list(view: ListView, { messages, next }: FoundPage): Markup {
  const { q, account, isFirst } = view
  const of = (after?: FoundPage['next']) => queryOf({ q, account, after })
  if (messages.length === 0 && isFirst && !next)
    return (
      <section class="sheet">
        <p>
          {q === '' ? (
            'It has sent no messages.'
          ) : (
            <>
              No message fits “<bdi>{q}</bdi>”.
            </>
          )}{' '}
          Those that were deleted or erased are not found.
        </p>
      </section>
    )
  const pages = (!isFirst || next !== undefined) && (
    <>
      {!isFirst && <a href={of()}>Newest messages</a>}
      {next && (
        <a class="end" href={of(next)}>
          Older messages
        </a>
      )}
    </>
  )
  return tableSheet({
    label: 'Messages, newest first',
    head: ['Accepted', 'To', 'State', 'Sender', 'Reference', 'Customer'],
    rows: messages.map((message) => line(message, view)),
    pages,
  })
}

function line(message: FoundMessage, { accounts, now }: ListView): Markup {
  const { ticket, createdAt, recipient, status, sender, reference, accountId } = message
  return (
    <tr>
      <td class="num left">{listTime(createdAt, now)}</td>
      <th scope="row" class="plain">
        <a href={pathOf(ticket)}>{phoneNumber(recipient)}</a>
      </th>
      <td>{statusMark(status)}</td>
      <td>
        <bdi>{sender}</bdi>
      </td>
      <td>
        <bdi>{reference}</bdi>
      </td>
      <td>{customer(accountId, accounts)}</td>
    </tr>
  )
}

/** As long as the longest reference. */
export const LONGEST_SEARCH = 128

/** Everything that a text may be: a ticket, a number, the customer's reference or a carrier's. Undefined if it is nothing of it. */
export function queryFor(text: string): MessageQuery | undefined {
  if (!isReference(text)) return undefined
  const number = text.replace(/[\s()+-]/g, '')
  const ticket = text.toLowerCase()
  return {
    ...(isTicket(ticket) && { ticket }),
    ...(/^[1-9]\d{6,14}$/.test(number) && { to: number }),
    reference: text,
    carrierReference: text,
  }
}

function isReference(text: string): boolean {
  try {
    checkReference(text)
    return text !== ''
  } catch {
    return false
  }
}

/** The address of a page of the list. */
function queryOf(given: { q: string; account: string; after?: Position | undefined }): string {
  const { q, account, after } = given
  const query = new URLSearchParams({
    ...(q !== '' && { q }),
    ...(account !== '' && { account }),
    ...(after && { after: encode(after) }),
  })
  return query.size === 0 ? '/messages' : `/messages?${query}`
}

/** Where a page begins; undefined for the first, and for an address that is none of ours. */
export function placeIn(cursor: string | undefined): Position | undefined {
  try {
    return decode(cursor)
  } catch {
    return undefined
  }
}
