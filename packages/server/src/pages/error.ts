import { layout } from './layout.ts'
import { markup } from './markup.ts'

export interface ErrorView {
  title: string
  text: string
  /** Where to go from here. */
  link?: { href: string; text: string }
}

export function errorPage({ title, text, link }: ErrorView): string {
  const body = markup`<div class="sheet">
<h1>${title}</h1>
<p>${text}</p>
${link && markup`<p><a class="button" href="${link.href}">${link.text}</a></p>`}
</div>`
  return layout({ title, body })
}
