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
  /** The account that one press opens without a password, and where its form goes. */
  oneClick?: { email: string; action: string }
}

export function signInPage({ action, form, email, error, oneClick }: SignInView): string {
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
${oneClick ? openForm(oneClick, form) : markup`<p class="soft small">The operator of this service gives out accounts and passwords. There is no sign-up here.</p>`}`
  return layout({ title: error ? 'Error: Sign in' : 'Sign in', body })
}

function openForm({ email, action }: NonNullable<SignInView['oneClick']>, form: FormTicket): Markup {
  return markup`<p class="soft">Or, since this is a sandbox on your own machine, without a password:</p>
<form method="post" action="${action}">${ticketField(form)}<button class="second full">Open the demo account</button></form>
<p class="soft small">You will be ${email}.</p>`
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
