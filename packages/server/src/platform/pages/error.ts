import type { Problem } from '../../domain/errors.ts'
import { layout } from './layout.ts'
import { markup } from './markup.ts'
import { pageReply } from './reply.ts'

export interface ErrorView {
  title: string
  text: string
  /** Where the reader can go next. */
  link?: { href: string; text: string }
}

/** Renders an error page. */
export function errorPage({ title, text, link }: ErrorView): string {
  const body = markup`<div class="sheet">
<h1>${title}</h1>
<p>${text}</p>
${link && markup`<p><a class="button" href="${link.href}">${link.text}</a></p>`}
</div>`
  return layout({ title, body })
}

export interface Failures {
  /** The problem that an API caller would get for an error; undefined for an unexpected error. */
  problemOf(error: unknown): Problem | undefined
  /** Called with every unexpected error. */
  onFault(error: unknown): void
}

const LATER = 'The service can’t answer right now. Please try again in a moment.'
export const OUR_FAULT = 'Something went wrong here, and it is not your fault. Please try again in a while.'

/** Turns an error into an error page. Shows people fewer details than a problem shows programs. */
export function failurePages({ problemOf, onFault }: Failures): (error: unknown) => Response {
  return function failurePage(error) {
    const problem = problemOf(error)
    if (!problem) onFault(error)
    const { status, headers } = problem ?? { status: 500, headers: {} }
    const page = errorPage({
      title: 'That did not work',
      text: status === 503 ? LATER : OUR_FAULT,
      link: { href: '/messages', text: 'Try again' },
    })
    return pageReply(page, { status, headers })
  }
}
