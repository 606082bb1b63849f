import { passkeyForm } from '../../pages/widgets/passkey-form.ts'
import { ROLE_WORDS } from '../../people/index.ts'
import { type FormTicket, field } from '../../platform/pages/forms.ts'
import { flag, ticketField } from '../../platform/pages/layout.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import { type Invited, LONGEST_PASSWORD, SHORTEST_PASSWORD } from '../../portal/index.ts'

/** Where a link leads. Its secret is in the fragment, which no server and no log sees; the script puts it into the form. */
export function invitedPage(form: FormTicket): Markup {
  return markup`<div class="sheet">${flag}<h1>You are invited</h1>
<p>A link lets you in once. It is good for three days.</p>
<form method="post" action="/invited" class="left" data-link>${ticketField(form)}
${field({ id: 'link', label: 'Your link', hint: 'The browser fills it in; if it does not, paste the whole link.' }, (ties) => markup`<input class="box mono" ${ties} name="link" autocomplete="off" required>`)}
<p><button class="big">Come in</button></p></form></div>`
}

export function noLinkPage(): Markup {
  return markup`<div class="sheet">${flag}<h1>This link is no good</h1>
<p>It was used already, it is older than three days, or it is not whole. Ask whoever gave it to you for another one.</p>
<p><a class="button" href="/sign-in">Sign in</a></p></div>`
}

export interface JoinView {
  form: FormTicket
  invited: Invited
  /** The address of who is signed in. */
  signedInAs: string | undefined
  error: string | undefined
  passkeys: boolean
}

export function joinPage({ form, invited, signedInAs, error, passkeys }: JoinView): Markup {
  const { name, email, role } = invited
  const hidden = ticketField(form)
  return markup`<div class="sheet">${flag}<h1>Join <bdi>${name}</bdi></h1>
<p>You come as <bdi class="strong">${email}</bdi>, in the role ${role}: ${ROLE_WORDS[role]}.</p>
${error !== undefined && markup`<div class="note bad" role="alert"><p>${error}</p></div>`}
${
  signedInAs === email
    ? markup`<form method="post" action="/join/accept">${hidden}<p><button class="big">Join</button></p></form>`
    : markup`<p>Do you sign in here already? <a href="/sign-in?next=/join">Sign in as ${email}</a></p>
${beginForms(hidden, passkeys, error !== undefined)}`
}</div>`
}

function beginForms(hidden: Markup, passkeys: boolean, again: boolean): Markup {
  const password = markup`<form method="post" action="/join/password" class="left">${hidden}
${field(
  { id: 'password', label: 'A password', hint: `At least ${SHORTEST_PASSWORD} characters.` },
  (ties) =>
    markup`<input class="box" ${ties} type="password" name="password" autocomplete="new-password" minlength="${SHORTEST_PASSWORD}" maxlength="${LONGEST_PASSWORD}" required>`,
)}
<p><button class="${passkeys ? 'second ' : ''}big">Use a password</button></p></form>`
  if (!passkeys) return markup`<p>If not, choose a password.</p>${password}`
  return markup`<p>If not, choose what you sign in with from now on.</p>
${passkeyForm({ ...{ action: '/join/passkey', hidden, options: '/passkey/join', kind: 'create' }, button: 'Make a passkey' })}
<details class="left"${again && markup` open`}><summary>Use a password instead</summary>${password}</details>`
}
