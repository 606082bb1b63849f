import {
  countWaitingSenders,
  type NamedSender,
  type SenderPlace,
  senderStart,
  sendersAlike,
  waitingSenders,
} from '../../../accounts/index.ts'
import { type EpochMs, epochMs } from '../../../kernel/ids.ts'
import type { Markup } from '../../../net/pages/markup.ts'
import type { Tx } from '../../../store/database.ts'
import { countOf, several } from '../../count.ts'
import { icon } from '../../icons.tsx'
import { listTime } from '../../times.tsx'
import { pathOf } from '../customers/words.tsx'
import { hiddenFields } from '../frame/form.tsx'
import type { Page, Visit } from '../frame/visit.ts'

export interface ListView extends WaitingList {
  visit: Visit
  now: EpochMs
  /** Whether the page begins later than with the oldest. */
  isLater: boolean
  /** The decision that was just made; not new when it had been made before. */
  done: { sender: string; status: string; isNew: boolean } | undefined
}

export function listPage(view: ListView): Page {
  const { items, count, next, isLater, done } = view
  return {
    title: 'Sender IDs',
    place: 'senders',
    body: (
      <>
        <div class="head">
          <h1>Sender IDs</h1>
          <span class="soft">
            {count === 0 ? 'None waits' : `${several(count, 'waits', 'wait')}, the oldest first`}
          </span>
        </div>
        {done && said(done)}
        {items.length === 0 ? (
          <section class="sheet">
            <p>No sender ID waits for a decision. Those of a customer are on its page.</p>
          </section>
        ) : (
          <section class="sheet flush wide-table" tabindex={0} role="group" aria-label="Sender IDs that wait">
            <table class="stacked" role="table">
              <caption class="unseen">Sender IDs that wait, the oldest first</caption>
              <thead role="rowgroup">
                <tr role="row">
                  <th role="columnheader" scope="col">
                    Sender ID
                  </th>
                  <th role="columnheader" scope="col">
                    Who asks
                  </th>
                  <th role="columnheader" scope="col" class="num">
                    Since
                  </th>
                  <th role="columnheader" scope="col">
                    Alike, and whose
                  </th>
                  {view.visit.operator.role === 'act' && (
                    <th role="columnheader" scope="col">
                      <span class="unseen">Decide</span>
                    </th>
                  )}
                </tr>
              </thead>
              <tbody role="rowgroup">{items.map((item) => line(item, view))}</tbody>
            </table>
            {(next !== undefined || isLater) && (
              <div class="pages">
                {isLater && <a href="/senders">The oldest</a>}
                {next !== undefined && (
                  <a class="end" href={`/senders?${new URLSearchParams({ after: next }).toString()}`}>
                    Those after
                  </a>
                )}
              </div>
            )}
          </section>
        )}
      </>
    ),
  }
}

function said({ sender, status, isNew }: NonNullable<ListView['done']>): Markup {
  return (
    <div class={`note ${isNew ? 'good' : 'warn'}`} role="status">
      <p>
        {isNew ? (
          <>
            <bdi>{sender}</bdi> is {status}.
          </>
        ) : (
          <>
            <bdi>{sender}</bdi> is {status} already. Nothing was changed now.
          </>
        )}
      </p>
    </div>
  )
}

function line({ row, alike, moreAlike }: Waiting, { visit, now }: ListView): Markup {
  const { sender, accountId, name, createdAt } = row
  const values = { account: accountId, sender }
  const decide = visit.operator.role === 'act' && (
    <td role="cell">
      <div class="together">
        <form method="post" action="/senders/approve" class="inline">
          {hiddenFields(visit.form, values)}
          <button class="tiny">
            Approve
            <span class="unseen">
              {' '}
              {sender} of {name}
            </span>
          </button>
        </form>
        <a class="button second tiny" href={`/senders/reject?${new URLSearchParams(values).toString()}`}>
          Reject
          <span class="unseen">
            {' '}
            {sender} of {name}
          </span>
        </a>
      </div>
    </td>
  )
  return (
    <tr role="row">
      <th role="rowheader" scope="row" class="plain strong">
        <bdi>{sender}</bdi>
      </th>
      <td role="cell" class="plain">
        <a href={pathOf({ id: accountId })}>
          <bdi>{name}</bdi>
        </a>
      </td>
      <td role="cell" class="num">
        {listTime(createdAt, now)}
      </td>
      <td role="cell" class="plain">
        {alike.length === 0 ? <span class="soft">none</span> : alike.map((other) => likeness(other, row))}
        {moreAlike > 0 && <div class="soft">and {countOf(moreAlike)} more</div>}
      </td>
      {decide}
    </tr>
  )
}

const WORDS = { approved: 'approved', pending: 'waits too', rejected: 'rejected' }

/** Marks approved sender IDs of other customers: they are the risk. */
function likeness(other: Waiting['row'], row: Waiting['row']): Markup {
  const isTheirs = other.accountId === row.accountId
  const isRisk = !isTheirs && other.status === 'approved'
  return (
    <div>
      <span class={`state${isRisk ? ' bad' : ''}`}>
        {isRisk && icon('triangle')}
        <bdi class="strong">{other.sender}</bdi>
      </span>{' '}
      <span class="soft">{WORDS[other.status]},</span>{' '}
      {isTheirs ? (
        'its own'
      ) : (
        <a href={pathOf({ id: other.accountId })}>
          <bdi>{other.name}</bdi>
        </a>
      )}
    </div>
  )
}

const ROWS = 50
/** How many that look alike are named; the others are counted. */
const MOST_NAMED = 5

export interface Waiting {
  row: NamedSender
  alike: NamedSender[]
  /** How many more look alike. */
  moreAlike: number
}

export interface WaitingList {
  items: Waiting[]
  count: number
  /** Where the next page begins; undefined on the last. */
  next: string | undefined
}

/** Waiting sender IDs from a place on, each with all customers' sender IDs that look like it. */
export async function readWaiting(tx: Tx, after: string | undefined): Promise<WaitingList> {
  const found = await waitingSenders(tx, { after: placeIn(after), limit: ROWS + 1 })
  const rows = found.slice(0, ROWS)
  const alike = await sendersAlike(
    tx,
    rows.map(({ sender }) => sender),
  )
  const last = rows.at(-1)
  return {
    items: rows.map((row) => {
      const others = alike.filter((other) => isAlike(row, other))
      return { row, alike: others.slice(0, MOST_NAMED), moreAlike: Math.max(0, others.length - MOST_NAMED) }
    }),
    count: await countWaitingSenders(tx),
    next: found.length > ROWS && last ? written(last) : undefined,
  }
}

/** Whether another one could be taken for this. The same one of the same account is no other. */
function isAlike(row: NamedSender, other: NamedSender): boolean {
  if (row.accountId === other.accountId && row.sender === other.sender) return false
  if (row.sender.toLowerCase() === other.sender.toLowerCase()) return true
  return !/^\d+$/.test(row.sender) && senderStart(row.sender) === senderStart(other.sender)
}

function written({ createdAt, accountId, sender }: SenderPlace): string {
  return `${createdAt} ${accountId} ${sender}`
}

function placeIn(text: string | undefined): SenderPlace | undefined {
  const [, createdAt, accountId, sender] = /^(\d{1,15}) ([\w-]{1,40}) ([\w ]{1,15})$/.exec(text ?? '') ?? []
  if (createdAt === undefined || accountId === undefined || sender === undefined) return undefined
  return { createdAt: epochMs(Number(createdAt)), accountId, sender }
}
