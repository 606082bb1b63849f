import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { fastTransport } from '../../src/cli/fast-transport.ts'

afterEach(() => vi.unstubAllEnvs())

/** A proxy that opens no tunnel, and records for which hosts it was asked. */
async function startProxy() {
  const asked: string[] = []
  const server = createServer().on('connect', ({ url = '' }, client) => {
    asked.push(url)
    client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

it('a single call goes through the proxy of the environment, as many at once do', async () => {
  const proxy = await startProxy()
  vi.stubEnv('HTTP_PROXY', proxy.url)
  vi.stubEnv('NO_PROXY', '')
  const transport = await fastTransport()
  const call = transport?.('http://gateway.invalid/v1/balance', {
    method: 'GET',
    headers: {},
    signal: new AbortController().signal,
    redirect: 'manual',
  })
  await expect(call).rejects.toThrow()
  expect(proxy.asked).toEqual(['gateway.invalid:80'])
})
