import type { Context } from 'hono'
import type { Problem } from '../../kernel/errors.ts'
import { note } from '../server/body.ts'
import { layout } from './layout.tsx'
import type { Markup } from './markup.ts'
import { pageReply, type ReplyOptions, withKept } from './reply.ts'

export interface ErrorView {
  title: string
  text: string
  /** The id of the error in the log. */
  id?: string
  /** Where the reader can go next. */
  link?: { href: string; text: string }
}

/** Renders an error page. */
export function errorPage(view: ErrorView): string {
  return layout({ title: view.title, body: errorSheet(view) })
}

/** The sheet of an error page, for frames that have a look of their own. */
export function errorSheet({ title, text, id, link }: ErrorView): Markup {
  return (
    <div class="sheet">
      <h1>{title}</h1>
      <p>{text}</p>
      {id !== undefined && <p class="soft">{quoted(id)}</p>}
      {link && (
        <p>
          <a class="button" href={link.href}>
            {link.text}
          </a>
        </p>
      )}
    </div>
  )
}

/** By this id, support finds an error in the log. */
export function quoted(id: string): Markup {
  return (
    <>
      To ask about it, quote <code>{id}</code>.
    </>
  )
}

export interface Failures {
  /** The problem that an API caller would get for an error; undefined for an unexpected error. */
  problemOf(error: unknown): Problem | undefined
  /** Called with every unexpected error. Returns the id that the log has. */
  onFault(error: unknown): string
}

const LATER = 'The service can’t answer right now. Please try again in a moment.'
const TOO_OFTEN = 'That was too often within a short time. Please try again in a moment. Nothing was done.'
export const OUR_FAULT = 'Something went wrong here, and it is not your fault. Please try again in a while.'

/** Puts an error page into the frame that people see around it. */
type Dress = (c: Context, view: ErrorView, reply: ReplyOptions) => Response | Promise<Response>

const plain: Dress = (_, view, reply) => pageReply(errorPage(view), reply)

/** Turns an error into an error page, which links to `home`. Shows people fewer details than a problem shows programs. */
export function failurePages(
  { problemOf, onFault }: Failures,
  home = '/messages',
  dress: Dress = plain,
): (error: unknown, c: Context) => Promise<Response> {
  return async function failurePage(error, c) {
    const problem = problemOf(error)
    const id = problem ? undefined : onFault(error)
    if (id !== undefined) note(c, { requestId: id })
    const { status, headers } = problem ?? { status: 500, headers: {} }
    const tooLarge = problem?.code === 'body_too_large' && `${problem.message} Nothing was done.`
    const view = {
      title: tooLarge ? 'This form is too large' : 'That did not work',
      text: tooLarge || textOf(status),
      ...(id !== undefined && { id }),
      link: { href: home, text: 'Try again' },
    }
    return withKept(c, await dress(c, view, { status, headers }))
  }
}

function textOf(status: number): string {
  if (status === 503) return LATER
  return status === 429 ? TOO_OFTEN : OUR_FAULT
}
