import { span } from '@wigwag/contract'
import type { AccountRow } from '../../../accounts/index.ts'
import type { SetAside, StuckMessage, WhyStuck } from '../../../delivery/index.ts'
import type { EpochMs } from '../../../kernel/ids.ts'
import { countOf } from '../../count.ts'
import { listTime } from '../../times.tsx'
import { phoneNumber } from '../../widgets/phone.tsx'
import { num } from '../../widgets/table.tsx'
import type { Page } from '../frame/visit.ts'
import { customer, nothing, pathOf, ROWS, tableSheet } from './words.tsx'

/** Longer than carriers take in normal times. */
export const USUAL = '10m'

const WHY: Readonly<Record<WhyStuck, string>> = {
  'awaiting-receipt': 'The carrier took it, and has sent no receipt',
  failing: 'Handling it fails unexpectedly: the gateway’s log says more',
  'set-aside': 'Handling it failed often, and is tried once an hour: the gateway’s log says more',
  'not-released': 'Its time has come, and no gateway has begun with it',
  'no-gateway': 'No gateway runs',
  'no-carrier': 'No carrier takes it now',
  'carrier-paused': 'Its carrier is paused',
  'carrier-away': 'Its carrier is not connected',
  'waiting-for-carrier': 'Its carrier has not taken it yet',
}

export interface WaitingView {
  /** One more than are shown, if there are more. */
  messages: readonly StuckMessage[]
  accounts: ReadonlyMap<string, AccountRow>
  /** As the address has it. */
  before: string
  isWrong: boolean
  isFirst: boolean
  now: EpochMs
}

/** Messages that wait for longer than they should, the oldest first. */
export function waitingPage({ messages, accounts, before, isWrong, isFirst, now }: WaitingView): Page {
  const shown = messages.slice(0, ROWS)
  const last = shown.at(-1)
  const of = (more: Record<string, string>) => `/messages/waiting?${new URLSearchParams({ before, ...more })}`
  const rows = shown.map(({ ticket, why, carrier, accountId, recipient, since }) => (
    <tr>
      <td class="num">{span(now - since)}</td>
      <th scope="row" class="plain">
        <a href={pathOf(ticket)}>{phoneNumber(recipient)}</a>
      </th>
      <td class="plain">{WHY[why]}</td>
      <td>
        <bdi>{carrier === '' ? '–' : carrier}</bdi>
      </td>
      <td>{customer(accountId, accounts)}</td>
    </tr>
  ))
  const pages = (!isFirst || messages.length > ROWS) && (
    <>
      {!isFirst && <a href={of({})}>The oldest</a>}
      {messages.length > ROWS && last && (
        <a class="end" href={of({ since: String(last.since), after: last.ticket })}>
          Younger ones
        </a>
      )}
    </>
  )
  return {
    title: 'What waits',
    place: 'messages',
    status: isWrong ? 422 : 200,
    body: (
      <>
        <div class="head">
          <h1>Messages that wait</h1>
          <span class="end">
            <a href="/messages">All lists</a>
          </span>
        </div>
        <form class="sheet" method="get" action="/messages/waiting">
          <label for="before">Waiting for longer than</label>
          <span class="hint" id="before-hint">
            30m, 6h, or since before a day or time in UTC. <a href="/messages/uncertain">Uncertain ones</a>{' '}
            have a list of their own.
          </span>
          {isWrong && (
            <span class="wrong" id="before-error">
              Expected 30m, 6h, or a day, got “{before}”.
            </span>
          )}
          <div class="together">
            <input
              class="box search"
              id="before"
              name="before"
              value={before}
              aria-describedby={`before-hint${isWrong ? ' before-error' : ''}`}
              aria-invalid={isWrong ? 'true' : undefined}
              autocomplete="off"
            />
            <button>Show</button>
          </div>
        </form>
        {isWrong ? (
          ''
        ) : rows.length === 0 ? (
          <section class="sheet">
            <p>No message waits for longer than that.</p>
          </section>
        ) : (
          tableSheet({
            label: 'Messages that wait, oldest first',
            head: [num('Waits'), 'To', 'Why', 'Carrier', 'Customer'],
            rows,
            pages,
          })
        )}
      </>
    ),
  }
}

const WHAT = {
  scheduled: 'A message, to be released',
  dispatch: 'A message, to be handed over',
  await: 'A message, to be asked about',
  callback: 'A callback, to be posted',
} as const satisfies Record<SetAside['kind'], string>

/** Jobs whose handling keeps failing. */
export function setAsidePage(
  jobs: readonly SetAside[],
  { accounts, isFirst, now }: { accounts: ReadonlyMap<string, AccountRow>; isFirst: boolean; now: EpochMs },
): Page {
  const shown = jobs.slice(0, ROWS)
  const rows = shown.map(({ kind, ticket, accountId, recipient, carrier, faults, nextAt }) => (
    <tr>
      <th scope="row" class="plain">
        {ticket === undefined ? WHAT[kind] : <a href={pathOf(ticket)}>{WHAT[kind]}</a>}
      </th>
      <td>{recipient === undefined ? '–' : phoneNumber(recipient)}</td>
      <td class="num">{countOf(faults)}</td>
      <td class="num">{listTime(nextAt, now)}</td>
      <td>
        <bdi>{carrier === '' ? '–' : carrier}</bdi>
      </td>
      <td>{accountId === undefined ? '–' : customer(accountId, accounts)}</td>
    </tr>
  ))
  const pages = (!isFirst || jobs.length > ROWS) && (
    <>
      {!isFirst && <a href="/messages/set-aside">The oldest</a>}
      {jobs.length > ROWS && (
        <a class="end" href={`/messages/set-aside?after=${encodeURIComponent(shown.at(-1)?.id ?? '')}`}>
          Younger ones
        </a>
      )}
    </>
  )
  return {
    title: 'What was set aside',
    place: 'messages',
    body: (
      <>
        <div class="head">
          <h1>What was set aside</h1>
          <span class="end">
            <a href="/messages">All lists</a>
          </span>
        </div>
        <p>
          Handling these failed unexpectedly, many times in a row. Each is tried again once an hour by itself;
          the gateway’s log says what fails.
        </p>
        {rows.length === 0
          ? nothing('Nothing was set aside.')
          : tableSheet({
              label: 'What was set aside, oldest first',
              head: ['What', 'To', num('Failures'), num('Next try'), 'Carrier', 'Customer'],
              rows,
              pages,
            })}
      </>
    ),
  }
}
