import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'

export interface Forwarded {
  status: number
  headers: Record<string, string>
  body: Buffer
}

/** Hop-by-hop headers: they apply to one connection only. */
const OF_ONE_CONNECTION = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])
/** The headers of an answer that the gateway uses. */
const HANDED_BACK = ['content-type', 'retry-after']
const MOST_BYTES = 65_536
const TIMEOUT_MS = 10_000

/** Posts the same bytes with the same headers, so that a signature stays valid. Returns the answer. */
export function forward(url: string, rawHeaders: readonly string[], body: Buffer): Promise<Forwarded> {
  const request = url.startsWith('https:') ? requestHttps : requestHttp
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method: 'POST', signal: AbortSignal.timeout(TIMEOUT_MS) }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('error', reject)
      answer.on('end', () => {
        const headers = Object.fromEntries(
          HANDED_BACK.flatMap((name) =>
            typeof answer.headers[name] === 'string' ? [[name, answer.headers[name]]] : [],
          ),
        )
        resolve({
          status: answer.statusCode ?? 502,
          headers,
          body: Buffer.concat(chunks).subarray(0, MOST_BYTES),
        })
      })
    })
    outgoing.on('error', reject)
    for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
      const name = rawHeaders[at] ?? ''
      if (!OF_ONE_CONNECTION.has(name.toLowerCase())) outgoing.appendHeader(name, rawHeaders[at + 1] ?? '')
    }
    outgoing.setHeader('content-length', body.length)
    outgoing.end(body)
  })
}
