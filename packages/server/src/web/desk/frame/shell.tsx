import type { FormTicket } from '../../../net/pages/forms.tsx'
import { flag, ticketField } from '../../../net/pages/layout.tsx'
import type { Markup } from '../../../net/pages/markup.ts'
import { script, stylesheet } from '../../assets.ts'
import { documentOf, HEARTS } from '../../document.tsx'
import { type IconName, icon, sprite } from '../../icons.tsx'
import { type Theme, themeChoice } from '../../theme.tsx'

/** The parts of a page that it sets itself; the frame adds the rest. */
export interface PageContent {
  title: string
  /** Undefined of a page that says that there is none: the place in the rail is that of its address. */
  place: PlaceId | undefined
  body: Markup
  /** For pages of forms and text: no wider than is good to read. */
  middle?: boolean
}

export interface Shell extends PageContent {
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
  const { name, form, body, middle, isSandbox, theme, here } = page
  const place = page.place ?? placeOf(here)
  const links = Object.entries<Place>(PLACES).map(([id, { path, name: word, icon: drawing }]) => (
    <a href={path} aria-current={id === place ? 'page' : undefined}>
      {icon(drawing)}
      {word}
    </a>
  ))
  return documentFor(
    page,
    <>
      {sprite}
      <a class="skip" href="#main">
        To the page
      </a>
      <section class="ribbon desk" aria-label="Desk">
        <b>OPERATORS</b>
        <span>{isSandbox ? 'The desk of a sandbox.' : 'The desk of this gateway.'}</span>
        <span class="end roomy">Times are UTC.</span>
      </section>
      <div class="shell">
        <header class="rail">
          <a class="brand" href="/">
            {flag}Wigwag
          </a>{' '}
          <button class="second tiny menu" popovertarget="places">
            {icon('menu')}Menu
          </button>
          <nav id="places" popover="auto" aria-label="Desk">
            {links}
            <div class="me">
              <span class="soft">{name}</span>
              {themeChoice({ theme, form, here })}
              <form method="post" action="/sign-out">
                {ticketField(form)}
                <button class="link">Sign out</button>
              </form>
            </div>
          </nav>
        </header>
        <main id="main" class={middle ? 'middle' : undefined}>
          {body}
        </main>
      </div>
      <div class="unseen" id="says" role="status" aria-live="polite" />
    </>,
  )
}

/** A page of one sheet, without the rail: before a person has signed in. */
export function bareShell(page: Pick<Shell, 'title' | 'assets' | 'theme' | 'body'>): string {
  return documentFor(
    page,
    <>
      <section class="ribbon desk" aria-label="Desk">
        <b>OPERATORS</b>
        <span>The desk of a gateway.</span>
      </section>
      <main class="centre">{page.body}</main>
    </>,
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

/** A page in the rail. */
export interface Place {
  path: string
  name: string
  icon: IconName
}

/** The rail's entries. */
const PLACES = {
  overview: { path: '/', name: 'Overview', icon: 'chart' },
  customers: { path: '/customers', name: 'Customers', icon: 'people' },
  senders: { path: '/senders', name: 'Sender IDs', icon: 'sender' },
  messages: { path: '/messages', name: 'Messages', icon: 'inbox' },
  carriers: { path: '/carriers', name: 'Carriers', icon: 'antenna' },
  deliveries: { path: '/deliveries', name: 'Deliveries', icon: 'tick' },
  prices: { path: '/prices', name: 'Prices', icon: 'tag' },
  audit: { path: '/audit', name: 'Audit', icon: 'search' },
  operators: { path: '/operators', name: 'Operators', icon: 'key' },
} as const satisfies Record<string, Place>

export type PlaceId = keyof typeof PLACES

/** The place that a path is in. */
export function placeOf(path: string): PlaceId {
  const found = Object.entries<Place>(PLACES).find(
    ([, place]) => place.path !== '/' && path.startsWith(place.path),
  )
  return (found?.[0] ?? 'overview') as PlaceId
}

const HERE = 'http://here.invalid'

/** The path and query of an untrusted address, if it is one of our pages; otherwise undefined. */
export function localPath(address: string | undefined): string | undefined {
  if (address === undefined || !/^\/[!-~]*$/.test(address)) return undefined
  const url = URL.parse(address, HERE)
  if (url?.origin !== HERE) return undefined
  const isPlace = Object.values<Place>(PLACES).some(
    ({ path }) => path === url.pathname || (path !== '/' && url.pathname.startsWith(`${path}/`)),
  )
  return isPlace ? url.pathname + url.search : undefined
}

/** The desk's own files, and what a customer's console wears where an operator looks at it. */
export const ASSETS = {
  style: stylesheet('desk-style.css'),
  script: script('desk.js'),
  consoleStyle: stylesheet('style.css'),
} as const

/** Their addresses. */
export type AssetPaths = Record<keyof typeof ASSETS, string>
