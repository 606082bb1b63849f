import * as z from 'zod'
import { excerpt, excerptOfPage } from './excerpt.ts'

/** The response to one request. */
export interface Visited {
  /** The request, such as `GET https://sms.example.com/mcp`. */
  request: string
  status: number
  headers: Headers
  text: string
  /** The body, if it is JSON; else undefined. */
  json: unknown
}

/** Makes one request, and follows no redirect. Throws a `Wrong` when no answer comes. */
export type Visit = (url: string | URL, init?: RequestInit) => Promise<Visited>

/** Something that was found to be wrong, as a sentence for the person. */
export class Wrong extends Error {
  override readonly name = 'Wrong'
}

/** How long one request may take. */
export const REQUEST_MS = 15_000

/** A request fails when it takes too long, or at once when `stopped` is aborted. */
export function createVisit(fetcher: typeof fetch, stopped?: AbortSignal, requestMs = REQUEST_MS): Visit {
  return async function visit(url, init = {}) {
    const request = `${init.method ?? 'GET'} ${excerpt(String(url), 300)}`
    const signals = [AbortSignal.timeout(requestMs), stopped, init.signal].filter((signal) => signal != null)
    try {
      const response = await fetcher(url, { ...init, redirect: 'manual', signal: AbortSignal.any(signals) })
      const { status, headers } = response
      const text = await response.text()
      return { request, status, headers, text, json: parsed(text) }
    } catch (error) {
      throw new Wrong(`${request}: no answer: ${whyNoAnswer(error, requestMs)}`, { cause: error })
    }
  }
}

/** Requests that a library makes, and what came back: the library's own errors don't say enough. */
export interface Watch {
  fetch(url: string | URL, init?: RequestInit): Promise<Response>
  /** The error of the library in our words. */
  explain(error: unknown, expected: string): unknown
}

const WITHOUT_BODY = [204, 205, 304]

export function createWatch(visit: Visit): Watch {
  let posted: Visited | undefined
  return {
    async fetch(url, init) {
      const visited = await visit(url, init)
      if (init?.method === 'POST') posted = visited
      const { status, headers, text } = visited
      return new Response(WITHOUT_BODY.includes(status) ? null : text, { status, headers })
    },
    explain(error, expected) {
      if (error instanceof Wrong || !posted || !(error instanceof Error)) return error
      if (posted.status >= 300) return unexpected(posted, expected)
      // Not the body, which may hold a token.
      const why = excerpt(error.message)
      return new Wrong(
        `${posted.request}: expected ${expected}; got ${posted.status} with other content: ${why}`,
      )
    },
  }
}

/** The sentence for an answer that is not the expected one. */
export function unexpected(visited: Visited, expected: string): Wrong {
  return new Wrong(`${visited.request}: expected ${expected}; got ${whatCame(visited)}`)
}

/** An answer in a few words: `404 text/html "Not Found"`. */
export function whatCame({ status, headers, text, json }: Visited): string {
  const to = headers.get('location')
  if (status >= 300 && status < 400 && to !== null) return `${status}, a redirect to ${excerpt(to, 300)}`
  const type = headers.get('content-type')?.split(';')[0]?.trim()
  const words = said(json) ?? (type === 'text/html' ? excerptOfPage(text) : excerpt(text))
  return [status, type && excerpt(type), words === '' ? 'without a body' : JSON.stringify(words)]
    .filter(Boolean)
    .join(' ')
}

const errorSchemas = [
  // OAuth
  z
    .object({ error: z.string(), error_description: z.string().optional() })
    .transform(({ error, error_description: more }) => (more === undefined ? error : `${error}: ${more}`)),
  // JSON-RPC
  z.object({ error: z.object({ message: z.string() }) }).transform(({ error }) => error.message),
  // Problem details
  z
    .object({ title: z.string(), detail: z.string().optional() })
    .transform(({ title, detail = title }) => detail),
]

/** The words of an error in a known form. */
function said(json: unknown): string | undefined {
  for (const schema of errorSchemas) {
    const { data } = schema.safeParse(json)
    if (data !== undefined) return excerpt(data)
  }
  return undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const CODES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused, so nothing listens there',
  ENOTFOUND: 'the host name is not known',
  EAI_AGAIN: 'the host name could not be looked up',
  ECONNRESET: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed',
}

function whyNoAnswer(error: unknown, requestMs: number): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return `none within ${requestMs / 1_000} s`
  const { cause } = error
  if (!(cause instanceof Error)) return excerpt(error.message)
  const code = 'code' in cause ? String(cause.code) : ''
  return CODES[code] ?? (excerpt(cause.message) || code)
}
