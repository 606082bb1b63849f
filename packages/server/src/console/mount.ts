import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { errorPage } from '../pages/error.ts'
import { LARGEST_FORM } from '../pages/posted-form.ts'
import { pageReply } from '../pages/reply.ts'
import { mountConnections } from './connections.ts'
import type { ConsoleOptions } from './options.ts'
import { formTooLarge } from './refusals.ts'
import { mountSignIn } from './sign-in.ts'

/** The pages of the portal. What goes wrong in them is a page as well. */
export function mountConsole(app: Hono, options: ConsoleOptions): void {
  const portal = new Hono()
  const limit = bodyLimit({ maxSize: LARGEST_FORM, onError: formTooLarge })
  portal.post('/sign-in', limit)
  portal.post('/sign-out', limit)
  portal.post('/connections/*', limit)
  mountSignIn(portal, options)
  mountConnections(portal, options)
  portal.onError((error) => {
    const problem = options.problemOf(error)
    if (!problem) options.onFault(error)
    return failed(problem?.status ?? 500, problem?.headers ?? {})
  })
  app.route('/', portal)
}

/** A page for people says less than a problem for programs. */
function failed(status: number, headers: Record<string, string>): Response {
  const text =
    status === 503
      ? 'The service can’t answer right now. Please try again in a moment.'
      : 'Something went wrong here, and it is not your fault. Please try again in a while.'
  const page = errorPage({
    title: 'That did not work',
    text,
    link: { href: '/connections', text: 'Try again' },
  })
  return pageReply(page, { status, headers })
}
