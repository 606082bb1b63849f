import type { Problem } from '../domain/errors.ts'
import { errorPage } from './error.ts'
import { pageReply } from './reply.ts'

export interface Failures {
  /** What a program would be told of an error; undefined when it is a fault of ours. */
  problemOf(error: unknown): Problem | undefined
  /** Told of every error that is ours. */
  onFault(error: unknown): void
}

const LATER = 'The service can’t answer right now. Please try again in a moment.'
export const OUR_FAULT = 'Something went wrong here, and it is not your fault. Please try again in a while.'

/** A page for people says less than a problem for programs. */
export function failurePages({ problemOf, onFault }: Failures): (error: unknown) => Response {
  return function failurePage(error) {
    const problem = problemOf(error)
    if (!problem) onFault(error)
    const { status, headers } = problem ?? { status: 500, headers: {} }
    const page = errorPage({
      title: 'That did not work',
      text: status === 503 ? LATER : OUR_FAULT,
      link: { href: '/connections', text: 'Try again' },
    })
    return pageReply(page, { status, headers })
  }
}
