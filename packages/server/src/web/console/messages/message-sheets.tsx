import type { Micros } from '@wigwag/contract'
import { callbackPayload, isSpent, type LoggedCallback, MOST_REPLAYS } from '../../../callbacks/index.ts'
import { isFinal, settlementOf } from '../../../kernel/message.ts'
import { fillOf, type Segmentation, segmentsInWords, segmentsOf } from '../../../kernel/text/segments.ts'
import { ticketField } from '../../../net/pages/layout.tsx'
import type { Markup } from '../../../net/pages/markup.ts'
import { icon } from '../../icons.tsx'
import { phoneTime } from '../../times.tsx'
import { type Attempt, answerInShort, answerWords, wholeUrl } from '../../widgets/answer.tsx'
import { amountOf, changeOf, money } from '../../widgets/money.tsx'
import { phone } from '../../widgets/phone.tsx'
import { callbackMark } from '../../widgets/state.tsx'
import { NOT_SHOWN } from './list.tsx'
import type { OpenMessage, PaneView } from './message-read.ts'

/** The text as a phone shows it, with what it takes. */
export function phoneSheet(view: OpenMessage): Markup {
  const { sender, content, encoding, segments } = view.message
  if (content === '')
    return (
      <section class="sheet">
        <h2>Text</h2>
        <p class="soft">
          It is {NOT_SHOWN}: {segmentsInWords(segments)}, {encoding}.
        </p>
      </section>
    )
  const { used } = fillOf(content, { encoding, segments })
  const characters = used === 1 ? '1 character' : `${used.toLocaleString('en')} characters`
  const below = (
    <small>
      {characters}, {segmentsInWords(segments)}, {encoding}
      {because(content, encoding)}
    </small>
  )
  return (
    <section class="sheet" aria-label="On the phone">
      {phone({ sender, time: arrival(view), content, encoding, below })}
    </section>
  )
}

