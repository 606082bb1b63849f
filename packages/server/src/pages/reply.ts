import { PAGE_HEADERS } from './headers.ts'

export interface ReplyOptions {
  status?: number
  /** A cookie that goes with it, if there is one to set. */
  setCookie?: string | undefined
  headers?: Record<string, string>
}

/** A page as it is sent. */
export function pageReply(page: string, { status = 200, setCookie, headers }: ReplyOptions = {}): Response {
  const type = { 'content-type': 'text/html; charset=utf-8' }
  return new Response(page, {
    status,
    headers: { ...PAGE_HEADERS, ...type, ...cookie(setCookie), ...headers },
  })
}

/** Sends a browser on after a form, to a path of ours. */
export function goTo(path: string, setCookie?: string): Response {
  return new Response(null, {
    status: 303,
    headers: { ...PAGE_HEADERS, location: path, ...cookie(setCookie) },
  })
}

/** When to come back, in seconds, if that is known. */
export function retryHeader(retryAfter: number | undefined): Record<string, string> {
  return retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }
}

function cookie(setCookie: string | undefined): Record<string, string> {
  return setCookie === undefined ? {} : { 'set-cookie': setCookie }
}
