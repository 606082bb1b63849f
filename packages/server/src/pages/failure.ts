import { errorPage } from './error.ts'
import { pageReply } from './reply.ts'

/** What a program would be told of the same failure. */
interface Failure {
  status: number
  headers: Record<string, string>
}

const LATER = 'The service can’t answer right now. Please try again in a moment.'
export const OUR_FAULT = 'Something went wrong here, and it is not your fault. Please try again in a while.'

/** A page for people says less than a problem for programs. Without a failure that is known, the fault is ours. */
export function failureReply({ status, headers }: Failure = { status: 500, headers: {} }): Response {
  const page = errorPage({
    title: 'That did not work',
    text: status === 503 ? LATER : OUR_FAULT,
    link: { href: '/connections', text: 'Try again' },
  })
  return pageReply(page, { status, headers })
}
