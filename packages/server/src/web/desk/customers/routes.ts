import type { AccountRow } from '../../../accounts/index.ts'
import { goTo } from '../../../net/pages/reply.ts'
import { beginExport, EXPORTED, exportName, exportRows } from '../../../operate/privacy/index.ts'
import type { ReadOnlyDatabase } from '../../../store/database.ts'
import { fileReply } from '../../files.ts'
import type { Pages } from '../frame/pages.ts'
import { LOOK, type Page, PROVEN, refusal } from '../frame/visit.ts'
import type { DeskParts } from '../parts.ts'
import { mountEdit } from './edit.tsx'
import { mountErase } from './erase.tsx'
import { mountKeys } from './keys.tsx'
import { mountList } from './list.tsx'
import { mountMoney } from './money.tsx'
import { mountNew } from './new.tsx'
import { onCustomer } from './one-customer.tsx'
import { mountCustomer } from './page.tsx'
import { mountPeople } from './people-routes.ts'
import { mountStanding } from './standing.tsx'
import { mountStatement } from './statement.tsx'
import { pathOf } from './words.tsx'

/** The customers: a list, and a page of each with everything that an operator does to it. */
export function mountCustomers(pages: Pages, parts: DeskParts): void {
  mountList(pages, parts)
  mountNew(pages, parts)
  mountCustomer(pages, parts)
  mountStatement(pages, parts)
  mountEdit(pages, parts)
  mountStanding(pages, parts)
  mountExport(pages, parts)
  mountMoney(pages, parts)
  mountKeys(pages, parts)
  mountPeople(pages, parts)
  mountErase(pages, parts)
  mountView(pages, parts)
}

/** Everything of a customer, as a file. */
function mountExport(pages: Pages, parts: DeskParts): void {
  const { database, workOf, config } = parts
  pages.change(
    '/customers/:id/export',
    { ...PROVEN, isFile: true },
    onCustomer(parts, async (account, visit) => {
      const id = await beginExport(workOf(visit.acting), account.id)
      return exportReply(database, id, config.showCarriers)
    }),
  )
}

const CHUNK = 64 * 1_024

/** The rows that the command writes into files, as one file of JSON lines, each with its kind. Read as it is taken. */
function exportReply(database: ReadOnlyDatabase, accountId: string, showCarriers: boolean): Response {
  const chunks = chunksOf(linesOf(database, accountId, showCarriers))
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await chunks.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    async cancel() {
      await chunks.return(undefined)
    },
  })
  return fileReply(body, { name: `wigwag-export-${accountId}.jsonl`, type: 'application/jsonl' })
}

async function* linesOf(
  database: ReadOnlyDatabase,
  accountId: string,
  showCarriers: boolean,
): AsyncGenerator<string> {
  for (const table of EXPORTED)
    for await (const row of exportRows(database, accountId, table, showCarriers))
      yield `${JSON.stringify({ kind: exportName(table), row })}\n`
}

async function* chunksOf(lines: AsyncIterable<string>): AsyncGenerator<Uint8Array, undefined> {
  const encoder = new TextEncoder()
  let text = ''
  for await (const line of lines) {
    text += line
    if (text.length < CHUNK) continue
    yield encoder.encode(text)
    text = ''
  }
  if (text !== '') yield encoder.encode(text)
  return undefined
}

/** A customer's console as its people see it. It can be read, and each page of it is audited before it is shown. */
function mountView(pages: Pages, parts: DeskParts): void {
  const { consoleView, workOf } = parts
  const look = onCustomer(parts, async (account, { c, acting }) => {
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

function noConsole(account: AccountRow): Page {
  return refusal(404, {
    title: 'It has no console',
    text: 'Nobody can sign in to this gateway until WIGWAG_PUBLIC_URL is set.',
    link: { href: pathOf(account), text: 'Back to the customer' },
  })
}
