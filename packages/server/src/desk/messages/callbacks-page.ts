import type { AccountRow } from '../../accounts/index.ts'
import { type LoggedCallback, MOST_REPLAYS } from '../../callbacks/index.ts'
import type { EpochMs } from '../../domain/ids.ts'
import { several } from '../../pages/count.ts'
import { listTime } from '../../pages/times.ts'
import { answerCell, shownUrl } from '../../pages/widgets/answer.ts'
import { phoneNumber } from '../../pages/widgets/phone.ts'
import { markup } from '../../platform/pages/markup.ts'
import type { Page, Visit } from '../frame/visit.ts'
import { ending, hiddenFields } from '../widgets/form.ts'
import { upTo } from './list-page.ts'
import { nothing } from './waiting-page.ts'
import { customer, pathOf, ROWS, tableSheet } from './words.ts'

/** Counting stops here. */
export const MOST_COUNTED = 10_000

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
    return markup`<tr><td class="num left">${listTime(createdAt, now)}</td><th scope="row" class="plain"><a href="${pathOf(messageId)}">${recipient === '' ? messageId : phoneNumber(recipient)}</a></th><td class="num">${last?.seq ?? 0}</td><td>${last ? answerCell(last) : '–'}</td><td class="mono small">${shownUrl(url)}</td><td>${customer(accountId, accounts)}</td></tr>`
  })
  const pages =
    (!isFirst || callbacks.length > ROWS) &&
    markup`${!isFirst && markup`<a href="/messages/callbacks">The newest</a>`}${callbacks.length > ROWS && markup`<a class="end" href="/messages/callbacks?before=${shown.at(-1)?.id ?? ''}">Older ones</a>`}`
  const mayAct = operator.role === 'act' && rows.length > 0
  return {
    title: 'Callbacks that were given up',
    place: 'messages',
    body: markup`<div class="head"><h1>Callbacks that were given up</h1><span class="end">${mayAct && markup`<a class="button" href="/messages/callbacks/replay">Post them all again</a>`}<a href="/messages">All lists</a></span></div>
${done && markup`<div class="note good" role="status"><p>${several(done.replayed, 'callback is', 'callbacks are')} posted again, within seconds.${done.skipped > 0 && ` ${several(done.skipped, 'was', 'were')} left: posted again ${MOST_REPLAYS} times today already.`}</p></div>`}
${rows.length === 0 ? nothing('No callback was given up.') : tableSheet({ label: 'Callbacks that were given up, newest first', head: ['Made', 'About', { num: 'Attempts' }, 'Last answer', 'Receiver', 'Customer'], rows, pages })}`,
  }
}

/** Says how many are posted again, before they are. */
export function replayPage({ form }: Visit, sum: { callbacks: number; accounts: number }): Page {
  return {
    title: 'Post them again',
    place: 'messages',
    middle: true,
    body: markup`<div class="head"><h1>Post all callbacks again that were given up?</h1></div>
<section class="sheet narrow"><p>That ${sum.callbacks === 1 ? 'is' : 'are'} ${upTo(sum.callbacks, MOST_COUNTED)} of ${several(sum.accounts, 'customer')}. The gateways post them at once, and each gets a new plan of attempts. One that was posted again ${MOST_REPLAYS} times today is left.</p>
<form method="post" action="/messages/callbacks/replay">${hiddenFields(form, {})}${ending(markup`<button>Post them again</button>`, '/messages/callbacks')}</form></section>`,
  }
}
