import { layout } from './layout.ts'
import { markup } from './markup.ts'
import { redirectPlace } from './redirect-place.ts'
import { LONGEST_ADDRESS, theirWords } from './their-words.ts'

export interface RefusedView {
  title: string
  /** What went wrong. */
  text: string
  /** The address at which the assistant learns of it. */
  to: string
}

/** Says that an assistant can't be connected, and lets the person decide whether to go back to it. */
export function refusedPage({ title, text, to }: RefusedView): string {
  const place = markup`<bdi>${theirWords(redirectPlace(to).redirectHost, LONGEST_ADDRESS)}</bdi>`
  const body = markup`<div class="sheet">
<h1>${title}</h1>
<p>${text}</p>
<p>It wants the answer at <strong>${place}</strong>, which is not a page of this service. Go there only if you were just connecting an assistant yourself. Otherwise close this page: the assistant was given nothing.</p>
<p><a class="button" href="${to}" rel="nofollow noreferrer">Go back to ${place}</a></p>
</div>`
  return layout({ title, body })
}
