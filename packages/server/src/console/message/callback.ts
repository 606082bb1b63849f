import { callbackPayload, isSpent, type LoggedCallback, MOST_REPLAYS } from '../../callbacks/index.ts'
import { isFinal } from '../../domain/message.ts'
import { icon } from '../../pages/icons.ts'
import { type Attempt, answerInShort, answerWords, shownUrl } from '../../pages/widgets/answer.ts'
import { callbackMark } from '../../pages/widgets/state.ts'
import { ticketField } from '../../platform/pages/layout.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import type { PaneView } from './read.ts'

/** Where the end of the message is posted, and every attempt to do so. */
export function callbackSheet(view: PaneView): Markup {
  const { message, callback } = view
  const { callbackUrl, status } = message
  if (callbackUrl === null)
    return markup`<section class="sheet"><h2>Callback</h2><p class="soft">None: the message named no URL.${view.may('build') && markup` <a href="/developers#receive">How to receive them</a>`}</p></section>`
  const where = markup`<span class="mono">${shownUrl(callbackUrl)}</span>`
  if (!callback)
    return markup`<section class="sheet"><h2>Callback</h2><p class="soft">${isFinal(status) ? 'None was kept; it was to be posted to' : 'Posted when the message is final, to'} ${where}</p></section>`
  const folds = callback.attempts
    .toReversed()
    .map((attempt, index) => attemptFold(view, callback, attempt, index === 0))
  const more = (callback.attempts[0]?.seq ?? 1) - 1
  return markup`<section class="sheet"><div class="head"><h2>Callback</h2>${callbackMark(callback.state)}<span class="soft small">${where}</span><span class="end">${replayForm(view, callback)}</span></div>
${folds.length === 0 && markup`<p class="soft">It was not posted yet.</p>`}${folds}${more > 0 && markup`<p class="soft">And ${more} before these.</p>`}</section>`
}

function replayForm({ form, q, now, may }: PaneView, callback: LoggedCallback): Markup | false {
  if (!may('build')) return false
  const { id } = callback
  if (isSpent(callback, now))
    return markup`<span class="soft small">Posted again ${MOST_REPLAYS} times today; possible again after midnight UTC.</span>`
  return markup`<form method="post" action="/callbacks/${id}/replay">${ticketField(form)}<input type="hidden" name="q" value="${q}"><button class="second tiny">${icon('again')}Post it again</button></form>`
}

function attemptFold(view: PaneView, callback: LoggedCallback, attempt: Attempt, open: boolean): Markup {
  const worked = attempt.errorClass === null
  const mark = worked
    ? markup`<span class="state good">${icon('disc')}<span class="word">Delivered</span></span>`
    : markup`<span class="state bad">${icon('cross')}<span class="word">Failed</span></span>`
  return markup`<details${open && markup` open`}><summary>${mark}<span class="soft">attempt ${attempt.seq}</span><span class="nums">${answerInShort(attempt)}</span></summary>
<h3>Sent</h3><div class="code wrap"><pre tabindex="0">${sentText(view, callback, attempt)}</pre></div>
<h3>${attempt.httpStatus === null ? 'What went wrong' : 'Answered'}</h3><div class="code wrap"><pre tabindex="0">${answerWords(attempt)}${replyOf(attempt)}</pre></div></details>`
}

/** What went out. The signature is left out: it is not kept, and making it again would need the secret. */
function sentText({ message }: PaneView, { id }: LoggedCallback, { startedAt }: Attempt): Markup {
  const body = callbackPayload({ ...message, ticket: message.id })
  return markup`webhook-id: ${id}
webhook-timestamp: ${Math.floor(startedAt / 1_000)}
webhook-signature: v1,…

<bdi>${body}</bdi>`
}

function replyOf({ reply }: Attempt): Markup | false {
  return reply !== null && reply !== '' && markup`\n\n<bdi>${reply}</bdi>`
}
