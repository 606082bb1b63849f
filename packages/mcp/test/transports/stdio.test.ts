import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { serveStdio } from '../../src/transports/index.ts'
import { openConnector } from '../fixtures/connector.ts'
import { isSend, MESSAGE } from '../fixtures/message.ts'

const line = (id: number, method: string, params: object) =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`
const INITIALIZE = line(0, 'initialize', {
  protocolVersion: '2025-06-18',
  capabilities: {},
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

/** A client that gets questions over its streams, and what it is asked next. */
async function asked(answer: object) {
  const { identity, sandbox, audit } = await openConnector({ unasked: 'refuse' })
  const [input, output] = [new PassThrough(), new PassThrough()]
  const served = serveStdio({ identity, input, output })
  const lines = createInterface({ input: output })[Symbol.asyncIterator]()
  const read = async () => JSON.parse((await lines.next()).value ?? 'null')
  input.write(INITIALIZE.replace('"capabilities":{}', '"capabilities":{"elicitation":{}}'))
  await read()
  input.write(line(1, 'tools/call', { name: 'send_sms', arguments: MESSAGE }))
  const { id, method, params } = await read()
  expect(method).toBe('elicitation/create')
  expect(params.message).toContain('Send this SMS now?')
  input.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`)
  const { result } = await read()
  input.end()
  await served
  return { result, audit, sent: (await sandbox.client.searchMessages().page()).Items }
}

it('sends nothing, and says so, when the client fails to ask its person', async () => {
  const { result, audit, sent } = await asked({ error: { code: -32_603, message: 'no ui' } })
  expect(result.isError).toBe(true)
  expect(result.content[0].text).toMatch(
    /^Nothing was sent: your program failed to ask the person about it; /,
  )
  expect(sent).toEqual([])
  expect(audit).toMatchObject([{ outcome: 'refused', program: 'none', person: 'not known' }])
})

it.each([
  ['decline', { action: 'decline' }],
  ['cancel', { action: 'cancel' }],
  ['decline', { action: 'accept', content: { confirm: false } }],
])('sends nothing when the client answers %s by %j', async (program, result) => {
  const { result: answer, audit, sent } = await asked({ result })
  expect(answer.content[0].text).toMatch(/^Nothing was sent: your program /)
  expect(sent).toEqual([])
  expect(audit).toMatchObject([{ outcome: 'refused', program, person: 'not known' }])
})

it('sends when the client answers yes before 2026-07-28', async () => {
  const { result, audit, sent } = await asked({ result: { action: 'accept', content: { confirm: true } } })
  expect(result.structuredContent).toMatchObject({ status: 'pending', asked: true })
  expect(sent).toHaveLength(1)
  expect(audit).toMatchObject([{ outcome: 'done', program: 'accept', person: 'not known' }])
})
