import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { connectOverHttp, post } from '../fixtures/assistant.ts'
import { type Gateway, openGateway } from '../fixtures/gateway.ts'
import { isSend, MESSAGE } from '../fixtures/message.ts'
import { freshState, startProgram } from '../fixtures/process.ts'
import type { Program } from '../fixtures/program.ts'

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' }

describe('wigwag-mcp --http --unprotected', () => {
  it('serves the ten tools over HTTP, under the same limits', async () => {
    const { url, gateway } = await serve({ WIGWAG_MCP_DAILY_MESSAGES: '1' })
    const { names, call } = await connectOverHttp(url)
    expect(await names()).toHaveLength(10)
    const sends = ['1', '2', '3'].map((content) => call('send_sms', { ...MESSAGE, content }))
    expect((await Promise.all(sends)).filter(({ isError }) => !isError)).toHaveLength(1)
    expect((await gateway.sandbox.client.searchMessages().page()).Items).toHaveLength(1)
  })

  it('answers a body that is too large before it has all arrived, and goes on serving', async () => {
    const { url } = await serve()
    expect((await post(url, {}, 'x'.repeat(20_000_000))).status).toBe(413)
    expect(await (await post(url, {}, PING)).json()).toEqual({ jsonrpc: '2.0', id: 1, result: {} })
  })

  it('accepts a notification with 202, and serves nothing at other paths', async () => {
    const { url } = await serve()
    const notification = { jsonrpc: '2.0', method: 'notifications/initialized' }
    expect((await post(url, {}, notification)).status).toBe(202)
    expect((await post(new URL('/', url).href, {}, PING)).status).toBe(404)
    expect((await fetch(new URL('/mcp/x', url))).status).toBe(404)
    expect((await fetch(url)).status).toBe(405)
  })

  it('answers running calls when it is told to stop, and exits with 0', async () => {
    const arrived = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    const { url, program } = await serve({}, async (request, gateway) => {
      if (isSend(request)) {
        arrived.resolve()
        await held.promise
      }
      return gateway(request)
    })
    const params = { name: 'send_sms', arguments: MESSAGE }
    const sent = post(url, {}, { jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    await arrived.promise
    program.child.kill('SIGTERM')
    await expect.poll(() => isTaken(url)).toBe(false)
    held.resolve()
    expect(await (await sent).json()).toMatchObject({ result: { structuredContent: { status: 'pending' } } })
    expect((await program.ended).code).toBe(0)
  })
})

/** Whether a new connection is. */
function isTaken(url: string): Promise<boolean> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  return new Promise<boolean>((resolve) => {
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false))
  }).finally(() => socket.destroy())
}

async function serve(
  env: Record<string, string> = {},
  before?: Parameters<typeof openGateway>[0],
): Promise<{ url: string; program: Program; gateway: Gateway }> {
  const gateway = await openGateway(before)
  const program = startProgram({ ...gateway.env, WIGWAG_MCP_STATE: freshState(), ...env }, [
    '--http',
    '--unprotected',
    '--port',
    '0',
  ])
  return { url: await program.listening, program, gateway }
}
