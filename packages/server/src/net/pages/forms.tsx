import { createHmac, timingSafeEqual } from 'node:crypto'
import { type HttpContext, readBody } from '../server/body.ts'
import { readForm } from '../server/fields.ts'
import { cookieKind, readCookie, writeCookie } from './cookie.ts'
import type { Attributes, Markup } from './markup.ts'

/** A hidden form field that protects against forged requests (CSRF). */
export interface FormTicket {
  name: string
  value: string
}

export interface FormTickets {
  /** The ticket for a page, and its cookie if the browser has none yet. */
  issue(cookieHeader: string | undefined): { form: FormTicket; setCookie: string | undefined }
  /** Whether a form may come from one of our pages in this browser, by its headers alone. */
  mayPost(request: FormOrigin): boolean
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
  /** The name of its cookie: sites on one host share their cookies, whatever their ports. */
  cookie?: string
}

const FIELD = 'form_ticket'
/** 32 bytes in base64url. */
const RANDOM = /^[\w-]{43}$/

/**
 * Ties a form to the browser that got the page: the ticket is a signature of a random cookie. Another site can make a
 * browser post a form, but cannot read our cookie, and a ticket from its own browser belongs to another cookie.
 */
export function createFormTickets({
  key,
  publicUrl,
  randomBytes,
  cookie = 'wigwag_form',
}: FormTicketOptions): FormTickets {
  const sign = (random: string) => createHmac('sha256', key).update(`form ticket ${random}`).digest()
  const place = () => cookieKind(cookie, publicUrl())

  function randomOf(cookieHeader: string | undefined): string | undefined {
    const random = readCookie(place(), cookieHeader)
    return random !== undefined && RANDOM.test(random) ? random : undefined
  }

  /** The random cookie of a browser that may have been given one of our pages. */
  function randomFrom({ cookie: header, origin, fetchSite }: FormOrigin): string | undefined {
    if (origin !== undefined && origin !== new URL(publicUrl()).origin) return undefined
    if (fetchSite !== undefined && fetchSite !== 'same-origin' && fetchSite !== 'none') return undefined
    return randomOf(header)
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
    mayPost: (request) => randomFrom(request) !== undefined,
    accepts(request, form) {
      const random = randomFrom(request)
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

/**
 * The fields of a form posted from one of our pages in this browser; undefined for any other. Where it comes from is
 * looked at before it is read.
 */
export async function postedForm(
  c: Pick<HttpContext, 'env' | 'req'>,
  tickets: Pick<FormTickets, 'mayPost' | 'accepts'>,
  largest = LARGEST_FORM,
): Promise<URLSearchParams | undefined> {
  const from = originOf(c)
  if (!tickets.mayPost(from)) return undefined
  const form = readForm(await readBody(c, largest), c.req.header('content-type'))
  return form && tickets.accepts(from, form) ? form : undefined
}

/** Where a form comes from. */
export function originOf({ req }: Pick<HttpContext, 'req'>): FormOrigin {
  return {
    cookie: req.header('cookie'),
    origin: req.header('origin'),
    fetchSite: req.header('sec-fetch-site'),
  }
}

export interface Field {
  /** Unique on its page. */
  id: string
  label: string
  hint?: string | undefined
  error?: string | undefined
}

/** A form control with its label, hint and error, linked for screen readers. */
export function field({ id, label, hint, error }: Field, control: (ties: Attributes) => Markup): Markup {
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ')
  const ties = {
    id: id,
    'aria-describedby': described || undefined,
    'aria-invalid': error ? 'true' : undefined,
  }
  return (
    <div class="field">
      <label for={id}>{label}</label>{' '}
      {hint && (
        <span class="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}{' '}
      {error && (
        <span class="wrong" id={`${id}-error`}>
          {error}
        </span>
      )}{' '}
      {control(ties)}
    </div>
  )
}
