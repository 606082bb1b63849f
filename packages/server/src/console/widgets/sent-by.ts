import { clientName } from '../../assistants/index.ts'
import type { SentBy } from '../../history/index.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'

/** Who sent a message, in a word or a name. */
export function sentByName(by: SentBy | undefined): Markup {
  if (!by) return markup`<span class="soft">not known</span>`
  const { kind, name } = by
  if (kind === 'api') return markup`API`
  if (name === undefined) return kind === 'person' ? FORGOTTEN : markup`an assistant`
  return kind === 'person' ? markup`<bdi>${name}</bdi>` : clientName(name)
}

const FORGOTTEN: Markup = markup`somebody who was forgotten`

/** The same with what it is. */
export function sentByInFull(by: SentBy | undefined): Markup {
  if (by?.kind === 'api') return markup`the API, with the client ID <bdi class="mono">${by.name}</bdi>`
  return by?.kind === 'assistant' ? markup`the assistant ${sentByName(by)}` : sentByName(by)
}
