import { documentOf, HEARTS } from '../../pages/document.ts'
import { icon, sprite } from '../../pages/icons.ts'
import { type Theme, themeChoice } from '../../pages/theme.ts'
import type { FormTicket } from '../../platform/pages/forms.ts'
import { flag, ticketField } from '../../platform/pages/layout.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import type { AssetPaths } from './asset-paths.ts'
import { PLACES, type Place, type PlaceId } from './places.ts'

/** What a page says of itself; the frame adds the rest. */
export interface PageParts {
  title: string
  place: PlaceId
  body: Markup
  /** For pages of forms and text: no wider than is good to read. */
  middle?: boolean
}

export interface Shell extends PageParts {
  assets: AssetPaths
  theme: Theme | undefined
  /** The path of the page, for forms that come back to it. */
  here: string
  /** Who is signed in. */
  name: string
  form: FormTicket
  isSandbox: boolean
}

/** A whole page: the header, the rail, and what the page shows. */
export function shell(page: Shell): string {
  const { name, form, body, middle, place, isSandbox, theme, here } = page
  const links = Object.entries<Place>(PLACES).map(
    ([id, { path, name: word, icon: drawing }]) =>
      markup`<a href="${path}"${id === place && markup` aria-current="page"`}>${icon(drawing)}${word}</a>`,
  )
  return documentFor(
    page,
    markup`${sprite}<a class="skip" href="#main">To the page</a>
<section class="ribbon desk" aria-label="Desk"><b>OPERATORS</b><span>${isSandbox ? 'The desk of a sandbox.' : 'The desk of this gateway.'}</span><span class="end roomy">Times are UTC.</span></section>
<div class="shell"><header class="rail"><a class="brand" href="/">${flag}Wigwag</a>
<button class="second tiny menu" popovertarget="places">${icon('menu')}Menu</button>
<nav id="places" popover aria-label="Desk">${links}
<div class="me"><span class="soft">${name}</span>${themeChoice({ theme, form, here })}<form method="post" action="/sign-out">${ticketField(form)}<button class="link">Sign out</button></form></div></nav></header>
<main id="main"${middle && markup` class="middle"`}>
${body}
</main></div>
<div class="unseen" id="says" role="status" aria-live="polite"></div>`,
  )
}

/** A page of one sheet, without the rail: before a person has signed in. */
export function bareShell(page: Pick<Shell, 'title' | 'assets' | 'theme' | 'body'>): string {
  return documentFor(
    page,
    markup`<section class="ribbon desk" aria-label="Desk"><b>OPERATORS</b><span>The desk of a gateway.</span></section>
<main class="centre">${page.body}</main>`,
  )
}

function documentFor(
  { title, assets, theme }: Pick<Shell, 'title' | 'assets' | 'theme'>,
  body: Markup,
): string {
  const page = {
    title,
    site: 'Wigwag desk',
    heart: HEARTS.desk,
    style: assets.style,
    scripts: [assets.script],
    theme,
  }
  return documentOf(page, body)
}
