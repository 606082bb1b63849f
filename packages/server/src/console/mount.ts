import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { failurePages } from '../platform/pages/error.ts'
import { LARGEST_FORM } from '../platform/pages/forms.ts'
import { formTooLarge, mountSignIn } from '../portal/index.ts'
import { type ConsoleOptions, mountConnections } from './assistants.ts'

/** Serves sign-in and the pages about connected assistants. Their errors are pages too. */
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
