import { createServer, type IncomingHttpHeaders, request as requestTo } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export interface Passing {
  method: string
  path: string
  body: string
}

export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: string
}

/** Changes an answer on its way back; undefined leaves it as it is. */
export type Tamper = (passing: Passing, answer: Answer) => Partial<Answer> | undefined

/** A proxy in front of a gateway, as in a set-up that is broken somewhere. */
export interface TamperingProxy {
  url: string
  /** Where it passes requests on to. */
  target: string
  tamper: Tamper
  /** The requests so far, such as `POST /oauth/revoke`. */
  passed: string[]
  close(): void
}

export async function openTamperingProxy(): Promise<TamperingProxy> {
  const server = createServer(async (incoming, outgoing) => {
    const { method = '', url: path = '' } = incoming
    // Answers are to be changed as text.
    const { 'accept-encoding': _, ...headers } = incoming.headers
    const body = await text(incoming)
    proxy.passed.push(`${method} ${path}`)
    const passing = requestTo(new URL(path, proxy.target), { method, headers }, async (response) => {
      const { statusCode: status = 0, headers } = response
      const answer = { status, headers, body: await text(response) }
      const sent = { ...answer, ...proxy.tamper({ method, path, body }, answer) }
      const { 'content-length': __, 'transfer-encoding': ___, ...kept } = sent.headers
      outgoing.writeHead(sent.status, kept)
      outgoing.end(sent.body)
    })
    passing.on('error', () => outgoing.destroy())
    passing.end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const proxy: TamperingProxy = {
    url: `http://127.0.0.1:${port}`,
    target: '',
    tamper: () => undefined,
    passed: [],
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
  return proxy
}

/** Changes the document at a path. */
export function changing(path: string, changes: Readonly<Record<string, unknown>>): Tamper {
  return (passing, { body }) =>
    passing.path === path ? { body: JSON.stringify({ ...JSON.parse(body), ...changes }) } : undefined
}

/** Answers a path with a page. */
export function page(path: string, status: number, html: string): Tamper {
  return (passing) =>
    passing.path === path
      ? { status, headers: { 'content-type': 'text/html; charset=utf-8' }, body: html }
      : undefined
}
