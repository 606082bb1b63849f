import { hash, timingSafeEqual } from 'node:crypto'
import type { Hono } from 'hono'
import { type HttpContext, readBody } from '../net/server/body.ts'
import type { Carrier } from './carrier.ts'
import type { Fleet } from './fleet.ts'

/** A request may bring many receipts. */
const LARGEST_BODY = 256 * 1024

/** The path to which an HTTP carrier posts its receipts. Its secret is what allows that. */
export function receiptsPath(carrier: string, secret: string): string {
  return `/carriers/${encodeURIComponent(carrier)}/${encodeURIComponent(secret)}`
}

/** Takes the receipts of HTTP carriers. A wrong secret and an unknown carrier get the answer of a path without routes. */
export function mountReceiptDoor(app: Hono, fleet: Pick<Fleet, 'all'>): void {
  app.on(['GET', 'POST'], '/carriers/:carrier/:secret', async (c: HttpContext) => {
    const { carrier, secret } = c.req.param()
    const found =
      carrier === undefined || secret === undefined ? undefined : carrierBehind(fleet, carrier, secret)
    if (!found?.takeReceipts) return c.notFound()
    const { method } = c.req
    const query = new URL(c.req.url).search.slice(1)
    const body = method === 'POST' ? await readBody(c, LARGEST_BODY) : new Uint8Array()
    const answer = await found.takeReceipts({ method, query, headers: c.req.raw.headers, body })
    const { status, body: text, contentType } = answer
    return new Response(text, { status, headers: { 'content-type': contentType } })
  })
}

function carrierBehind(fleet: Pick<Fleet, 'all'>, name: string, secret: string): Carrier | undefined {
  for (const { settings, carrier } of fleet.all()) {
    if (settings.kind !== 'http' || settings.name !== name || settings.receiptsSecret === undefined) continue
    return isSame(secret, settings.receiptsSecret) ? carrier : undefined
  }
  return undefined
}

function isSame(given: string, expected: string): boolean {
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', expected, 'buffer'))
}
