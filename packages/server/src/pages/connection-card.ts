import type { EpochMs } from '../domain/ids.ts'
import { formatAmount } from '../domain/money.ts'
import type { ConnectionLimits, ConnectionView } from '../gateway/connections.ts'
import type { FormTicket } from './form-ticket.ts'
import { ticketField } from './layout.ts'
import { limitsFields, limitsWrong } from './limits-fields.ts'
import { type LimitValues, writtenLimits } from './limits-form.ts'
import { type Markup, markup } from './markup.ts'
import { passwordField, type SendingErrors } from './password-field.ts'
import { clientName, LONGEST_ADDRESS, theirWords } from './their-words.ts'
import { moment } from './times.ts'

/** Limits of a connection that were sent and can't be taken, to be typed again. */
export interface RefusedLimits {
  id: string
  values: LimitValues
  errors: SendingErrors
}

/** The address that a form about a connection is posted to. */
export type ActOn = (id: string, what: 'limits' | 'revoke') => string

export interface ConnectionCard {
  connection: ConnectionView
  now: EpochMs
  form: FormTicket
  actOn: ActOn
  askPassword: boolean
  refused: RefusedLimits | undefined
}

const MOST_SHOWN = 6

/** What one assistant may do and has done today, with the forms that change and end it. */
export function connectionCard(card: ConnectionCard): Markup {
  const { connection, now } = card
  const { id, redirectHost, createdAt, lastUsedAt, limits } = connection
  return markup`<section class="sheet" id="c-${id}" aria-labelledby="n-${id}">
<h2 id="n-${id}">${clientName(connection.clientName)}</h2>
<p class="soft"><bdi>${theirWords(redirectHost, LONGEST_ADDRESS)}</bdi><br>
Connected ${moment(createdAt, now)}<br>
${lastUsedAt === undefined ? 'Never used' : markup`Last used ${moment(lastUsedAt, now)}`}</p>
${limits ? used(connection, limits) : onlyReads}
<div class="folds">
${limits && limitsForm(card, limits)}
${revokeForm(card)}
</div>
</section>
`
}

const onlyReads = markup`<p><strong>It may only read.</strong> To let it send, revoke its access and connect it again.</p>`

function used(
  { wallet: { currency }, today }: ConnectionView,
  { dailySpend, dailyMessages, recipients }: ConnectionLimits,
): Markup {
  return markup`<div class="use">
<div><p>Spent today<br><strong>${currency} ${formatAmount(today.spent)}</strong> <span class="soft">of ${currency} ${formatAmount(dailySpend)}</span></p>
${bar(today.spent, dailySpend)}</div>
<div><p>Messages today<br><strong>${today.messages}</strong> <span class="soft">of ${dailyMessages}</span></p>
${bar(today.messages, dailyMessages)}</div>
</div>
<p class="to">May send to ${recipients ? listed(recipients) : markup`<strong>everybody</strong>`}</p>`
}

/** The same as the words above it: nothing new for whoever listens to the page. */
function bar(value: number, most: number): Markup {
  const full = value >= most
  return markup`<progress aria-hidden="true" value="${full ? 1 : value}" max="${full ? 1 : most}"${full && markup` class="full"`}></progress>`
}

function listed(recipients: readonly string[]): Markup {
  const more = recipients.length - MOST_SHOWN
  const shown = recipients
    .slice(0, MOST_SHOWN)
    .map((rule, index) => markup`${index > 0 && ', '}<code>${rule}</code>`)
  return markup`${shown}${more > 0 && ` and ${more} more`}`
}

function limitsForm(card: ConnectionCard, limits: ConnectionLimits): Markup {
  const { connection, form, actOn, askPassword, refused } = card
  const { id, wallet } = connection
  const errors = refused?.errors ?? {}
  return markup`<details${refused && markup` open`}>
<summary>Change limits</summary>
<form method="post" action="${actOn(id, 'limits')}" class="fold">
${ticketField(form)}
${limitsWrong(id, errors, 'The limits are as they were.')}
${limitsFields({ id, currency: wallet.currency, values: refused?.values ?? writtenLimits(limits), errors })}
${askPassword && passwordField(id, errors)}
<button>Save limits</button>
</form>
</details>`
}

function revokeForm({ connection: { id, clientName: name }, form, actOn }: ConnectionCard): Markup {
  return markup`<details>
<summary class="careful">Revoke access</summary>
<form method="post" action="${actOn(id, 'revoke')}" class="fold">
${ticketField(form)}
<p>${clientName(name)} will lose its access at once. Messages that it has scheduled already are still sent. To let it in again, connect it again.</p>
<button class="danger">Yes, revoke its access</button>
</form>
</details>`
}
