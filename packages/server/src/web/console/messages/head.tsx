import type { Right } from '../../../accounts/people/index.ts'
import type { Status } from '../../../kernel/message.ts'
import { type InsightRow, type Query, type Term, withTerm } from '../../../messages/history/index.ts'
import type { Markup } from '../../../net/pages/markup.ts'
import { countOf } from '../../count.ts'
import { icon } from '../../icons.tsx'
import { money } from '../../widgets/money.tsx'
import { lookOf } from '../../widgets/state.tsx'
import { inboxAddress } from './list.tsx'

interface HeadView {
  q: string
  query: Query
  terms: readonly Term[]
  /** The counts of today; undefined beside an open message, whose page has its own heading. */
  today: InsightRow | undefined
  currency: string
  may(right: Right): boolean
  /** New messages come in by themselves. */
  live: boolean
}

/** Says whether the page is live. The script shows it once it listens, and keeps it true. */
export const LIVE: Markup = (
  <span class="live small" id="live" hidden>
    Live
  </span>
)

/** The top of the inbox: today's counts, the filter, and links for common filters. */
export function inboxHead({ q, query, terms, today, currency, may, live }: HeadView): Markup {
  const wrong = query.kind === 'wrong' && { 'aria-invalid': 'true', 'aria-describedby': 'wrong' }
  const heading = today ? (
    <>
      <h1>Inbox</h1>
      {live && LIVE}
      <span class="soft small nums roomy">{countsOf(today, currency)}</span>
    </>
  ) : (
    <>
      <p class="title">Inbox</p>
      {live && LIVE}
    </>
  )
  return (
    <>
      <div class="head">
        {heading}
        {may('send') && (
          <span class="end">
            <a class="button" href="/send">
              <span>
                Send<span class="roomy"> a message</span>
              </span>
            </a>
          </span>
        )}
      </div>
      <form class="filter" role="search" action="/messages">
        <label class="unseen" for="q">
          Filter messages
        </label>
        {icon('search')}
        <input
          class="box"
          id="q"
          name="q"
          value={q}
          placeholder={`${may('texts') ? 'to:233241234567 ' : ''}status:failed from:WIGWAG since:2d`}
          maxlength={500}
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          {...wrong}
        />
        <kbd class="roomy" aria-hidden="true">
          /
        </kbd>
      </form>
      <ul class="chips">
        {CHIPS.map((chip) => chipOf(chip, query, terms))}
        {may('build') && (
          <li class="roomy">
            <a class="bare" href="/developers#filters">
              All filters
            </a>
          </li>
        )}
      </ul>
    </>
  )
}

function countsOf({ sent, delivered, failed, pending, spend }: InsightRow, currency: string): string {
  const counts = [
    `${countOf(sent)} sent`,
    `${countOf(delivered)} delivered`,
    `${countOf(failed)} not delivered`,
    `${countOf(pending)} pending`,
  ]
  return `Today: ${counts.join(', ')}, ${money(spend, currency).replace(' ', '\u00a0')}`
}

interface Chip {
  name: string
  /** Undefined for messages of every status. */
  status: { typed: string; is: readonly Status[] } | undefined
}

const UNDELIVERED: readonly Status[] = ['undelivered', 'expired', 'rejected', 'failed']
const CHIPS: readonly Chip[] = [
  { name: 'All', status: undefined },
  { name: 'Pending', status: { typed: 'status:pending', is: ['pending'] } },
  { name: 'Delivered', status: { typed: 'status:delivered', is: ['success'] } },
  { name: 'Not delivered', status: { typed: `status:${UNDELIVERED.join(',')}`, is: UNDELIVERED } },
]

/** A link that sets the status and keeps the other terms. */
function chipOf({ name, status }: Chip, query: Query, terms: readonly Term[]): Markup {
  const href = inboxAddress(withTerm(terms, 'status', status?.typed))
  const now = query.kind === 'filter' && same(status?.is, query.filter.statuses)
  const [first] = status?.is ?? []
  const look = first && lookOf(first)
  return (
    <li>
      <a class={look?.tone} href={href} aria-current={now ? 'true' : undefined}>
        {look && icon(look.icon)}
        {name}
      </a>
    </li>
  )
}

function same(a: readonly Status[] | undefined, b: readonly Status[] | undefined): boolean {
  return [...(a ?? [])].sort().join() === [...(b ?? [])].sort().join()
}
