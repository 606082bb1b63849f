import { readFileSync, statSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { openGateway } from '../fixtures/gateway.ts'
import { MESSAGE } from '../fixtures/message.ts'
import { freshState, startAssistant } from '../fixtures/process.ts'

const ONE_A_DAY = { WIGWAG_MCP_DAILY_MESSAGES: '1' }

describe('limits over stdio', () => {
  it('survive a kill of the process while its send was on the way', async () => {
    const arrived = Promise.withResolvers<void>()
    const gateway = await openGateway(async (request, next) => {
      if (!request.url.endsWith('/v1/messages/sms')) return next(request)
      await next(request)
      arrived.resolve()
      return new Promise(() => {})
    })
    const env = { ...gateway.env, ...ONE_A_DAY, WIGWAG_MCP_STATE: freshState() }
    const first = await startAssistant(env)
    const lost = first.call('send_sms', MESSAGE).catch((error: Error) => error)
    await arrived.promise
    process.kill(first.pid, 'SIGKILL')
    expect(await lost).toBeInstanceOf(Error)

    const second = await startAssistant(env)
    expect(await second.call('send_sms', { ...MESSAGE, content: 'Second' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('1 message a day'),
    })
    expect((await gateway.sandbox.client.searchMessages().page()).Items).toHaveLength(1)
  })

  it('apply across all processes that share the file', async () => {
    const gateway = await openGateway()
    const env = { ...gateway.env, WIGWAG_MCP_DAILY_MESSAGES: '3', WIGWAG_MCP_STATE: freshState() }
    const assistants = await Promise.all([startAssistant(env), startAssistant(env)])
    const results = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        assistants[index % 2]?.call('send_sms', { ...MESSAGE, content: `${index}` }),
      ),
    )
    expect(results.filter((result) => result?.isError === false)).toHaveLength(3)
    expect((await gateway.sandbox.client.searchMessages().page()).Items).toHaveLength(3)
  })
})

describe('the journal of sends', () => {
  it('is readable by its owner alone, and the audit beside it has a line for each send', async () => {
    const gateway = await openGateway()
    const state = freshState()
    const { call } = await startAssistant({ ...gateway.env, WIGWAG_MCP_STATE: state })
    const { text } = await call('send_sms', MESSAGE)
    expect(statSync(state).mode & 0o777).toBe(0o600)
    const audit = readFileSync(`${state}.audit`, 'utf8').trim().split('\n')
    expect(audit.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ tool: 'send_sms', outcome: 'done' }),
    ])
    expect(text).toContain(JSON.parse(audit[0] ?? '').ticket)
  })
})
