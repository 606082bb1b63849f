import type { AccountRow } from '../../accounts/index.ts'
import { goTo } from '../../platform/pages/reply.ts'
import { LOOK } from '../frame/guard.ts'
import type { Pages } from '../frame/pages.ts'
import { refusal } from '../frame/refusal.ts'
import type { DeskParts } from '../parts.ts'
import type { One } from './one-customer.ts'
import { pathOf } from './words.ts'

/** A customer's console as its people see it. It can be read, and each page of it is audited before it is shown. */
export function mountView(pages: Pages, { consoleView, workOf }: DeskParts, { on }: One): void {
  const look = on(async (account, { c, acting }) => {
    if (!consoleView) return noConsole(account)
    const base = pathOf(account, '/console')
    const { pathname, search: query } = new URL(c.req.url)
    const path = belowConsole(pathname)
    if (path === '/') return goTo(`${base}/messages`)
    await workOf(acting).operator.view(account.id, path)
    const { method } = c.req
    const cookies = c.req.header('cookie')
    const viewed = { account, base, path, query, method, cookies, back: pathOf(account) }
    return consoleView(viewed)
  })
  pages.show('/customers/:id/console', LOOK, look)
  pages.show('/customers/:id/console/*', LOOK, look)
}

/** `/messages` of `/customers/1/console/messages` */
function belowConsole(pathname: string): string {
  const [, , , , ...below] = pathname.split('/')
  return `/${below.join('/')}`
}

function noConsole(account: AccountRow): Response {
  return refusal(404, {
    title: 'It has no console',
    text: 'Nobody can sign in to this gateway until WIGWAG_PUBLIC_URL is set.',
    link: { href: pathOf(account), text: 'Back to the customer' },
  })
}
