import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { serveStdio } from '../../src/transports/index.ts'
import { openConnector } from '../fixtures/connector.ts'
import { isSend, MESSAGE } from '../fixtures/message.ts'

const line = (id: number, method: string, params: object) =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`
const INITIALIZE = line(0, 'initialize', {
  ...{ protocolVersion: '2025-06-18', capabilities: {} },
  clientInfo: { name: 'test', version: '1' },
})

/** A client over two streams, whose sends the gateway holds. */
async function connected() {
  const arrived = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const { identity, sandbox } = await openConnector({
    async before(request, gateway) {
      if (isSend(request)) {
        arrived.resolve()
        await held.promise
      }
      return gateway(request)
    },
  })
  const input = new PassThrough()
  const output = new PassThrough()
  let isOver = false
  const served = serveStdio({ identity, input, output }).then(() => {
    isOver = true
  })
  input.write(INITIALIZE)
  return { input, served, isOver: () => isOver, arrived: arrived.promise, letGo: held.resolve, sandbox }
}

it.each(['end', 'destroy'] as const)(
  'ends at once when its client leaves by %s and no call is running',
  async (leave) => {
    const { input, served } = await connected()
    input[leave]()
    await served
  },
)

it.each(['end', 'destroy'] as const)('ends after its calls when its client leaves by %s', async (leave) => {
  const { input, served, isOver, arrived, letGo, sandbox } = await connected()
  input.write(line(1, 'tools/call', { name: 'send_sms', arguments: MESSAGE }))
  await arrived
  input[leave]()
  for (let turn = 0; turn < 100; turn++) await new Promise((go) => setImmediate(go))
  expect(isOver()).toBe(false)
  letGo()
  await served
  expect((await sandbox.client.searchMessages().page()).Items).toHaveLength(1)
})