function because(content: string, encoding: Segmentation['encoding']): Markup | false {
  const { unicodeCause } = segmentsOf(content)
  if (encoding === 'GSM-7' || unicodeCause === undefined) return false
  const code = (unicodeCause.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
  return (
    <>
      {' '}
      because of <bdi>{unicodeCause}</bdi> (U+{code})
    </>
  )
}

function arrival({ message: { status, effectedAt, sendAt }, now }: OpenMessage): Markup | string {
  if (status === 'success') return phoneTime(effectedAt, now)
  if (status === 'scheduled') return <>goes out {phoneTime(sendAt, now)}</>
  return isFinal(status) ? 'not delivered' : 'not on the phone yet'
}

interface Sum {
  what: Markup | string
  amount: string
  total?: true
}

/** The message's money: held until it is final, then charged or released. */
export function moneySheet(view: OpenMessage): Markup {
  const caption = isFinal(view.message.status) ? 'What the message cost' : 'What the message holds'
  const rows = sumsOf(view).map(({ what, amount, total }) => (
    <tr class={total ? 'line' : undefined}>
      <th scope="row">{what}</th>
      <td class="num">{amount}</td>
    </tr>
  ))
  return (
    <section class="sheet">
      <h2>Money</h2>
      <table class="sums nums">
        <caption class="unseen">{caption}</caption>
        <tbody>{rows}</tbody>
      </table>
    </section>
  )
}

function sumsOf({ message, wallet, currency }: OpenMessage): Sum[] {
  const { status, balanceBefore, balanceAfter, segments, price, cost } = message
  const whole = (amount: Micros) => money(amount, currency)
  const times = (
    <>
      {' '}
      <span class="soft">
        {segments} × {amountOf(price / segments)}
      </span>
    </>
  )
  if (!isFinal(status))
    return [
      { what: 'Posted balance', amount: whole(wallet.posted) },
      { what: <>Held for this message{times}</>, amount: amountOf(price) },
      { what: 'Charged so far', amount: `${currency} 0`, total: true },
    ]
  const before = { what: 'Posted balance before', amount: whole(balanceBefore) }
  const after = { what: 'Posted balance after', amount: whole(balanceAfter), total: true } as const
  if (settlementOf(status) === 'post')
    return [before, { what: <>Charged{times}</>, amount: changeOf(cost, false) }, after]
  const released = { what: <>Held, then released{times}</>, amount: amountOf(price) }
  return [before, released, { what: 'Charged', amount: '0' }, after]
}

/** Where the end of the message is posted, and every attempt to do so. */
export function callbackSheet(view: PaneView): Markup {
  const { message, callback } = view
  const { callbackUrl, status } = message
  if (callbackUrl === null)
    return (
      <section class="sheet">
        <h2>Callback</h2>
        <p class="soft">
          None: the message named no URL.
          {view.may('build') && (
            <>
              {' '}
              <a href="/developers#receive">How to receive them</a>
            </>
          )}
        </p>
      </section>
    )
  const where = wholeUrl(callbackUrl)
  if (!callback)
    return (
      <section class="sheet">
        <h2>Callback</h2>
        <p class="soft">
          {isFinal(status) ? 'None was kept; it was to be posted to' : 'Posted when the message is final, to'}{' '}
          {where}
        </p>
      </section>
    )
  const folds = callback.attempts
    .toReversed()
    .map((attempt, index) => attemptFold(view, callback, attempt, index === 0))
  const more = (callback.attempts[0]?.seq ?? 1) - 1
  return (
    <section class="sheet">
      <div class="head">
        <h2>Callback</h2>
        {callbackMark(callback.state)}
        <span class="soft small">{where}</span>
        <span class="end">{replayForm(view, callback)}</span>
      </div>
      {folds.length === 0 && <p class="soft">It was not posted yet.</p>}
      {folds}
      {more > 0 && <p class="soft">And {more} before these.</p>}
    </section>
  )
}

function replayForm({ form, q, now, may }: PaneView, callback: LoggedCallback): Markup | false {
  if (!may('build')) return false
  const { id } = callback
  if (isSpent(callback, now))
    return (
      <span class="soft small">
        Posted again {MOST_REPLAYS} times today; possible again after midnight UTC.
      </span>
    )
  return (
    <form method="post" action={`/callbacks/${id}/replay`}>
      {ticketField(form)}
      <input type="hidden" name="q" value={q} />
      <button class="second tiny">{icon('again')}Post it again</button>
    </form>
  )
}

function attemptFold(view: PaneView, callback: LoggedCallback, attempt: Attempt, open: boolean): Markup {
  const worked = attempt.errorClass === null
  const mark = worked ? (
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
        <span class="soft">attempt {attempt.seq}</span>
        <span class="nums">{answerInShort(attempt)}</span>
      </summary>
      <h3>Sent</h3>
      <div class="code wrap">
        <pre tabindex={0}>{sentText(view, callback, attempt)}</pre>
      </div>
      <h3>{attempt.httpStatus === null ? 'What went wrong' : 'Answered'}</h3>
      <div class="code wrap">
        <pre tabindex={0}>
          {answerWords(attempt)}
          {replyOf(attempt)}
        </pre>
      </div>
    </details>
  )
}

/** The request that was posted. Its signature is not kept, and making it again would need the secret. */
function sentText({ message }: PaneView, { id }: LoggedCallback, { startedAt }: Attempt): Markup {
  const body = callbackPayload({ ...message, ticket: message.id })
  return (
    <>
      {`webhook-id: ${id}\nwebhook-timestamp: ${Math.floor(startedAt / 1_000)}\nwebhook-signature: v1,…\n\n`}
      <bdi>{body}</bdi>
    </>
  )
}

function replyOf({ reply }: Attempt): Markup | false {
  return (
    reply !== null &&
    reply !== '' && (
      <>
        {'\n\n'}
        <bdi>{reply}</bdi>
      </>
    )
  )
}
