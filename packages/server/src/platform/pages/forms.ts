import { createHmac, timingSafeEqual } from 'node:crypto'
import { cookiePlace, readCookie, writeCookie } from './cookie.ts'
import { type Markup, markup } from './markup.ts'

/** A hidden form field that protects against forged requests (CSRF). */
export interface FormTicket {
  name: string
  value: string
}

export interface FormTickets {
  /** The ticket for a page, and its cookie if the browser has none yet. */
  issue(cookieHeader: string | undefined): { form: FormTicket; setCookie: string | undefined }
  /** Whether a posted form came from one of our pages in this browser. */
  accepts(request: FormOrigin, form: URLSearchParams): boolean
}

/** The request headers that show where a form comes from: Cookie, Origin and Sec-Fetch-Site. */
export interface FormOrigin {
  cookie: string | undefined
  origin: string | undefined
  fetchSite: string | undefined
}

export interface FormTicketOptions {
  /** Signs tickets. Must not change across restarts, or forms on open pages are refused. */
  key: string
  publicUrl(): string
  randomBytes(size: number): Buffer
}

const COOKIE = 'wigwag_form'
const FIELD = 'form_ticket'
/** 32 bytes in base64url. */
const RANDOM = /^[\w-]{43}$/

/**
 * Ties a form to the browser that got the page: the ticket is a signature of a random cookie. Another site can make a
 * browser post a form, but cannot read our cookie, and a ticket from its own browser belongs to another cookie.
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

/** In bytes. More than any form here needs. */
export const LARGEST_FORM = 16 * 1_024

/** The parts of a form post that {@link postedForm} needs. */
export interface FormRequest {
  header(name: string): string | undefined
  text(): Promise<string>
}

/** The fields of a form posted from one of our pages in this browser; undefined for any other. */
export async function postedForm(
  request: FormRequest,
  tickets: Pick<FormTickets, 'accepts'>,
): Promise<URLSearchParams | undefined> {
  const form = new URLSearchParams(await request.text())
  const from = {
    cookie: request.header('cookie'),
    origin: request.header('origin'),
    fetchSite: request.header('sec-fetch-site'),
  }
  return tickets.accepts(from, form) ? form : undefined
}

export interface Field {
  /** Unique on its page. */
  id: string
  label: string
  hint?: string | undefined
  error?: string | undefined
}

/** A form control with its label, hint and error, linked for screen readers. */
export function field({ id, label, hint, error }: Field, control: (ties: Markup) => Markup): Markup {
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ')
  const ties = markup`id="${id}"${described && markup` aria-describedby="${described}"`}${error && markup` aria-invalid="true"`}`
  return markup`<div class="field">
<label for="${id}">${label}</label>
${hint && markup`<span class="hint" id="${id}-hint">${hint}</span>`}
${error && markup`<span class="wrong" id="${id}-error">${error}</span>`}
${control(ties)}
</div>`
}
