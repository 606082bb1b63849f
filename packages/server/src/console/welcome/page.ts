import { type Micros, toDecimal } from '@wigwag/contract'
import type { FormTicket } from '../../platform/pages/forms.ts'
import { flag, ticketField } from '../../platform/pages/layout.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'

/** Who may open the console with one press; undefined for visitors who have to sign in. */
export interface OneClick {
  email: string
  form: FormTicket
}

/** The first page of a sandbox. */
export function welcomePage(start: Micros | undefined, oneClick: OneClick | undefined): Markup {
  const wallet =
    start === undefined ? 'money in it is' : `GHS ${toDecimal(start).toLocaleString('en')} in the wallet is`
  return markup`<div class="sheet">${flag}<h1>Wigwag is running</h1>
<p class="soft">This is a sandbox on your own machine. No text reaches a phone, and the ${wallet} play money.</p>
${oneClick ? openForm(oneClick) : markup`<p><a class="button big" href="/sign-in">Sign in</a></p>`}</div>`
}

function openForm({ email, form }: OneClick): Markup {
  return markup`<form method="post" action="/open">${ticketField(form)}<p><button class="big">Open the console</button></p></form>
<p class="soft small">You will be ${email}.<br><a href="/sign-in">Sign in as somebody else</a></p>`
}
