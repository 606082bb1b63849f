import { type FormTicket, field } from '../platform/pages/forms.ts'
import { layout, ticketField } from '../platform/pages/layout.ts'
import { type Markup, markup } from '../platform/pages/markup.ts'
import { LONGEST_PASSWORD } from './password.ts'

export interface SignInView {
  action: string
  form: FormTicket
  /** The e-mail typed before, to show it again. The password is never shown again. */
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
<p class="soft small">The operator of this service gives out accounts and passwords. There is no sign-up here.</p>`
  return layout({ title: error ? 'Error: Sign in' : 'Sign in', body })
}

export const PASSWORD_NAME = 'password'

const WHY = 'Asked again because you signed in more than ten minutes ago, and sending costs money.'

/** Asks for the signed-in person's password, and says why. What was typed is never shown again. */
export function passwordField(id: string, error: string | undefined, why = WHY): Markup {
  return field(
    { id: `${id}-password`, label: 'Your password', hint: why, error },
    (ties) =>
      markup`<input class="box" ${ties} type="password" name="${PASSWORD_NAME}" autocomplete="current-password" maxlength="${LONGEST_PASSWORD}">`,
  )
}
