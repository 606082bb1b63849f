import { clientName } from '../../../assistants/index.ts'
import type { EpochMs } from '../../../kernel/ids.ts'
import { isFinal } from '../../../kernel/message.ts'
import type { SentBy } from '../../../messages/history/index.ts'
import type { MessageRow } from '../../../messages/index.ts'
import type { Attributes, Markup } from '../../../net/pages/markup.ts'
import { listTime } from '../../times.tsx'
import { costCell } from '../../widgets/money.tsx'
import { phoneNumber } from '../../widgets/phone.tsx'
import { type CallbackState, callbackMark, statusMark } from '../../widgets/state.tsx'

export interface ListView extends Omit<RowPlace, 'open'> {
  currency: string
  rows: readonly ListedMessage[]
  /** The message that is open beside the list. */
  open?: string | undefined
  /** Where older messages are; undefined on the last page. */
  older: string | undefined
  /** Where the newest messages are, when these are older ones. */
  newest?: string | undefined
  exportHref: string
  /** New messages come in by themselves: on the first page alone. */
  live?: boolean
}

/** The table of messages. Without rows it is not shown, and there for the first that comes in. */
export function messageList(view: ListView): Markup {
  const { rows, open, currency, older, newest, exportHref, live, ...place } = view
  return (
    <div class="sheet flush">
      <table class="list cards" role="table">
        <caption class="unseen">Messages, newest first</caption>
        <thead role="rowgroup">
          <tr role="row">
            <th role="columnheader" scope="col" class="w-state">
              Status
            </th>
            <th role="columnheader" scope="col" class="w-phone">
              To
            </th>
            <th role="columnheader" scope="col" class="widest w-name">
              From
            </th>
            <th role="columnheader" scope="col">
              Text
            </th>
            <th role="columnheader" scope="col" class="vast w-number num">
              Segments
            </th>
            <th role="columnheader" scope="col" class="vast w-name">
              Callback
            </th>
            <th role="columnheader" scope="col" class="w-number num">
              {currency}
            </th>
            <th role="columnheader" scope="col" class="w-time num">
              Time, UTC
            </th>
          </tr>
        </thead>
        <tbody role="rowgroup" id="rows" {...(live && liveData(place.q, rows))}>
          {rows.map((row) => messageRow(row, { ...place, open: row.id === open }))}
        </tbody>
      </table>
      <div class="pages">
        <a href={exportHref}>Export CSV</a>
        <span class="end">
          {newest !== undefined && <a href={newest}>Newest messages</a>}
          {older !== undefined && (
            <a id="older" href={older}>
              Older messages
            </a>
          )}
        </span>
      </div>
    </div>
  )
}

/** Attributes for the live stream's script: the address of the stream, and the newest message on the page. */
export function liveData(q: string, [newest]: readonly ListedMessage[]): Attributes {
  return { 'data-live': liveAddress(q), 'data-last': newest?.id ?? '' }
}

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
  return (
    <tr role="row" id={`m-${id}`} aria-current={open ? 'true' : undefined}>
      <td role="cell" class="cell-state">
        {statusMark(status)}
      </td>
      <td role="cell" class="cell-to">
        <a class="go" href={href}>
          {phoneNumber(recipient)}
        </a>
        {network !== null && <span class="network wide">{network}</span>}
      </td>
      <td role="cell" class="widest">
        <bdi>{sender}</bdi>
      </td>
      {textCell(text, message)}
      <td role="cell" class="vast num">
        {segments}
      </td>
      <td role="cell" class="vast cell-callback">
        {callbackCell(message)}
      </td>
      <td role="cell" class="num cell-cost">
        {costCell({ held: !isFinal(status), price, cost })}
      </td>
      <td role="cell" class="num cell-time">
        {listTime(createdAt, now)}
      </td>
    </tr>
  )
}

interface RowPlace {
  now: EpochMs
  /** The filter that the list is under. */
  q: string
  /** Whether the message is open beside the list. */
  open: boolean
}

/** In place of a text, for who does not see texts: a message always has one. */
export const NOT_SHOWN = 'not shown to your role'

/** The text, behind the name of who sent it, unless that was the API. */
function textCell(text: string, { by }: ListedMessage): Markup {
  if (text === '')
    return (
      <td role="cell" class="cell-text soft">
        {NOT_SHOWN}
      </td>
    )
  if (!by || by.kind === 'api')
    return (
      <td role="cell" class="cell-text" dir="auto">
        {text}
      </td>
    )
  return (
    <td role="cell" class="cell-text">
      <span class="soft">{sentByName(by)}: </span>
      <bdi dir="auto">{text}</bdi>
    </td>
  )
}

function callbackCell({ callback, callbackUrl }: ListedMessage): Markup {
  if (callback) return callbackMark(callback)
  const word = callbackUrl === null ? 'none' : 'not yet'
  return (
    <>
      <span class="soft" aria-hidden="true">
        –
      </span>
      <span class="unseen">{word}</span>
    </>
  )
}

/** Who sent a message, in a word or a name. */
function sentByName(by: SentBy | undefined): Markup {
  if (!by) return <span class="soft">not known</span>
  const { kind, name } = by
  if (kind === 'api') return <>API</>
  if (name === undefined) return kind === 'person' ? FORGOTTEN : <>an assistant</>
  return kind === 'person' ? <bdi>{name}</bdi> : clientName(name)
}

const FORGOTTEN: Markup = <>somebody who was forgotten</>

/** The same with what it is. */
export function sentByInFull(by: SentBy | undefined): Markup {
  if (by?.kind === 'api')
    return (
      <>
        the API, with the client ID <bdi class="mono">{by.name}</bdi>
      </>
    )
  return by?.kind === 'assistant' ? <>the assistant {sentByName(by)}</> : sentByName(by)
}

/** The address of the inbox under a filter, and of a page of it. */
export function inboxAddress(q: string, cursor?: string): string {
  return `/messages${parameters({ q, cursor })}`
}

/** The address of a filter's messages as a file. */
export function exportAddress(q: string): string {
  return `/messages.csv${parameters({ q })}`
}

/** Where the live stream of a filter is. */
function liveAddress(q: string): string {
  return `/messages/live${parameters({ q })}`
}

function parameters(all: Record<string, string | undefined>): string {
  const given = Object.entries(all).filter(([, value]) => value !== undefined && value !== '')
  const query = given.map(([name, value]) => `${name}=${encodeURIComponent(value ?? '')}`).join('&')
  return query === '' ? '' : `?${query}`
}
