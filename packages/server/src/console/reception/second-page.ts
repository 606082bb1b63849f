import { passkeyForm } from '../../pages/widgets/passkey-form.ts'
import { factorForms } from '../../pages/widgets/proof.ts'
import type { FormTicket } from '../../platform/pages/forms.ts'
import { flag, ticketField } from '../../platform/pages/layout.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import { generatorFields } from '../widgets/generator.ts'

export interface SecondView {
  form: FormTicket
  query: string
  error: string | undefined
}

const refusal = (error: string | undefined) =>
  error !== undefined && markup`<div class="note bad" role="alert"><p>${error}</p></div>`

/** Asks for a passkey or a code after the password. It says nothing of which the person has. */
export function secondPage({ form, query, error }: SecondView): Markup {
  return markup`<div class="sheet">${flag}<h1>One more step</h1>
<p>Your password is right. Show your passkey now, or type a code.</p>
${refusal(error)}
${factorForms(`/second${query}`, ticketField(form), '/passkey/second')}
<form method="post" action="/sign-out">${ticketField(form)}<p class="small"><button class="link">Sign in as somebody else</button></p></form></div>`
}

export interface GetView extends SecondView {
  /** The name of the account that asks for it. */
  account: string
  email: string
  /** Of a generator, in case the person wants one. */
  secret: string
  passkeys: boolean
}

/** Has a person get a second factor, which their account requires. */
export function getPage({ form, query, error, account, email, secret, passkeys }: GetView): Markup {
  const hidden = ticketField(form)
  return markup`<div class="sheet">${flag}<h1>One more step</h1>
<p>Everybody in the account of <bdi>${account}</bdi> signs in with more than a password. Choose what you use from now on.</p>
${refusal(error)}
${
  passkeys &&
  passkeyForm({
    ...{ action: `/second/get${query}`, hidden, options: '/passkey/add', kind: 'create' },
    button: 'Make a passkey',
  })
}
<details class="left"${(error !== undefined || !passkeys) && markup` open`}><summary>Use a code generator instead</summary>
<form method="post" action="/second/get${query}">${hidden}${generatorFields({ secret, email, error: undefined })}
<p><button class="second big">Use the generator</button></p></form></details></div>`
}

/** Ten codes, shown once. */
export function recoveryCodesPage(codes: readonly string[], next: string): Markup {
  return markup`<div class="sheet">${flag}<h1>Your recovery codes</h1>
<p>Each lets you in once, in place of your passkey or code. They are shown now and never again: keep them where you find them without this device.</p>
<ul class="codes mono">${codes.map((code) => markup`<li>${code}</li>`)}</ul>
<p><a class="button big" href="${next}">I have kept them</a></p></div>`
}
