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
        form: { name: FIELD, value: masked(sign(random)) },
        setCookie: kept === undefined ? writeCookie(place(), random) : undefined,
      }
    },
    accepts({ cookie, origin, fetchSite }, form) {
      if (origin !== undefined && origin !== new URL(publicUrl()).origin) return false
      if (fetchSite !== undefined && fetchSite !== 'same-origin' && fetchSite !== 'none') return false
      const random = randomOf(cookie)
      if (random === undefined) return false
      const shown = unmasked(form.get(FIELD) ?? '')
      const expected = sign(random)
      return shown.length === expected.length && timingSafeEqual(shown, expected)
    },
  }

  /** Looks different each time, so that the size of a compressed page says nothing about the ticket in it. */
  function masked(ticket: Buffer): string {
    const mask = randomBytes(ticket.length)
    return Buffer.concat([mask, xor(ticket, mask)]).toString('base64url')
  }
}

function unmasked(value: string): Buffer {
  const bytes = Buffer.from(value, 'base64url')
  const middle = bytes.length >> 1
  return xor(bytes.subarray(middle), bytes.subarray(0, middle))
}

function xor(bytes: Buffer, mask: Buffer): Buffer {
  return Buffer.from(bytes.map((byte, index) => byte ^ (mask[index] ?? 0)))
}

/** In bytes. More than any form here needs. */
export const LARGEST_FORM = 16 * 1_024

/** The parts of a form post that {@link postedForm} needs. */
export interface FormRequest {
  header(name: string): string | undefined
  text(): Promise<string>
  formData(): Promise<FormData>
}

/** The fields of a form posted from one of our pages in this browser; undefined for any other. */
export async function postedForm(
  request: FormRequest,
  tickets: Pick<FormTickets, 'accepts'>,
): Promise<URLSearchParams | undefined> {
  const form = await fieldsOf(request)
  if (!form) return undefined
  const from = {
    cookie: request.header('cookie'),
    origin: request.header('origin'),
    fetchSite: request.header('sec-fetch-site'),
  }
  return tickets.accepts(from, form) ? form : undefined
}

/** The fields as text. A file counts as the text in it. Undefined when the parts of a form can't be told apart. */
async function fieldsOf(request: FormRequest): Promise<URLSearchParams | undefined> {
  if (!request.header('content-type')?.startsWith('multipart/form-data'))
    return new URLSearchParams(await request.text())
  const form = new URLSearchParams()
  const parts = await request.formData().catch((error: unknown) => {
    if (error instanceof TypeError) return undefined
    throw error
  })
  if (!parts) return undefined
  for (const [name, value] of parts) form.append(name, typeof value === 'string' ? value : await value.text())
  return form
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
