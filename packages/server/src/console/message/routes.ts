import type { CarrierVerdict } from '../../delivery/index.ts'
import type { Ticket } from '../../domain/ids.ts'
import { markup } from '../../platform/pages/markup.ts'
import { goTo } from '../../platform/pages/reply.ts'
import type { Pages } from '../frame/pages.ts'
import type { Page, Visit } from '../frame/visit.ts'
import { inboxColumn } from '../inbox/page.ts'
import { createReadInbox } from '../inbox/read.ts'
import type { ConsoleParts } from '../parts.ts'
import { missingPage, unlessMissing } from '../widgets/missing.ts'
import { messagePane } from './page.ts'
import { createReadMessage } from './read.ts'
import { FAILURES } from './tell-form.ts'

const ROWS = 60

/** A message, beside the list that it was opened from. */
export function mountMessage(pages: Pages, parts: ConsoleParts): void {
  const { history, sandbox } = parts
  const readInbox = createReadInbox(parts, parts.searches)
  const readMessage = createReadMessage(parts)

  pages.show('/messages/:ticket', 'read', async (visit) => {
    const { principal, may, form } = visit
    const open = await unlessMissing(readMessage(principal, ticketOf(visit)))
    if (!open) return noSuchMessage()
    const { recipient, id } = open.message
    const q = (visit.c.req.query('q') ?? '').trim()
    const page = await readInbox(principal, q, { cursor: undefined, limit: ROWS })
    const list = await inboxColumn(visit, { q, cursor: undefined, open: id }, page, parts)
    const pane = messagePane({ ...open, q, form, may, canTell: sandbox !== undefined && may('build') })
    return {
      title: `To ${recipient}`,
      place: 'inbox',
      body: markup`<div class="split beside"><div class="others">${list}</div><article class="pane">${pane}</article></div>`,
    }
  })

  if (sandbox) {
    pages.change('/messages/:ticket/tell', { right: 'build' }, async (visit, form) => {
      const asked = history.queries.walletMessage(visit.principal, ticketOf(visit))
      const message = await unlessMissing(asked)
      if (!message) return noSuchMessage()
      const verdict = verdictOf(form)
      // A message that has ended meanwhile would get a second receipt, a late one.
      if (verdict && message.status === 'pending') await sandbox.tell(visit.principal, message.id, verdict)
      return goTo(addressOf(message.id, form.get('q') ?? ''))
    })
  }
}

function ticketOf({ c }: Visit): string {
  return c.req.param('ticket') ?? ''
}

function addressOf(ticket: Ticket, q: string): string {
  return `/messages/${ticket}${q === '' ? '' : `?${new URLSearchParams({ q })}`}`
}

function noSuchMessage(): Page {
  return missingPage({ what: 'message', place: 'inbox' })
}

/** The receipt that the sandbox's form asks for. */
function verdictOf(form: URLSearchParams): CarrierVerdict | undefined {
  return form.get('verdict') === 'success' ? 'success' : FAILURES.find((one) => one === form.get('how'))
}
