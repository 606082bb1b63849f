import { span } from '@wigwag/contract'
import type { AccountRow } from '../../../accounts/index.ts'
import { isSpent, type LoggedCallback, MOST_REPLAYS } from '../../../callbacks/index.ts'
import type { EpochMs } from '../../../kernel/ids.ts'
import { isFinal } from '../../../kernel/message.ts'
import type { FollowedMessage } from '../../../messages/history/index.ts'
import type { Markup } from '../../../net/pages/markup.ts'
import { countOf, MOST_COUNTED, several } from '../../count.ts'
import { icon } from '../../icons.tsx'
import { dayAndTime, listTime } from '../../times.tsx'
import {
  type Attempt,
  answerCell,
  answerInShort,
  answerWords,
  cutUrl,
  shownUrl,
} from '../../widgets/answer.tsx'
import { phoneNumber } from '../../widgets/phone.tsx'
import { callbackMark } from '../../widgets/state.tsx'
import { num } from '../../widgets/table.tsx'
import { ending, hiddenFields } from '../frame/form.tsx'
import type { Page, Visit } from '../frame/visit.ts'
import { customer, nothing, pathOf, ROWS, tableSheet } from './words.tsx'

export interface DeadView {
  /** One more than are shown, if there are more. */
  callbacks: readonly LoggedCallback[]
  accounts: ReadonlyMap<string, AccountRow>
  isFirst: boolean
  now: EpochMs
  /** How many were posted again just now, and how many were left. */
  done: { replayed: number; skipped: number } | undefined
}

/** The callbacks that were given up, and the way to post them all again. */
export function deadPage({ operator }: Visit, view: DeadView): Page {
  const { callbacks, accounts, isFirst, now, done } = view
  const shown = callbacks.slice(0, ROWS)
  const rows = shown.map(({ messageId, recipient, accountId, url, createdAt, attempts }) => {
    const last = attempts.at(-1)
    return (
      <tr>
        <td class="num left">{listTime(createdAt, now)}</td>
        <th scope="row" class="plain">
          <a href={pathOf(messageId)}>{recipient === '' ? messageId : phoneNumber(recipient)}</a>
        </th>
        <td class="num">{last?.seq ?? 0}</td>
        <td>{last ? answerCell(last) : '–'}</td>
        <td class="mono small">{cutUrl(url)}</td>
        <td>{customer(accountId, accounts)}</td>
      </tr>
    )
  })
  const pages = (!isFirst || callbacks.length > ROWS) && (
    <>
      {!isFirst && <a href="/messages/callbacks">The newest</a>}
      {callbacks.length > ROWS && (
        <a class="end" href={`/messages/callbacks?before=${shown.at(-1)?.id ?? ''}`}>
          Older ones
        </a>
      )}
    </>
  )
  const mayAct = operator.role === 'act' && rows.length > 0
  return {
    title: 'Callbacks that were given up',
    place: 'messages',
    body: (
      <>
        <div class="head">
          <h1>Callbacks that were given up</h1>
          <span class="end">
            {mayAct && (
              <a class="button" href="/messages/callbacks/replay">
                Post them all again
              </a>
            )}
            <a href="/messages">All lists</a>
          </span>
        </div>
        {done && (
          <div class="note good" role="status">
            <p>
              {several(done.replayed, 'callback is', 'callbacks are')} posted again, within seconds.
              {done.skipped > 0 && (
                <>
                  {' '}
                  {several(done.skipped, 'was', 'were')} left: posted again {MOST_REPLAYS} times today
                  already.
                </>
              )}
            </p>
          </div>
        )}
        {rows.length === 0
          ? nothing('No callback was given up.')
          : tableSheet({
              label: 'Callbacks that were given up, newest first',
              head: ['Made', 'About', num('Attempts'), 'Last answer', 'Receiver', 'Customer'],
              rows,
              pages,
            })}
      </>
    ),
  }
}

