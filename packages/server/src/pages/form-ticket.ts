import { createHmac, timingSafeEqual } from 'node:crypto'
import { cookiePlace, readCookie, writeCookie } from './cookie.ts'

/** A hidden field against forged requests. */
export interface FormTicket {
  name: string
  value: string
}

export interface FormTickets {
  /** The ticket for a page, and the cookie that goes with it if the browser has none yet. */
  issue(cookieHeader: string | undefined): { form: FormTicket; setCookie: string | undefined }
  /** Whether a posted form came from one of our pages in this browser. */
  accepts(request: FormOrigin, form: URLSearchParams): boolean
}

/** What a browser says of where a form comes from: the headers Cookie, Origin and Sec-Fetch-Site. */
export interface FormOrigin {
  cookie: string | undefined
  origin: string | undefined
  fetchSite: string | undefined
}

export interface FormTicketOptions {
  /** What tickets are signed with: a secret that stays, or open pages are turned away after a restart. */
  key: string
  publicUrl(): string
  randomBytes(size: number): Buffer
}

const COOKIE = 'wigwag_form'
const FIELD = 'form_ticket'
/** 32 bytes in base64url. */
const RANDOM = /^[\w-]{43}$/

/**
 * Ties forms to the browser that was given the page: the ticket is a signature of a random cookie. Another site can
 * make a browser post a form, but it knows no cookie of ours, and a ticket of its own is signed over another one.
 */
export function createFormTickets({ key, publicUrl, randomBytes }: FormTicketOptions): FormTickets {
  const sign = (random: string) => createHmac('sha256', key).update(`form ticket ${random}`).digest()
  const place = () => cookiePlace(COOKIE, publicUrl())

  function randomOf(cookieHeader: string | undefined): string | undefined {
    const random = readCookie(place(), cookieHeader)
    return random !== undefined && RANDOM.test(random) ? random : undefined
  }

  return {
    issue(cookieHeader) {
      const kept = randomOf(cookieHeader)
      const random = kept ?? randomBytes(32).toString('base64url')
      return {
        form: { name: FIELD, value: sign(random).toString('base64url') },
        setCookie: kept === undefined ? writeCookie(place(), random) : undefined,
      }
    },
    accepts({ cookie, origin, fetchSite }, form) {
      if (origin !== undefined && origin !== new URL(publicUrl()).origin) return false
      if (fetchSite !== undefined && fetchSite !== 'same-origin' && fetchSite !== 'none') return false
      const random = randomOf(cookie)
      if (random === undefined) return false
      const shown = Buffer.from(form.get(FIELD) ?? '', 'base64url')
      const expected = sign(random)
      return shown.length === expected.length && timingSafeEqual(shown, expected)
    },
  }
}
