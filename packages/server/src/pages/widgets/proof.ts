import { type FormTicket, field } from '../../platform/pages/forms.ts'
import { ticketField } from '../../platform/pages/layout.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import { passkeyForm } from './passkey-form.ts'

/** What somebody shows to prove who they are: a passkey's answer, a code, or a password. */
export type Proof = { passkey: string } | { code: string } | { password: string }

const FIELDS = ['passkey', 'code', 'password'] as const

/** What came with a form. */
export function proofIn(form: URLSearchParams): Proof | undefined {
  for (const name of FIELDS) {
    const value = form.get(name) ?? ''
    if (value === '') continue
    if (name === 'passkey') return { passkey: value }
    return name === 'code' ? { code: value } : { password: value }
  }
  return undefined
}

const TICKET = 'form_ticket'

/** Whether a form has more in it than who its person is. */
export function isCarried(form: URLSearchParams): boolean {
  return [...form.keys()].some((name) => name !== TICKET && !FIELDS.some((field) => field === name))
}

export interface ProofRequest {
  /** The ticket of the page. */
  ticket: FormTicket
  /** Where the form goes that waits for it, and what is in that form. */
  action: string
  form: URLSearchParams
  /** Why what was shown did not do. */
  error?: string | undefined
  /** What the person has: where nothing else is there, the password. */
  by: 'password' | 'factor'
  /** What codes are taken, in a sentence. */
  codes?: string
  /** Where the script asks what a passkey is to sign. */
  options: string
  /** Where it goes without. */
  leave: string
}

/** Asks who somebody is before a form is taken, and carries that form along. */
export function proofSheet({ ticket, action, form, error, by, codes, options, leave }: ProofRequest): Markup {
  const carried = [...form].filter(([name]) => ![ticket.name, ...FIELDS].includes(name))
  const hidden = markup`${ticketField(ticket)}${carried.map(
    ([name, value]): Markup => markup`<input type="hidden" name="${name}" value="${value}">`,
  )}`
  return markup`<div class="head"><h1>Is it you?</h1></div>
<section class="sheet narrow"><p>This needs ${by === 'password' ? 'your password' : 'your passkey or a code'} again, because the last time was a while ago.</p>
${error !== undefined && markup`<div class="note bad" role="alert"><p>${error}</p></div>`}
${by === 'password' ? passwordForm(action, hidden) : factorForms(action, hidden, options, codes)}
<p class="soft small"><a href="${leave}">Leave it</a></p></section>`
}

function passwordForm(action: string, hidden: Markup): Markup {
  return markup`<form method="post" action="${action}">${hidden}
${field({ id: 'password', label: 'Your password' }, (ties) => markup`<input class="box" ${ties} type="password" name="password" autocomplete="current-password" required autofocus>`)}
<p><button>Go on</button></p></form>`
}

const CODES = 'From your code generator, or a recovery code.'

/** For a passkey, or a code in its place. */
export function factorForms(action: string, hidden: Markup, options: string, codes = CODES): Markup {
  return markup`${passkeyForm({ action, hidden, options, kind: 'get', button: 'Go on with the passkey' })}
<form method="post" action="${action}">${hidden}
${field({ id: 'code', label: 'Code', hint: codes }, (ties) => markup`<input class="box mono" ${ties} name="code" autocomplete="one-time-code" required>`)}
<p><button class="second">Go on with the code</button></p></form>`
}
