import { eventText as textOf } from '../../pages/live/events.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import type { RefusedRequest } from '../../sandbox/index.ts'

/** What a stream tells a page. */
export type LiveEvent =
  /** A message that the page does not show yet: the HTML of its row. */
  | 'row'
  /** A message that has changed: the HTML of its row. */
  | 'row-changed'
  /** How many messages are new, in place of their rows. 501 means more than 500. */
  | 'many'
  /** The balance, as text. */
  | 'purse'
  /** In a sandbox, a request that was refused: the HTML of a note. */
  | 'refused'
  /** The session is over. Other ends of a stream are not announced: the page opens it again. */
  | 'end'

/** An event as it is sent. With an id, a stream that is opened again goes on after that message. */
export const eventText: (event: LiveEvent, data: string, id?: string) => string = textOf

/** Why a request was refused, for a page that waits for its message. */
export function refusedNote({ status, code, detail, requestId }: RefusedRequest): Markup {
  return markup`<div class="note bad" role="status"><p><span class="strong">A request was refused just now: ${status} ${code}.</span> ${detail} <span class="mono soft">${requestId}</span></p></div>`
}
