import type { OutboundRequest } from '../gateway/ports.ts'

/** Set here or by the connection; one given by the caller could only contradict it. */
const NOT_THE_CALLERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** The caller's headers, with a Content-Length for what is sent, so that nothing is ever chunked. */
export function requestHeaders(input: OutboundRequest): Record<string, string | number> {
  const headers: Record<string, string | number> = {}
  for (const [name, value] of Object.entries(input.headers)) {
    if (!NOT_THE_CALLERS.has(name.toLowerCase())) headers[name] = value
  }
  // Without a body Node announces 0 for a POST by itself, and nothing for a GET.
  if (input.body !== undefined) headers['Content-Length'] = input.body.byteLength
  return headers
}
