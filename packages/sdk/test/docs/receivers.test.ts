import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type RequestListener, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { serve } from '@hono/node-server'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type CallbackPayload, signCallback } from '../../src/index.ts'
import { compiled, readme, snippetsOf } from './snippets.ts'

const secret = 'whsec_c2VjcmV0'
const payload: CallbackPayload = {
  ClientReference: 'order-1042',
  Ticket: '01932c07-7e5d-7c3a-9f0e-2b6d5a1c8e4f',
  Destination: '233241234567',
  Cost: 0.045,
  BalanceBefore: 100,
  BalanceAfter: 99.955,
  Status: 'success',
}
const body = JSON.stringify(payload)

// Inside the repository, so that the packages are found from there; hidden from whatever reads its sources.
const folder = mkdtempSync(join(import.meta.dirname, '.receivers-'))
afterAll(() => rmSync(folder, { recursive: true }))
const snippets = snippetsOf(readme)
const paths = new Map(
  snippets.map((snippet) => {
    const code = snippet.code.replace('.listen(3000)', '')
    return [snippet.file, compiled(folder, { ...snippet, code })]
  }),
)

const log = vi.fn()
beforeEach(() => {
  vi.stubEnv('WIGWAG_CALLBACK_SECRET', secret)
  vi.spyOn(console, 'log').mockImplementation(log)
  vi.spyOn(console, 'error').mockImplementation(() => {})
})
afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
  log.mockReset()
})

interface Running extends AsyncDisposable {
  url: string
}

function running(server: Server, close: () => unknown = () => server.close()): Running {
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/callbacks`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await close()
    },
  }
}

async function listening(server: Server): Promise<Running> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return running(server)
}

/** Starts what a piece of the README exports: a server of `node:http`, an app of Express, Fastify or Hono. */
async function start({ server, app }: { server?: unknown; app?: unknown }): Promise<Running> {
  if (server instanceof Server) return listening(server)
  if (typeof server === 'function') return listening(createServer(server as RequestListener))
  if (isFastify(server)) {
    await server.listen({ port: 0, host: '127.0.0.1' })
    return running(server.server, () => server.close())
  }
  const hono = app as { fetch(request: Request): Promise<Response> }
  return new Promise((resolve) => {
    const started = serve(
      { fetch: hono.fetch, port: 0, hostname: '127.0.0.1', overrideGlobalObjects: false },
      () => resolve(running(started as Server)),
    )
  })
}

function isFastify(server: unknown): server is FastifyInstance {
  return typeof server === 'object' && server !== null && 'inject' in server
}

const post = async (url: string, key = secret) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(await signCallback(body, key)) },
    body,
  })

describe('the receivers of the README', () => {
  const servers = snippets.filter(
    ({ title, code }) => /^Receive/.test(title) && /const (server|app) =/.test(code),
  )

  it('are of node:http, Express, Fastify and Hono', () => {
    const imported = servers.map(({ code }) => /from '(node:http|express|fastify|hono)'/.exec(code)?.[1])
    expect(imported.toSorted()).toEqual(['express', 'fastify', 'hono', 'node:http', 'node:http'])
  })

  it.each(servers)(
    'answer 204 to a callback of the gateway and 401 to a forgery: $title',
    async ({ file }) => {
      await using receiver = await start(await import(paths.get(file) ?? ''))
      expect((await post(receiver.url)).status).toBe(204)
      expect(log.mock.calls).toEqual([['order-1042', payload.Ticket, 'success']])
      expect((await post(receiver.url, 'whsec_Zm9yZ2Vk')).status).toBe(401)
      expect(log).toHaveBeenCalledTimes(1)
    },
  )

  it('handle each callback once, and again when that failed', async () => {
    const { POST } = await import(paths.get('once.ts') ?? '')
    const headers = await signCallback(body, secret)
    const arrive = async () =>
      (await POST(new Request('https://shop.example/callbacks', { method: 'POST', headers, body }))).status
    log.mockImplementationOnce(() => {
      throw new Error('the database is away')
    })
    expect([await arrive(), await arrive(), await arrive()]).toEqual([500, 204, 204])
    expect(log.mock.calls).toEqual(Array(2).fill(['order-1042', 'success']))
  })
})

describe('a parser that has read the body', () => {
  it.each(['Express', 'Fastify'])(
    'of %s is named in the answer and in the log, and nothing hangs',
    async (name) => {
      const { callbackHandler, toNodeHandler } = await import('@wigwag/sdk')
      const receive = toNodeHandler(callbackHandler(() => {}))
      const server = name === 'Express' ? await behindExpress(receive) : behindFastify(receive)
      await using receiver = await start({ server })
      const response = await post(receiver.url)
      const text = await response.text()
      expect([response.status, text]).toEqual([500, expect.stringContaining('request.rawBody')])
      expect(console.error).toHaveBeenCalledWith(new TypeError(text))
    },
  )

  type Receive = ReturnType<typeof import('../../src/index.ts').toNodeHandler>

  async function behindExpress(receive: Receive) {
    const { default: express } = await import('express')
    const server = express()
    server.use(express.json())
    server.post('/callbacks', receive)
    return server
  }

  function behindFastify(receive: Receive) {
    const server = Fastify()
    server.post('/callbacks', (request, reply) => {
      reply.hijack()
      return receive(request.raw, reply.raw)
    })
    return server
  }
})
