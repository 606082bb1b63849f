import type { KeyKind, Rotated } from '../../accounts/index.ts'
import { dayAndTime } from '../../pages/times.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import { codeBox } from '../widgets/code.ts'
import type { KeysPageView } from './section.ts'
import { keySection } from './section.ts'

const NEW: Readonly<Record<KeyKind, string>> = {
  client: 'client secret',
  wallet: 'wallet token',
  callback: 'callback secret',
}
const ORDER: readonly KeyKind[] = ['client', 'wallet', 'callback']

/** Lists an account's keys, each with the old ones that still work, and forms to replace or end one. */
export function keysPage(view: KeysPageView): { title: string; body: Markup } {
  const { keys, made, problem, ended, isDemo } = view
  const owners = ORDER.flatMap((kind) => [
    ...Map.groupBy(
      keys.filter((key) => key.kind === kind),
      ({ ownerId }) => ownerId,
    ).values(),
  ])
  const body = markup`<div class="head"><h1>API keys</h1><span class="soft">Times are UTC.</span></div>
${made && shownOnce(made)}
${problem && markup`<div class="note bad" role="alert"><p>${problem}</p></div>`}
${ended && markup`<div class="note good" role="status"><p>The old key has ended. Gateways refuse it within a second.</p></div>`}
${owners.map((owned) => keySection({ ...view, keys: owned }))}
${isDemo && markup`<p class="soft">This is the demo account of a sandbox, so its secrets stay readable: <a href="/developers">Developers</a></p>`}`
  return { title: problem ? 'Error: API keys' : 'API keys', body }
}

function shownOnce({ key: { kind }, secret, previousUntil }: Rotated): Markup {
  return markup`<div class="note good" role="status"><p class="strong">Here is the new ${NEW[kind]}. It is shown this once.</p>
${codeBox('secret', secret, 'wrap')}
<p>${kind === 'callback' ? 'Callbacks carry the signatures of both secrets' : 'The old one works'} until <span class="strong">${dayAndTime(previousUntil)} UTC</span>, so that you can change your programs first.</p></div>`
}
