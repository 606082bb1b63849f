import type { Micros } from '@wigwag/contract'
import { parseAmount, ZERO } from '@wigwag/contract'
import type { AccountSecrets } from '../../accounts/index.ts'
import { enteredCurrency, enteredEmail, enteredName } from '../../domain/entered.ts'
import { checkSender } from '../../domain/sender.ts'
import type { Membership } from '../../people/index.ts'
import { field } from '../../platform/pages/forms.ts'
import { ticketField } from '../../platform/pages/layout.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import type { Page, Visit } from '../frame/visit.ts'
import { type Entered, type Problems, readFields } from '../widgets/fields.ts'
import { ending } from '../widgets/form.ts'
import { money } from '../widgets/money.ts'
import { signInNote } from './sign-in-note.ts'

const FIELDS = [
  { name: 'name', label: 'Name', hint: 'What the customer is called here and in the console' },
  { name: 'email', label: 'E-mail', hint: 'Its owner signs in to the console with it' },
  { name: 'currency', label: 'Currency', hint: 'Of the wallet, for good: such as GHS' },
  { name: 'balance', label: 'First balance', hint: 'In that currency, such as 50 or 0.045' },
  { name: 'senders', label: 'Sender IDs', hint: 'Approved at once, with commas between them; may be empty' },
] as const

export const EMPTY: Problems = { currency: 'GHS', balance: '0' }

export interface NewCustomer {
  name: string
  email: string
  currency: string
  balance: Micros
  senders: string[]
}

export function readNew(form: URLSearchParams): Entered<NewCustomer> {
  return readFields(form, {
    name: enteredName,
    email: (text) => enteredEmail(text.trim()),
    currency: (text) => enteredCurrency(text.trim()),
    balance: (text) => (text.trim() === '' ? ZERO : parseAmount(text.trim())),
    senders(text) {
      const senders = new Set(text.split(',').map((one) => one.trim()))
      senders.delete('')
      for (const sender of senders) checkSender(sender)
      return [...senders]
    },
  })
}

export function newPage({ form }: Visit, typed: Problems, problems: Problems = {}): Page {
  const isWrong = Object.keys(problems).length > 0
  return {
    title: 'New customer',
    place: 'customers',
    middle: true,
    status: isWrong ? 422 : 200,
    body: markup`<div class="head"><h1>New customer</h1></div>
<section class="sheet narrow"><p>This makes an account with one API client, one wallet and a secret for callbacks. The secrets are shown once, on the next page.</p>
<form method="post" action="/customers/new">${ticketField(form)}${FIELDS.map((each) => input(each, typed[each.name], problems[each.name]))}
${ending(markup`<button>Make the customer</button>`, '/customers')}</form></section>`,
  }
}

function input(
  { name, label, hint }: (typeof FIELDS)[number],
  value: string | undefined,
  error: string | undefined,
): Markup {
  return field(
    { id: name, label, hint, error },
    (ties) =>
      markup`<input class="box" ${ties} name="${name}" value="${value ?? ''}" autocomplete="off" spellcheck="false"${name !== 'senders' && name !== 'balance' && markup` required`}>`,
  )
}

/** The link for the owner, unless nobody can sign in, and the other accounts to which their address signs in. */
export interface OwnerLink {
  link: string | undefined
  signsInTo: readonly Membership[]
}

/** The only time that they are shown. */
export function secretsPage(
  made: NewCustomer,
  secrets: AccountSecrets,
  { link, signsInTo }: OwnerLink,
): Page {
  const rows = [
    ['account', 'Account ID', secrets.accountId],
    ['client', 'Client ID', secrets.clientId],
    ['secret', 'Client secret', secrets.clientSecret],
    ['token', 'Wallet token', secrets.walletToken],
    ['callback', 'Callback secret', secrets.callbackSecret],
  ] as const
  return {
    title: 'The secrets',
    place: 'customers',
    middle: true,
    body: markup`<div class="head"><h1>The secrets of <bdi>${made.name}</bdi></h1></div>
<section class="sheet"><p>The account is there, with ${money(made.balance, made.currency)} and ${made.senders.length === 0 ? 'no sender ID' : markup`the sender IDs <bdi>${made.senders.join(', ')}</bdi>`}. The client secret and the wallet token are shown now and never again: give them to the customer on a safe way.</p>
${rows.map(([id, label, value]) => secretBox(id, label, value))}
${link !== undefined && markup`<h2>How its owner signs in</h2><p>Give this link to <bdi>${made.email}</bdi>. It is good once, for three days, and leads to the console.</p>${secretBox('link', 'The link', link)}${signInNote(made.email, signsInTo)}`}
<p><a class="button second" href="/customers/${secrets.accountId}">I have kept them</a></p></section>`,
  }
}

export function secretBox(id: string, label: string, value: string): Markup {
  return markup`<p class="label" id="${id}-label">${label}</p><div class="code wrap"><pre id="${id}" aria-labelledby="${id}-label">${value}</pre><button class="second tiny" type="button" data-copy="${id}" hidden>Copy<span class="unseen"> the ${label.toLowerCase()}</span></button></div>`
}
