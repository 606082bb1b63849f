import { Problem } from '../../domain/errors.ts'
import { csvReply } from '../../pages/csv.ts'
import { goTo } from '../../platform/pages/reply.ts'
import type { Pages } from '../frame/pages.ts'
import type { Page, Visit } from '../frame/visit.ts'
import type { ConsoleParts } from '../parts.ts'
import { missingPage, unlessMissing } from '../widgets/missing.ts'
import { scheduledFile } from './file.ts'
import { scheduledPage } from './page.ts'

const ROWS = 60

/** The messages that wait for their time. */
export function mountScheduled(pages: Pages, { sending, clock }: ConsoleParts): void {
  const { scheduled, cancel } = sending.forPages

  pages.show('/scheduled', 'read', (visit) => list(visit))

  pages.file('/scheduled.csv', 'read', async ({ principal }) =>
    csvReply({ ...scheduledFile, read: (cursor) => scheduled(principal, { cursor, limit: 500 }) }),
  )

  pages.change('/scheduled/:ticket/cancel', { right: 'send' }, async (visit) => {
    const { c, principal } = visit
    try {
      const cancelled = await unlessMissing(cancel(principal, c.req.param('ticket') ?? ''))
      return cancelled
        ? goTo('/scheduled?done=cancelled')
        : missingPage({ what: 'message', place: 'scheduled' })
    } catch (error) {
      if (error instanceof Problem && error.code === 'not_cancellable') return list(visit, error.message)
      throw error
    }
  })

  async function list({ c, principal, may, form }: Visit, refused?: string): Promise<Page> {
    const cursor = refused === undefined ? c.req.query('cursor') : undefined
    const { items, next } = await scheduled(principal, { cursor, limit: ROWS })
    const body = scheduledPage({
      form,
      maySend: may('send'),
      messages: items,
      next,
      isFirst: cursor === undefined,
      currency: principal.wallet.currency,
      now: clock.now(),
      refused,
      isDone: c.req.query('done') === 'cancelled',
    })
    return { title: 'Scheduled', place: 'scheduled', status: refused === undefined ? 200 : 409, body }
  }
}
