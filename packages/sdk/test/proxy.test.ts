import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { ProxyAgent } from 'undici'
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { createClient } from '../src/index.ts'
import { nodeTransport } from '../src/node/index.ts'
import { credentials, faultServer, json, message, sent } from './fault-server.ts'

afterEach(() => vi.unstubAllEnvs())

/** A proxy that opens tunnels, and remembers where to. */
async function startProxy() {
  const tunnels: string[] = []
  const server = createServer().on('connect', ({ url = '' }, client, head) => {
    tunnels.push(url)
    const { hostname, port } = new URL(`http://${url}`)
    const target = connect(Number(port), hostname, () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      target.write(head)
      target.pipe(client).pipe(target)
    })
    for (const socket of [client, target]) socket.on('error', () => target.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { tunnels, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

async function sendOver(fetch: ReturnType<typeof nodeTransport>): Promise<string> {
  const server = await faultServer(json(200, sent))
  onTestFinished(() => server[Symbol.asyncDispose]())
  onTestFinished(() => fetch.close())
  expect(await createClient({ ...credentials, baseUrl: server.baseUrl, fetch }).sendSms(message)).toEqual(
    sent,
  )
  return new URL(server.baseUrl).host
}

it.each(['HTTP_PROXY', 'http_proxy'])('the Node transport goes through the proxy in %s', async (name) => {
  const proxy = await startProxy()
  vi.stubEnv(name, proxy.url)
  vi.stubEnv('NO_PROXY', '')
  const transport = nodeTransport()
  const host = await sendOver(transport)
  expect(transport.isProxied).toBe(true)
  expect(proxy.tunnels).toEqual([host])
})

it('the Node transport leaves the proxy out where NO_PROXY names the host', async () => {
  const proxy = await startProxy()
  vi.stubEnv('HTTP_PROXY', proxy.url)
  vi.stubEnv('NO_PROXY', '127.0.0.1')
  await sendOver(nodeTransport())
  expect(proxy.tunnels).toEqual([])
})

it('the Node transport goes through a dispatcher that it is given', async () => {
  const proxy = await startProxy()
  vi.stubEnv('HTTP_PROXY', 'http://127.0.0.1:1')
  const transport = nodeTransport({ dispatcher: new ProxyAgent(proxy.url) })
  const host = await sendOver(transport)
  expect(transport.isProxied).toBe(false)
  expect(proxy.tunnels).toEqual([host])
})
