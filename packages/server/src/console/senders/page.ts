import type { SenderRow } from '../../accounts/index.ts'
import type { EpochMs } from '../../domain/ids.ts'
import { listTime } from '../../pages/times.ts'
import { senderMark } from '../../pages/widgets/state.ts'
import { type FormTicket, field } from '../../platform/pages/forms.ts'
import { ticketField } from '../../platform/pages/layout.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import { codeBox } from '../widgets/code.ts'

/** What was asked for and refused, to show it again. */
export interface RefusedSender {
  sender: string
  error: string
}

export interface SendersPageView {
  rows: readonly SenderRow[]
  now: EpochMs
  form: FormTicket
  /** Whether the person may ask for one. */
  mayAsk: boolean
  refused: RefusedSender | undefined
  /** What was just asked for. */
  asked: SenderRow | undefined
  /** The command that approves a sender ID; only in a sandbox. */
  operatorCommand: ((sender: string) => string) | undefined
}

/** Lists an account's sender IDs with their states, and asks for another. */
export function sendersPage(view: SendersPageView): { title: string; body: Markup } {
  const { rows, asked, refused } = view
  const body = markup`<div class="head"><h1>Sender IDs</h1><span class="soft">What a message says it is from. Times are UTC.</span></div>
${refused && markup`<div class="note bad" role="alert"><p>Nothing was asked for. <a href="#sender">${refused.error}</a></p></div>`}
${asked && markup`<div class="note good" role="status"><p>${asked.reason === null ? SAID[asked.status] : markup`The operator has rejected it before: <bdi>${asked.reason}</bdi>`}</p></div>`}
${rows.length > 0 && list(view)}
${view.mayAsk && request(view)}
${approval(view)}`
  return { title: refused ? 'Error: Sender IDs' : 'Sender IDs', body }
}

const SAID: Readonly<Record<SenderRow['status'], string>> = {
  pending: 'It waits for the operator now. Until it is approved, messages from it are refused.',
  approved: 'It is approved already: you can send from it.',
  rejected: 'The operator has rejected it before. Ask the operator of this service why.',
}

function list({ rows, now }: SendersPageView): Markup {
  return markup`<div class="sheet flush"><table><caption class="unseen">Sender IDs</caption>
<thead><tr><th scope="col">Sender ID</th><th scope="col">State</th><th scope="col" class="num">Asked for</th></tr></thead>
<tbody>${rows.map(
    ({ sender, status, reason, createdAt }) =>
      markup`<tr><th scope="row"><bdi>${sender}</bdi></th><td>${senderMark(status)}${reason !== null && markup`<br><span class="soft small"><bdi>${reason}</bdi></span>`}</td><td class="num">${listTime(createdAt, now)}</td></tr>
`,
  )}</tbody></table>
<div class="pages"><a href="/sender-ids.csv">Export CSV</a></div></div>`
}

const RULE = '1 to 11 letters, digits and spaces, with at least one letter; or 3 to 15 digits.'

function request({ rows, form, refused }: SendersPageView): Markup {
  return markup`<section class="sheet"><h2>${rows.length > 0 ? 'Ask for another' : 'Ask for your first sender ID'}</h2>
<form method="post" action="/sender-ids">${ticketField(form)}
${field(
  { id: 'sender', label: 'Sender ID', hint: RULE, error: refused?.error },
  (ties) =>
    markup`<input class="box" ${ties} name="sender" value="${refused?.sender}" maxlength="15" autocomplete="off" spellcheck="false" required>`,
)}
<button>Ask for this sender ID</button></form></section>`
}

function approval({ rows, operatorCommand }: SendersPageView): Markup {
  const waiting = rows.filter(({ status }) => status === 'pending')
  const shown = operatorCommand && waiting.map(({ sender }) => operatorCommand(sender)).join('\n')
  return markup`<section class="sheet"><h2>Who approves</h2>
<p>The operator of this service looks at each, since networks hold it to account for the names that messages come from. Only approved ones can send.</p>
${shown && markup`<p>In this sandbox that is you. Run this beside the gateway, on its database:</p>${codeBox('approve', shown)}`}</section>`
}
