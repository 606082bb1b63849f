import {
  type ConnectionLimits,
  type ConnectionView,
  clientName,
  type LimitErrors,
  type LimitValues,
  LONGEST_ADDRESS,
  limitsFields,
  limitsWrong,
  theirWords,
  writtenLimits,
} from '../../../assistants/index.ts'
import type { EpochMs } from '../../../kernel/ids.ts'
import type { FormTicket } from '../../../net/pages/forms.tsx'
import { ticketField } from '../../../net/pages/layout.tsx'
import type { Markup } from '../../../net/pages/markup.ts'
import { moment } from '../../../net/pages/times.tsx'
import { money } from '../../widgets/money.tsx'

/** Posted limits of a connection that were refused, to show them again. */
export interface RefusedLimits {
  id: string
  values: LimitValues
  errors: LimitErrors
}

/** The address that a form about a connection is posted to. */
export type ActOn = (id: string, what: 'limits' | 'revoke') => string

interface ConnectionCard {
  connection: ConnectionView
  now: EpochMs
  form: FormTicket
  actOn: ActOn
  /** Whether the person may change or end it. */
  isMine: boolean
  /** Whether the person may change its limits. */
  maySend: boolean
  refused: RefusedLimits | undefined
}

const MOST_SHOWN = 6

/** One assistant's limits and its use of them today, with forms to change them and to revoke its access. */
export function connectionCard(card: ConnectionCard): Markup {
  const { connection, now } = card
  const { id, redirectHost, createdAt, lastUsedAt, limits } = connection
  return (
    <section class="sheet" id={`c-${id}`} aria-labelledby={`n-${id}`}>
      <h2 id={`n-${id}`}>{clientName(connection.clientName)}</h2>
      <p class="soft">
        <bdi>{theirWords(redirectHost, LONGEST_ADDRESS)}</bdi>
        <br />
        Connected {moment(createdAt, now)}
        {connection.email !== undefined && (
          <>
            {' '}
            by <bdi>{connection.email}</bdi>
          </>
        )}
        <br />
        {lastUsedAt === undefined ? 'Never used' : <>Last used {moment(lastUsedAt, now)}</>}
      </p>
      {limits ? used(connection, limits) : onlyReads}
      {card.isMine && (
        <div class="folds">
          {limits && card.maySend && limitsForm(card, limits)}
          {revokeForm(card)}
        </div>
      )}
    </section>
  )
}

const onlyReads = (
  <p>
    <strong>It may only read.</strong> To let it send, revoke its access and connect it again.
  </p>
)

/** How many it sent today, with a link to what it sent, unless its name can't be typed into a filter. */
function sentLink(name: string, count: number): Markup {
  if (name === '' || theirWords(name) !== name) return <>{count}</>
  const q = new URLSearchParams({ q: `by:"${name}"` })
  return (
    <a href={`/messages?${q.toString()}`} title="All messages that it sent">
      {count}
    </a>
  )
}

function used(
  { wallet: { currency }, today, clientName: name }: ConnectionView,
  { dailySpend, dailyMessages, recipients, unasked }: ConnectionLimits,
): Markup {
  return (
    <>
      <div class="use">
        <div>
          <p>
            Spent today
            <br />
            <strong>{money(today.spent, currency)}</strong>{' '}
            <span class="soft">of {money(dailySpend, currency)}</span>
          </p>
          {bar(today.spent, dailySpend)}
        </div>
        <div>
          <p>
            Messages today
            <br />
            <strong>{sentLink(name, today.messages)}</strong> <span class="soft">of {dailyMessages}</span>
          </p>
          {bar(today.messages, dailyMessages)}
        </div>
      </div>
      <p class="to">
        May send to {recipients ? listed(recipients) : <strong>everybody</strong>}
        <br />
        Where it can’t ask you first:{' '}
        <strong>{unasked === 'send' ? 'sends without asking' : 'sends nothing'}</strong>
      </p>
    </>
  )
}

/** Shows only what the text above it says, so it is hidden from screen readers. */
function bar(value: number, most: number): Markup {
  const full = value >= most
  return (
    <progress
      aria-hidden="true"
      value={full ? 1 : value}
      max={full ? 1 : most}
      class={full ? 'full' : undefined}
    />
  )
}

function listed(recipients: readonly string[]): Markup {
  const more = recipients.length - MOST_SHOWN
  const shown = recipients.slice(0, MOST_SHOWN).map((rule, index) => (
    <>
      {index > 0 && ', '}
      <code>{rule}</code>
    </>
  ))
  return (
    <>
      {shown}
      {more > 0 && ` and ${more} more`}
    </>
  )
}

function limitsForm(card: ConnectionCard, limits: ConnectionLimits): Markup {
  const { connection, form, actOn, refused } = card
  const { id, wallet } = connection
  const errors = refused?.errors ?? {}
  return (
    <details open={Boolean(refused)}>
      <summary>Change limits</summary>
      <form method="post" action={actOn(id, 'limits')} class="fold">
        {ticketField(form)}
        {limitsWrong(id, errors, 'The limits are as they were.')}
        {limitsFields({
          id,
          currency: wallet.currency,
          values: refused?.values ?? writtenLimits(limits),
          errors,
        })}
        <button>Save limits</button>
      </form>
    </details>
  )
}

function revokeForm({ connection: { id, clientName: name }, form, actOn }: ConnectionCard): Markup {
  return (
    <details>
      <summary class="careful">Revoke access</summary>
      <form method="post" action={actOn(id, 'revoke')} class="fold">
        {ticketField(form)}
        <p>
          {clientName(name)} will lose its access at once. Messages that it has scheduled already are still
          sent. To let it in again, connect it again.
        </p>
        <button class="danger">Yes, revoke its access</button>
      </form>
    </details>
  )
}
