import { otpauthUrl } from '../../factors/index.ts'
import { passkeyForm } from '../../pages/widgets/passkey-form.ts'
import type { OperatorRole } from '../../platform/database/schema.ts'
import { type FormTicket, field } from '../../platform/pages/forms.ts'
import { flag, ticketField } from '../../platform/pages/layout.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import { noPasskeys } from './sign-in-page.ts'

/** Where a link leads. Its secret is in the fragment, which no server and no log sees; the script puts it into the form. */
export function enterPage(form: FormTicket): Markup {
  return markup`<div class="sheet">${flag}<h1>Welcome to the desk</h1>
<p>A link lets you in once. It is good for an hour.</p>
<form method="post" action="/enter" class="left" data-link>${ticketField(form)}
${field({ id: 'link', label: 'Your link', hint: 'The browser fills it in; if it does not, paste the whole link.' }, (ties) => markup`<input class="box mono" ${ties} name="link" autocomplete="off" required>`)}
<p><button class="big">Come in</button></p></form></div>`
}

export function noLinkPage(): Markup {
  return markup`<div class="sheet">${flag}<h1>This link is no good</h1>
<p>It was used already, it is older than an hour, or it is not whole. Ask the operator who gave it to you for another one.</p>
<p><a class="button" href="/sign-in">Sign in</a></p></div>`
}

export interface RegisterView {
  form: FormTicket
  operator: { name: string; role: OperatorRole }
  /** Of a generator, in case the person wants one. */
  secret: string
  isWrong: boolean
  passkeys: boolean
  /** Whether a generator's code does here. */
  generators: boolean
}

const ROLES = { look: 'You may see everything here.', act: 'You may see and change everything here.' }

export function registerPage(view: RegisterView): Markup {
  const { form, operator, passkeys, generators } = view
  const hidden = ticketField(form)
  const { name, role } = operator
  const options = '/passkey/register'
  return markup`<div class="sheet">${flag}<h1>Welcome, <bdi>${name}</bdi></h1>
<p>${ROLES[role]} Choose what you sign in with from now on.</p>
${passkeys ? passkeyForm({ action: '/register/passkey', hidden, options, kind: 'create', button: 'Make a passkey' }) : noPasskeys}
${generators && generatorForm(view, hidden)}</div>`
}

function generatorForm(
  { operator: { name }, secret, isWrong, passkeys }: RegisterView,
  hidden: Markup,
): Markup {
  return markup`<details class="left"${(isWrong || !passkeys) && markup` open`}><summary>Use a code generator instead</summary>
<p>Put this key into the app, or <a href="${otpauthUrl(secret, name, 'Wigwag desk')}">open it there</a>:</p>
<p><code class="address">${secret.replace(/.{4}(?=.)/g, '$& ')}</code></p>
<form method="post" action="/register/code">${hidden}<input type="hidden" name="secret" value="${secret}">
${field(
  {
    ...{ id: 'code', label: 'Code', hint: 'The six digits that the app shows now.' },
    error: isWrong ? 'The code does not fit the key. Is the clock of the device right?' : undefined,
  },
  (ties) =>
    markup`<input class="box mono" ${ties} name="code" inputmode="numeric" autocomplete="one-time-code" required>`,
)}
<p><button class="second big">Use the generator</button></p></form></details>`
}

export function recoveryCodesPage(codes: readonly string[]): Markup {
  return markup`<div class="sheet">${flag}<h1>Your recovery codes</h1>
<p>Each lets you in once, in place of your passkey or code. They are shown now and never again: keep them where you find them without this device.</p>
<ul class="codes mono">${codes.map((code) => markup`<li>${code}</li>`)}</ul>
<p><a class="button big" href="/">I have kept them</a></p></div>`
}
