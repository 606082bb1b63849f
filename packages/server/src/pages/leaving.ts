import { layout } from './layout.ts'
import { type Markup, markup } from './markup.ts'
import { clientName } from './their-words.ts'

export interface LeavingView {
  /** The address of the next step, which may be one of ours on the way. */
  to: string
  /** Where the answer goes in the end, as `redirectPlace` names it. */
  redirectHost: string
  client: string
  /** Undefined when an answer was given before, and nobody knows here what came of it. */
  allowed: boolean | undefined
}

/** Schemes that show or run what is written in the address, instead of going anywhere. */
const GOES_NOWHERE = /^(?:javascript|data|vbscript|blob|file|filesystem|about|view-source):/i

/** Takes a browser to an assistant with the answer. Browsers refuse a redirect to elsewhere after a form, so it is a page. */
export function leavingPage({ to, redirectHost, client, allowed }: LeavingView): string {
  if (GOES_NOWHERE.test(to))
    throw new Error('expected an address to go to, got one that shows or runs itself')
  const { title, text } = outcomeOf(clientName(client), allowed)
  const body = markup`<div class="sheet">
<h1>${title}</h1>
<p>${text}</p>
<p class="soft">You are on the way back to <bdi>${redirectHost}</bdi>. If nothing happens:</p>
<p><a class="button" href="${to}">Go on</a></p>
</div>`
  return layout({ title, body, refresh: to })
}

function outcomeOf(name: Markup, allowed: boolean | undefined): { title: string; text: Markup } {
  if (allowed === undefined) return { title: 'One moment', text: markup`You have answered already.` }
  return allowed
    ? { title: 'Connected', text: markup`${name} may now use your account, within what you allowed.` }
    : { title: 'Not connected', text: markup`${name} was given nothing.` }
}
