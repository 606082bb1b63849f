import { field } from '../../platform/pages/forms.ts'
import { ticketField } from '../../platform/pages/layout.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import { passkeyForm } from './passkey-form.ts'
import { placeOf } from './places.ts'
import type { Page, Visit } from './visit.ts'

/** What an operator showed with a form: a passkey's answer, or a code. */
export function proofIn(form: URLSearchParams): { passkey: string } | { code: string } | undefined {
  const [passkey, code] = [form.get('passkey') ?? '', form.get('code') ?? '']
  if (passkey !== '') return { passkey }
  return code === '' ? undefined : { code }
}

export interface ProofAsked {
  /** Where the form goes that waits for it. */
  action: string
  form: URLSearchParams
  /** Why what was shown did not do. */
  refused: 'wrong' | 'locked' | undefined
}

const REFUSALS = {
  wrong: 'That did not fit. Nothing was done yet.',
  locked: 'There were too many wrong codes. Wait a quarter of an hour, or use a passkey. Nothing was done.',
}

/** Asks who the operator is before a form is taken, and carries that form along. */
export function proofPage({ form: ticket }: Visit, { action, form, refused }: ProofAsked): Page {
  const carried = [...form].filter(([name]) => ![ticket.name, 'passkey', 'code'].includes(name))
  const hidden = markup`${ticketField(ticket)}${carried.map(
    ([name, value]): Markup => markup`<input type="hidden" name="${name}" value="${value}">`,
  )}`
  const error = refused && REFUSALS[refused]
  return {
    title: 'Is it you?',
    place: placeOf(action),
    middle: true,
    status: refused === 'locked' ? 429 : 401,
    body: markup`<div class="head"><h1>Is it you?</h1></div>
<section class="sheet narrow"><p>This needs your passkey or a code again, because the last time was a while ago.</p>
${error !== undefined && markup`<div class="note bad" role="alert"><p>${error}</p></div>`}
${passkeyForm({ action, hidden, options: '/passkey/prove', kind: 'get', button: 'Go on with the passkey' })}
<form method="post" action="${action}">${hidden}
${field({ id: 'code', label: 'Code', hint: 'From your code generator, or a recovery code.' }, (ties) => markup`<input class="box mono" ${ties} name="code" autocomplete="one-time-code" required>`)}
<p><button class="second">Go on with the code</button></p></form>
<p class="soft small"><a href="/">Leave it</a></p></section>`,
  }
}
