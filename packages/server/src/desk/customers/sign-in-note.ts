import { dayOf } from '../../pages/times.ts'
import type { Membership } from '../../people/index.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'

/** Says whose sign-in a link is for, where its address has one: no one has checked who took the address there. */
export function signInNote(email: string, signsInTo: readonly Membership[]): Markup | undefined {
  if (signsInTo.length === 0) return undefined
  return markup`<div class="note bad" role="alert"><p class="strong"><bdi>${email}</bdi> signs in here already</p>
<ul>${signsInTo.map(
    ({ accountId, name, role, since }) =>
      markup`<li>since ${dayOf(since)}, in account <a href="/customers/${accountId}/people"><bdi>${name}</bdi></a>, as ${role}</li>`,
  )}</ul>
<p>That account let them in, and no one has checked that the address is theirs. The link works for this sign-in alone. If it is not your customer’s, remove them there first: then the link begins a new sign-in.</p></div>`
}
