import type { SenderRow } from '../../../accounts/index.ts'
import { Problem } from '../../../kernel/errors.ts'
import type { EpochMs } from '../../../kernel/ids.ts'
import type { OperatorContact } from '../../../kernel/operator-contact.ts'
import { shellText } from '../../../kernel/text/shell.ts'
import { type FormTicket, field } from '../../../net/pages/forms.tsx'
import { ticketField } from '../../../net/pages/layout.tsx'
import type { Markup } from '../../../net/pages/markup.ts'
import { theOperator } from '../../../net/pages/operator.tsx'
import { goTo } from '../../../net/pages/reply.ts'
import { csvReply } from '../../files.ts'
import { listTime } from '../../times.tsx'
import { codeBox } from '../../widgets/code.tsx'
import { senderMark } from '../../widgets/state.tsx'
import { num, tableHead } from '../../widgets/table.tsx'
import type { Pages } from '../frame/pages.tsx'
import type { Page, Visit } from '../frame/visit.tsx'
import type { ConsoleParts } from '../parts.ts'

const PATH = '/sender-ids'

/** The sender IDs of an account, and a form to ask for another. */
export function mountSenders(
  pages: Pages,
  { account: { senders }, clock, operator, sandbox }: ConsoleParts,
): void {
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
      operator,
      operatorCommand:
        sandbox &&
        ((sender) => `npx wigwag sender approve ${shellText(person.accountId)} ${shellText(sender)}`),
    })
    return { ...view, place: 'senders', middle: true, status }
  }
}

/** A refused request, to show its name again. */
interface RefusedSender {
  sender: string
  error: string
}

interface SendersPageView {
  rows: readonly SenderRow[]
  now: EpochMs
  form: FormTicket
  /** Whether the person may ask for one. */
  mayAsk: boolean
  refused: RefusedSender | undefined
  /** The sender ID that was just asked for. */
  asked: SenderRow | undefined
  operator: OperatorContact
  /** The command that approves a sender ID; only in a sandbox. */
  operatorCommand: ((sender: string) => string) | undefined
}

/** Lists an account's sender IDs with their states, and asks for another. */
function sendersPage(view: SendersPageView): { title: string; body: Markup } {
  const { rows, asked, refused } = view
  const body = (
    <>
      <div class="head">
        <h1>Sender IDs</h1>
        <span class="soft">What a message says it is from. Times are UTC.</span>
      </div>
      {refused && (
        <div class="note bad" role="alert">
          <p>
            Nothing was asked for. <a href="#sender">{refused.error}</a>
          </p>
        </div>
      )}
      {asked && (
        <div class="note good" role="status">
          <p>
            {asked.reason === null ? (
              SAID[asked.status]
            ) : (
              <>
                The operator has rejected it before: <bdi>{asked.reason}</bdi>
              </>
            )}
          </p>
        </div>
      )}
      {rows.length > 0 && list(view)}
      {view.mayAsk && request(view)}
      {approval(view)}
    </>
  )
  return { title: refused ? 'Error: Sender IDs' : 'Sender IDs', body }
}

const SAID: Readonly<Record<SenderRow['status'], string>> = {
  pending: 'It waits for the operator now. Until it is approved, messages from it are refused.',
  approved: 'It is approved already: you can send from it.',
  rejected: 'The operator has rejected it before.',
}

function list({ rows, now }: SendersPageView): Markup {
  return (
    <div class="sheet flush">
      <table>
        <caption class="unseen">Sender IDs</caption>
        {tableHead('Sender ID', 'State', num('Asked for'))}
        <tbody>
          {rows.map(({ sender, status, reason, createdAt }) => (
            <tr>
              <th scope="row">
                <bdi>{sender}</bdi>
              </th>
              <td>
                {senderMark(status)}
                {reason !== null && (
                  <>
                    <br />
                    <span class="soft small">
                      <bdi>{reason}</bdi>
                    </span>
                  </>
                )}
              </td>
              <td class="num">{listTime(createdAt, now)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <div class="pages">
        <a href="/sender-ids.csv">Export CSV</a>
      </div>
    </div>
  )
}

const RULE = '1 to 11 letters, digits and spaces, with at least one letter; or 3 to 15 digits.'

function request({ rows, form, refused }: SendersPageView): Markup {
  return (
    <section class="sheet">
      <h2>{rows.length > 0 ? 'Ask for another' : 'Ask for your first sender ID'}</h2>
      <form method="post" action="/sender-ids">
        {ticketField(form)}
        {field({ id: 'sender', label: 'Sender ID', hint: RULE, error: refused?.error }, (ties) => (
          <input
            class="box"
            {...ties}
            name="sender"
            value={refused?.sender ?? ''}
            maxlength={15}
            autocomplete="off"
            spellcheck={false}
            required
          />
        ))}
        <button>Ask for this sender ID</button>
      </form>
    </section>
  )
}

function approval({ rows, operator, operatorCommand }: SendersPageView): Markup {
  const waiting = rows.filter(({ status }) => status === 'pending')
  const shown = operatorCommand && waiting.map(({ sender }) => operatorCommand(sender)).join('\n')
  return (
    <section class="sheet">
      <h2>Who approves</h2>
      <p>
        Only approved ones can send. Networks hold the operator to account for the names that messages come
        from, so each is looked at. About one that waits or was rejected, ask {theOperator(operator)}.
      </p>
      {shown && (
        <>
          <p>In this sandbox that is you. Run this beside the gateway, on its database:</p>
          {codeBox('approve', shown)}
        </>
      )}
    </section>
  )
}
