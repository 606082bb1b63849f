import type { Membership } from '../../people/index.ts'
import type { FormTicket } from '../../platform/pages/forms.ts'
import { flag, ticketField } from '../../platform/pages/layout.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'

/** Which of their accounts a person opens. */
export function accountsPage(form: FormTicket, accounts: readonly Membership[], query: string): Markup {
  return markup`<div class="sheet">${flag}<h1>Which account?</h1>
${accounts.map(
  ({ accountId, name, role, status }) =>
    markup`<form method="post" action="/accounts${query}">${ticketField(form)}<input type="hidden" name="account" value="${accountId}"><p><button class="second full"${status === 'suspended' && markup` disabled`}><bdi>${name}</bdi> <span class="soft">${status === 'suspended' ? 'suspended' : role}</span></button></p></form>`,
)}</div>`
}
