import { layout } from '../../net/pages/layout.tsx'
import type { Markup } from '../../net/pages/markup.ts'
import { clientName, LONGEST_ADDRESS, theirWords } from './their-words.tsx'

export interface LeavingView {
  /** The address of the next step, which may be one of our own. */
  to: string
  /** Where the answer goes in the end, as `redirectPlace` names it. */
  redirectHost: string
  client: string
  /** Undefined when an earlier answer counted, whose result is unknown here. */
  allowed: boolean | undefined
}

/** Schemes that show or run the content of the address instead of going anywhere. */
const GOES_NOWHERE = /^(?:javascript|data|vbscript|blob|file|filesystem|about|view-source):/i

/** Takes a browser to an assistant with the answer. A page, because browsers block such a redirect after a form. */
export function leavingPage({ to, redirectHost, client, allowed }: LeavingView): string {
  if (GOES_NOWHERE.test(to))
    throw new Error('expected an address to go to, got one that shows or runs itself')
  const { title, text } = outcomeOf(clientName(client), allowed)
  const body = (
    <div class="sheet">
      <h1>{title}</h1>
      <p>{text}</p>
      <p class="soft">
        You are on the way back to <bdi>{redirectHost}</bdi>. If nothing happens:
      </p>
      <p>
        <a class="button" href={to}>
          Go on
        </a>
      </p>
    </div>
  )
  return layout({ title, body, refresh: to })
}

function outcomeOf(name: Markup, allowed: boolean | undefined): { title: string; text: Markup } {
  if (allowed === undefined) return { title: 'One moment', text: <>You have answered already.</> }
  return allowed
    ? { title: 'Connected', text: <>{name} may now use your account, within what you allowed.</> }
    : { title: 'Not connected', text: <>{name} was given nothing.</> }
}

export interface RefusedView {
  title: string
  text: string
  /** The assistant's address for the error. */
  to: string
}

/** Says that an assistant can't be connected, and lets the person decide whether to go back to it. */
export function refusedPage({ title, text, to }: RefusedView): string {
  const place = <bdi>{theirWords(redirectPlace(to).redirectHost, LONGEST_ADDRESS)}</bdi>
  const body = (
    <div class="sheet">
      <h1>{title}</h1>
      <p>{text}</p>
      <p>
        It wants the answer at <strong>{place}</strong>, which is not a page of this service. Go there only if
        you were just connecting an assistant yourself. Otherwise close this page: the assistant was given
        nothing.
      </p>
      <p>
        <a class="button" href={to} rel="nofollow noreferrer">
          Go back to {place}
        </a>
      </p>
    </div>
  )
  return layout({ title, body })
}

const LOOPBACK = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/** Where an answer goes, as the consent page shows it. */
export interface RedirectPlace {
  /** `claude.ai` or `localhost:6274`; with an app's scheme, the scheme and host: `cursor://anysphere.cursor-mcp`. */
  redirectHost: string
  loopback: boolean
}

/** Reads a redirect URI that a client registered. */
export function redirectPlace(redirectUri: string): RedirectPlace {
  const { protocol, host, hostname } = new URL(redirectUri)
  if (protocol === 'https:' || protocol === 'http:') {
    return { redirectHost: host, loopback: LOOPBACK.test(hostname) }
  }
  return { redirectHost: host === '' ? protocol : `${protocol}//${host}`, loopback: false }
}

/** The app scheme of a redirect place; undefined for a web address. The person's device decides which app opens it. */
export function appScheme(redirectHost: string): string | undefined {
  return /^([a-z][a-z0-9+.-]*):(?:\/\/|$)/i.exec(redirectHost)?.[1]
}
