import { LONGEST_PASSWORD } from '../gateway/password.ts'
import { field } from './field.ts'
import type { FormTicket } from './form-ticket.ts'
import { layout, ticketField } from './layout.ts'
import { markup } from './markup.ts'
import { PASSWORD_NAME } from './password-field.ts'

export interface SignInView {
  action: string
  form: FormTicket
  /** What was typed, when it comes back. The password never does. */
  email?: string
  error?: string
}

export function signInPage({ action, form, email, error }: SignInView): string {
  const described = error && markup` aria-describedby="sign-in-error"`
  const body = markup`<h1>Sign in</h1>
<p class="soft">Use your account at this messaging service.</p>
<form method="post" action="${action}" class="sheet">
${ticketField(form)}
${error && markup`<div class="note bad" role="alert" id="sign-in-error"><p>${error}</p></div>`}
${field(
  { id: 'email', label: 'E-mail' },
  (ties) =>
    markup`<input class="box" ${ties}${described} type="email" name="email" value="${email}" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="320" required${!email && markup` autofocus`}>`,
)}
${field(
  { id: 'password', label: 'Password' },
  (ties) =>
    markup`<input class="box" ${ties}${described} type="password" name="${PASSWORD_NAME}" autocomplete="current-password" maxlength="${LONGEST_PASSWORD}" required${email && markup` autofocus`}>`,
)}
<button class="full">Sign in</button>
</form>
<p class="soft small">Accounts and passwords come from whoever runs this service. There is no sign-up here.</p>`
  return layout({ title: error ? 'Error: Sign in' : 'Sign in', body })
}