/** Says how many are posted again, before they are. */
export function replayPage({ form }: Visit, sum: { callbacks: number; accounts: number }): Page {
  return {
    title: 'Post them again',
    place: 'messages',
    middle: true,
    body: (
      <>
        <div class="head">
          <h1>Post all callbacks again that were given up?</h1>
        </div>
        <section class="sheet narrow">
          <p>
            That {sum.callbacks === 1 ? 'is' : 'are'}{' '}
            {sum.callbacks >= MOST_COUNTED ? `at least ${countOf(MOST_COUNTED)}` : countOf(sum.callbacks)} of{' '}
            {several(sum.accounts, 'customer')}. The gateways post them at once, and each gets a new plan of
            attempts. One that was posted again {MOST_REPLAYS} times today is left.
          </p>
          <form method="post" action="/messages/callbacks/replay">
            {hiddenFields(form, {})}
            {ending(<button>Post them again</button>, '/messages/callbacks')}
          </form>
        </section>
      </>
    ),
  }
}

/** A message with its callbacks. */
interface Followed {
  followed: FollowedMessage
  now: EpochMs
}

export function callbackSheets(visit: Visit, view: Followed): Markup {
  const { message, callbacks } = view.followed
  if (callbacks.length > 0) return <>{callbacks.map((callback) => callbackSheet(visit, view, callback))}</>
  const none =
    message.callbackUrl === null ? (
      'None: the message named no URL.'
    ) : (
      <>
        {isFinal(message.status)
          ? 'None was kept; it was to be posted to'
          : 'Posted when the message is final, to'}{' '}
        <span class="mono">{shownUrl(message.callbackUrl)}</span>
      </>
    )
  return (
    <section class="sheet">
      <h2>Callback</h2>
      <p class="soft">{none}</p>
    </section>
  )
}

function callbackSheet(
  { operator, form }: Visit,
  { followed, now }: Followed,
  callback: FollowedMessage['callbacks'][number],
): Markup {
  const { state, url, attempts, nextAttemptAt } = callback
  const last = attempts.at(-1)?.seq ?? 0
  const isDue = nextAttemptAt !== undefined && nextAttemptAt <= now
  const again = isSpent(callback, now) ? (
    <span class="soft small">
      Posted again {MOST_REPLAYS} times today; possible again after midnight UTC.
    </span>
  ) : (
    <form method="post" action={pathOf(followed.message.id, '/callback')}>
      {hiddenFields(form, { seen: String(last) })}
      <button class="second tiny">{icon('again')}Post it again</button>
    </form>
  )
  const next = isDue
    ? 'It is posted now.'
    : nextAttemptAt !== undefined && <>The next attempt is in {span(nextAttemptAt - now)}.</>
  const more = (attempts[0]?.seq ?? 1) - 1
  return (
    <section class="sheet">
      <div class="head">
        <h2>Callback</h2>
        {callbackMark(state)}
        <span class="soft small">
          <span class="mono">{shownUrl(url)}</span>
        </span>
        {operator.role === 'act' && !isDue && <span class="end">{again}</span>}
      </div>
      {(next || attempts.length === 0) && (
        <p class="soft">
          {attempts.length === 0 && 'It was not posted yet. '}
          {next}
        </p>
      )}
      {attempts.toReversed().map((attempt, index) => attemptFold(attempt, index === 0))}
      {more > 0 && <p class="soft">And {more} before these.</p>}
    </section>
  )
}

function attemptFold(attempt: Attempt & { startedAt: number }, open: boolean): Markup {
  const { errorClass, seq, startedAt, reply } = attempt
  const mark =
    errorClass === null ? (
      <span class="state good">
        {icon('disc')}
        <span class="word">Delivered</span>
      </span>
    ) : (
      <span class="state bad">
        {icon('cross')}
        <span class="word">Failed</span>
      </span>
    )
  return (
    <details open={open}>
      <summary>
        {mark}
        <span class="soft">attempt {seq}</span>
        <span class="nums">{answerInShort(attempt)}</span>
      </summary>
      <p class="soft small">{dayAndTime(startedAt)}</p>
      <div class="code wrap">
        <pre tabindex={0}>
          {answerWords(attempt)}
          {reply !== null && reply !== '' && (
            <>
              {'\n\n'}
              <bdi>{reply}</bdi>
            </>
          )}
        </pre>
      </div>
    </details>
  )
}
