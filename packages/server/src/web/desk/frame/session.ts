import { isLoopback, isLoopbackHost } from '@wigwag/contract'
import { type EpochMs, epochMs } from '../../../kernel/ids.ts'
import { cookieKind, readCookie, writeCookie } from '../../../net/pages/cookie.ts'
import { waitUntil } from '../../../net/pages/times.tsx'
import { siteOf, takesPasskeys } from '../../../sign-in/factors/index.ts'
import type { DeskSite, SignInResult } from '../../../sign-in/operators/index.ts'
import type { DeskParts } from '../parts.ts'

/** Other names than the console's: sites on one host share their cookies, whatever their ports. */
const SESSION = 'wigwag_desk'
const LINK = 'wigwag_desk_link'
const LONGEST = 256

/** The cookie that keeps an operator signed in. */
export function sessionCookie(token: string, url: string, expiresAt: EpochMs): string {
  return writeCookie(cookieKind(SESSION, url), token, new Date(expiresAt))
}

export function noSessionCookie(url: string): string {
  return sessionCookie('', url, epochMs(0))
}

/** The session token in a browser's cookies, not yet checked. */
export function sessionTokenOf(header: string | undefined, url: string): string | undefined {
  return cookieOf(SESSION, header, url)
}

/** Keeps the secret of a link while its owner registers; until the browser is closed. */
export function linkCookie(secret: string, url: string): string {
  return writeCookie(cookieKind(LINK, url), secret)
}

/** The secret of a link in a browser's cookies, not yet checked. */
export function linkSecretOf(header: string | undefined, url: string): string | undefined {
  return cookieOf(LINK, header, url)
}

function cookieOf(name: string, header: string | undefined, url: string): string | undefined {
  const value = readCookie(cookieKind(name, url), header)
  return value && value.length <= LONGEST ? value : undefined
}

/** Where the desk listens, and the address at which operators open it. */
interface DeskPlace extends Pick<DeskParts, 'url'> {
  config: Pick<DeskParts['config'], 'desk'>
}

/**
 * The site of the desk. A generator's code is all that a stranger would have to guess, so it does only where strangers
 * don't come, on this machine, or where browsers have nothing better.
 */
export function deskSite({ config, url }: DeskPlace): DeskSite {
  const address = url()
  const isHere = isLoopback(new URL(address)) && isLoopbackHost(config.desk?.host ?? '')
  return { ...siteOf(address, 'Wigwag desk'), takesGenerators: isHere || !takesPasskeys(address) }
}

/** Why what an operator showed did not do. */
export type Refused = Exclude<SignInResult, { kind: 'in' }>

/** The hint of a code field: which codes it takes. */
export function codeHint(generators: boolean): string {
  return generators
    ? 'From your code generator, or a recovery code.'
    : 'One of your recovery codes. Other machines reach this desk, so a generator’s code is not enough here.'
}

/** Words for a refusal; `wrong` is the sentence for a wrong code or passkey. */
export function refusedWords(refused: Refused, now: EpochMs, wrong: string): string {
  if (refused.kind === 'wrong') return wrong
  return `There were too many wrong codes. Wait for ${waitUntil(refused.until, now)}, or use a passkey or a recovery code.`
}
