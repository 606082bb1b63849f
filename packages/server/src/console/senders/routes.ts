import type { SenderRow } from '../../accounts/index.ts'
import { Problem } from '../../domain/errors.ts'
import { csvReply } from '../../pages/csv.ts'
import { goTo } from '../../platform/pages/reply.ts'
import type { Pages } from '../frame/pages.ts'
import type { Page, Visit } from '../frame/visit.ts'
import type { ConsoleParts } from '../parts.ts'
import { shellText } from '../widgets/quoting.ts'
import { type RefusedSender, sendersPage } from './page.ts'

const PATH = '/sender-ids'

/** The sender IDs of an account, and a form to ask for another. */
export function mountSenders(pages: Pages, { account: { senders }, clock, sandbox }: ConsoleParts): void {
  pages.show(PATH, 'read', (visit) => page(visit))

  pages.file(`${PATH}.csv`, 'read', async ({ person }) => {
    const rows = await senders.list(person.accountId)
    return csvReply<SenderRow>({
      name: 'sender-ids.csv',
      head: ['sender_id', 'state', 'asked_for'],
      read: async () => ({ items: rows, next: undefined }),
      line: ({ sender, status, createdAt }) => [sender, status, new Date(createdAt).toISOString()],
    })
  })

  pages.change(PATH, { right: 'senders' }, async (visit, form) => {
    const sender = (form.get('sender') ?? '').trim()
    try {
      const { status } = await senders.request(visit.principal, sender)
      return goTo(`${PATH}?asked=${encodeURIComponent(sender)}&state=${status}`)
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      return page(visit, { sender, error: error.message }, error.status)
    }
  })

  async function page(visit: Visit, refused?: RefusedSender, status = 200): Promise<Page> {
    const { c, person, may, form } = visit
    const rows = await senders.list(person.accountId)
    const asked = c.req.query('asked')
    const view = sendersPage({
      rows,
      now: clock.now(),
      form,
      mayAsk: may('senders'),
      refused,
      asked: rows.find(({ sender }) => sender === asked),
      // In a sandbox the person is also the operator.
      operatorCommand:
        sandbox &&
        ((sender) => `npm run wigwag -- sender approve ${shellText(person.accountId)} ${shellText(sender)}`),
    })
    return { ...view, place: 'senders', middle: true, status }
  }
}
