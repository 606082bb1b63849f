import type { EpochMs } from '../../domain/ids.ts'
import { passkeyForm } from '../../pages/widgets/passkey-form.ts'
import { type FormTicket, field } from '../../platform/pages/forms.ts'
import { flag, ticketField } from '../../platform/pages/layout.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import { codeHint, type Refused, refusedWords } from '../frame/codes.ts'

export interface SignInView {
  form: FormTicket
  /** Where to go afterwards. */
  query: string
  refused: Refused | undefined
  /** Whether this browser may open the desk of a sandbox with one press. */
  demo: boolean
  /** Whether browsers offer passkeys here. */
  passkeys: boolean
  /** Whether a generator's code does here. */
  generators: boolean
  now: EpochMs
}

const WRONG = 'That did not fit: the passkey, or the name with its code, is nobody’s here.'

export function signInPage(view: SignInView): Markup {
  const { form, query, refused, demo, passkeys, generators, now } = view
  const hidden = ticketField(form)
  return markup`<div class="sheet">${flag}<h1>The operators’ desk</h1>
${refused && markup`<div class="note bad" role="alert"><p>${refusedWords(refused, now, WRONG)}</p></div>`}
${demo && markup`<form method="post" action="/open${query}">${hidden}<p><button class="big">Open the desk</button></p></form><p class="soft small">This is a sandbox on your own machine, so you need nothing to sign in with.</p><hr>`}
${
  passkeys
    ? passkeyForm({
        ...{ action: `/sign-in/passkey${query}`, hidden, options: '/passkey/sign-in', kind: 'get' },
        button: 'Sign in with a passkey',
      })
    : noPasskeys
}
<form method="post" action="/sign-in${query}" class="left">${hidden}
${field({ id: 'name', label: 'Name' }, (ties) => markup`<input class="box" ${ties} name="name" autocomplete="username" required>`)}
${field({ id: 'code', label: 'Code', hint: codeHint(generators) }, (ties) => markup`<input class="box mono" ${ties} name="code" autocomplete="one-time-code" required>`)}
<p><button class="second big">Sign in with a code</button></p></form></div>`
}

export const noPasskeys: Markup = markup`<p class="note">Browsers offer passkeys over https or at localhost only, and this address is neither. A code works here.</p>`
