import { passkeyForm } from '../../pages/widgets/passkey-form.ts'
import { type FormTicket, field } from '../../platform/pages/forms.ts'
import { flag, ticketField } from '../../platform/pages/layout.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import { LONGEST_PASSWORD } from '../../portal/index.ts'

export interface SignInView {
  /** What follows the addresses of its forms: the page to go to afterwards. */
  query: string
  form: FormTicket
  /** The e-mail typed before, to show it again. The password is never shown again. */
  email?: string | undefined
  error?: string | undefined
  /** The e-mail of the account that one press opens without a password. */
  oneClick: string | undefined
  /** Whether browsers offer passkeys here. */
  passkeys: boolean
}

export function signInPage({ query, form, email, error, oneClick, passkeys }: SignInView): Markup {
  const hidden = ticketField(form)
  const described = error !== undefined && markup` aria-describedby="sign-in-error"`
  return markup`<div class="sheet">${flag}<h1>Sign in</h1>
<p class="soft">Use your account at this messaging service.</p>
${error !== undefined && markup`<div class="note bad" role="alert" id="sign-in-error"><p>${error}</p></div>`}
<form method="post" action="/sign-in${query}" class="left">${hidden}
${field(
  { id: 'email', label: 'E-mail' },
  (ties) =>
    markup`<input class="box" ${ties}${described} type="email" name="email" value="${email}" autocomplete="username webauthn" autocapitalize="none" spellcheck="false" maxlength="320" required${!email && markup` autofocus`}>`,
)}
${field(
  { id: 'password', label: 'Password' },
  (ties) =>
    markup`<input class="box" ${ties}${described} type="password" name="password" autocomplete="current-password" maxlength="${LONGEST_PASSWORD}" required${email && markup` autofocus`}>`,
)}
<p><button class="full">Sign in</button></p></form>
${
  passkeys &&
  passkeyForm({
    ...{ action: `/sign-in/passkey${query}`, hidden, options: '/passkey/sign-in', kind: 'get' },
    button: 'Sign in with a passkey',
    look: 'second full',
    // What was refused is not offered again by itself.
    offered: error === undefined,
  })
}
${oneClick === undefined ? markup`<p class="soft small">The operator of this service gives out accounts. There is no sign-up here.</p>` : openForm(oneClick, query, hidden)}</div>`
}

function openForm(email: string, query: string, hidden: Markup): Markup {
  return markup`<hr><p class="soft">Or, since this is a sandbox on your own machine, without a password:</p>
<form method="post" action="/open${query}">${hidden}<button class="second full">Open the demo account</button></form>
<p class="soft small">You will be ${email}.</p>`
}
