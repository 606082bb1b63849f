import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { openGateway } from '../fixtures/gateway.ts'
import { isSend, MESSAGE } from '../fixtures/message.ts'
import { freshState, startProgram } from '../fixtures/process.ts'
import { statelessRequest } from '../fixtures/stateless.ts'

const line = (method: string, params = {}, id = 1) =>
  JSON.stringify({ ...statelessRequest(method, params).body, id })

it('answers a client of 2026-07-28 from its first message on', async () => {
  const { env } = await openGateway()
  const { write, read } = startProgram({ ...env, WIGWAG_MCP_STATE: freshState() })
  write(line('tools/call', { name: 'get_balance' }))
  expect(await read()).toMatchObject({
    id: 1,
    result: { resultType: 'complete', structuredContent: { balance: 100 } },
  })
  write('hello')
  expect(await read()).toMatchObject({ error: { code: -32_700 } })
  write(line('tools/list', {}, 2))
  expect(await read()).toMatchObject({ id: 2, result: { cacheScope: 'private' } })
})

it('serves a client before 2026-07-28 that has asked for a discovery first', async () => {
  const { env } = await openGateway()
  const { write, read } = startProgram({ ...env, WIGWAG_MCP_STATE: freshState() })
  write(line('server/discover'))
  expect(await read()).toMatchObject({ id: 1, result: { supportedVersions: ['2026-07-28'] } })
  write(JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'get_balance' } }))
  expect(await read()).toMatchObject({ id: 2, result: { structuredContent: { balance: 100 } } })
})

it('finishes the calls of a client of 2026-07-28 that leaves without waiting', async () => {
  const { env, sandbox } = await openGateway((request, gateway) => {
    if (isSend(request)) child.stdin.end()
    return gateway(request)
  })
  const state = freshState()
  const { child, write, ended } = startProgram({ ...env, WIGWAG_MCP_STATE: state })
  write(line('tools/call', { name: 'send_sms', arguments: MESSAGE }))
  expect(await ended).toMatchObject({ code: 0, stderr: '' })
  expect((await sandbox.client.searchMessages().page()).Items).toHaveLength(1)
  expect(readFileSync(state, 'utf8')).toContain('"outcome":"sent"')
})
