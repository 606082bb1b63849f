import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { failurePages } from '../pages/failure.ts'
import { LARGEST_FORM } from '../pages/posted-form.ts'
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
  portal.onError(failurePages(options))
  app.route('/', portal)
}
