import { layout } from './layout.ts'
import { markup } from './markup.ts'
import { clientName } from './their-words.ts'

export interface LeavingView {
  /** The address of the next step, which may be one of ours on the way. */
  to: string
  /** Where the answer goes in the end, as `redirectPlace` names it. */
  redirectHost: string
  client: string
  allowed: boolean
}

/** Schemes that show or run what is written in the address, instead of going anywhere. */
const GOES_NOWHERE = /^(?:javascript|data|vbscript|blob|file|filesystem|about|view-source):/i

/** Takes a browser to an assistant with the answer. Browsers refuse a redirect to elsewhere after a form, so it is a page. */
export function leavingPage({ to, redirectHost, client, allowed }: LeavingView): string {
  if (GOES_NOWHERE.test(to))
    throw new Error('expected an address to go to, got one that shows or runs itself')
  const name = clientName(client)
  const outcome = allowed
    ? markup`<h1>Connected</h1>
<p>${name} may now use your account, within what you allowed.</p>`
    : markup`<h1>Not connected</h1>
<p>${name} was given nothing.</p>`
  const body = markup`<div class="sheet">
${outcome}
<p class="soft">You are on the way back to <bdi>${redirectHost}</bdi>. If nothing happens:</p>
<p><a class="button" href="${to}">Go on</a></p>
</div>`
  return layout({ title: allowed ? 'Connected' : 'Not connected', body, refresh: to })
}
