import type { EpochMs } from '../../domain/ids.ts'
import { isFinal } from '../../domain/message.ts'
import type { SentBy } from '../../history/index.ts'
import type { MessageRow } from '../../messages/index.ts'
import { listTime } from '../../pages/times.ts'
import { costCell } from '../../pages/widgets/money.ts'
import { phoneNumber } from '../../pages/widgets/phone.ts'
import { type CallbackState, callbackMark, statusMark } from '../../pages/widgets/state.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import { sentByName } from '../widgets/sent-by.ts'

/** A message as the list shows it. */
export interface ListedMessage extends MessageRow {
  /** Undefined when the message has no callback, or has none yet. */
  callback: CallbackState | undefined
  /** How often its callback was posted. The open message shows each attempt. */
  attempts: number
  /** Undefined when it was accepted before this was stored. */
  by: SentBy | undefined
}

/** How much of a text a row holds; the window cuts it to its own width. */
const SHOWN = 160

/** A message's row, for the page, the live stream and the first run alike. */
export function messageRow(message: ListedMessage, { now, q, open }: RowPlace): Markup {
  const { id, status, recipient, network, sender, content, segments, price, cost, createdAt } = message
  const text = content.length > SHOWN ? `${content.slice(0, SHOWN)}…` : content
  const href = `/messages/${id}${q === '' ? '' : `?q=${encodeURIComponent(q)}`}`
  return markup`<tr role="row" id="m-${id}"${open && markup` aria-current="true"`}><td role="cell" class="cell-state">${statusMark(status)}</td><td role="cell" class="cell-to"><a class="go" href="${href}">${phoneNumber(recipient)}</a>${network !== null && markup`<span class="network wide">${network}</span>`}</td><td role="cell" class="widest"><bdi>${sender}</bdi></td>${textCell(text, message)}<td role="cell" class="widest num">${segments}</td><td role="cell" class="widest cell-callback">${callbackCell(message)}</td><td role="cell" class="num cell-cost">${costCell({ held: !isFinal(status), price, cost })}</td><td role="cell" class="num cell-time">${listTime(createdAt, now)}</td></tr>`
}

export interface RowPlace {
  now: EpochMs
  /** The filter that the list is under. */
  q: string
  /** Whether the message is open beside the list. */
  open: boolean
}

/** The text, behind the name of who sent it, unless that was the API. */
function textCell(text: string, { by }: ListedMessage): Markup {
  if (!by || by.kind === 'api') return markup`<td role="cell" class="cell-text" dir="auto">${text}</td>`
  return markup`<td role="cell" class="cell-text"><span class="soft">${sentByName(by)}: </span><bdi dir="auto">${text}</bdi></td>`
}

function callbackCell({ callback, callbackUrl }: ListedMessage): Markup {
  if (callback) return callbackMark(callback)
  const word = callbackUrl === null ? 'none' : 'not yet'
  return markup`<span class="soft" aria-hidden="true">–</span><span class="unseen">${word}</span>`
}
