import { appendFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import { freshState, openGateway, startAssistant } from './process.ts'

const MESSAGE = { from: 'WIGWAG', to: '233241234567', content: 'Hello' }
const ONE_A_DAY = { WIGWAG_MCP_DAILY_MESSAGES: '1' }

describe('limits over stdio', () => {
  it('outlive the process that counted, killed while its send was on the way', async () => {
    const arrived = Promise.withResolvers<void>()
    const gateway = await openGateway(async (request, next) => {
      if (!request.url.endsWith('/v1/messages/sms')) return next(request)
      await next(request)
      arrived.resolve()
      return new Promise(() => {})
    })
    const env = { ...gateway.env, ...ONE_A_DAY, WIGWAG_MCP_STATE: freshState() }
    const first = await startAssistant(env)
    const lost = first.send(MESSAGE).catch((error: Error) => error)
    await arrived.promise
    process.kill(first.pid, 'SIGKILL')
    expect(await lost).toBeInstanceOf(Error)

    const second = await startAssistant(env)
    expect(await second.send({ ...MESSAGE, content: 'Second' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('1 messages a day'),
    })
    expect((await gateway.sandbox.client.searchMessages().page()).Items).toHaveLength(1)
  })

  it('hold for all processes that share the file', async () => {
    const gateway = await openGateway()
    const env = { ...gateway.env, WIGWAG_MCP_DAILY_MESSAGES: '3', WIGWAG_MCP_STATE: freshState() }
    const assistants = await Promise.all([startAssistant(env), startAssistant(env)])
    const results = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        assistants[index % 2]?.send({ ...MESSAGE, content: `${index}` }),
      ),
    )
    expect(results.filter((result) => result?.isError === false)).toHaveLength(3)
    expect((await gateway.sandbox.client.searchMessages().page()).Items).toHaveLength(3)
  })

  it('come from flags too, which win over the environment', async () => {
    const gateway = await openGateway()
    const env = { ...gateway.env, WIGWAG_MCP_DAILY_SPEND: '5', WIGWAG_MCP_STATE: freshState() }
    const { send } = await startAssistant(env, ['--daily-spend', '0.001'])
    expect((await send(MESSAGE)).text).toContain('0.001 is left of the 0.001')
  })

  it('--read-only leaves the tools that read', async () => {
    const gateway = await openGateway()
    const { mcp } = await startAssistant({ ...gateway.env, WIGWAG_MCP_STATE: freshState() }, ['--read-only'])
    expect((await mcp.listTools()).tools).toHaveLength(7)
  })
})

describe('the journal of sends', () => {
  it('is for its owner alone, and the audit beside it has a line for each send', async () => {
    const gateway = await openGateway()
    const state = freshState()
    const { send } = await startAssistant({ ...gateway.env, WIGWAG_MCP_STATE: state })
    const { text } = await send(MESSAGE)
    expect(statSync(state).mode & 0o777).toBe(0o600)
    const audit = readFileSync(`${state}.audit`, 'utf8').trim().split('\n')
    expect(audit.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ tool: 'send_sms', outcome: 'done' }),
    ])
    expect(text).toContain(JSON.parse(audit[0] ?? '').ticket)
  })

  it.each([
    ['holds what this program did not write', (path: string) => writeFileSync(path, '{"kind":"attempt"}\n')],
    ['is a folder', (path: string) => mkdirSync(path)],
  ])('that %s lets nothing through', async (_name, spoil) => {
    const gateway = await openGateway()
    const state = freshState()
    mkdirSync(dirname(state), { recursive: true })
    spoil(state)
    const { send } = await startAssistant({ ...gateway.env, WIGWAG_MCP_STATE: state })
    expect(await send(MESSAGE)).toMatchObject({
      isError: true,
      text: expect.stringMatching(/Nothing was sent: the journal of sends, .* can't be /),
    })
    expect((await gateway.sandbox.client.searchMessages().page()).Items).toEqual([])
  })

  it('survives a line that broke off', async () => {
    const gateway = await openGateway()
    const state = freshState()
    const env = { ...gateway.env, WIGWAG_MCP_DAILY_MESSAGES: '2', WIGWAG_MCP_STATE: state }
    const first = await startAssistant(env)
    await first.send(MESSAGE)
    appendFileSync(state, '{"kind":"attempt","id":"')
    expect((await first.send({ ...MESSAGE, content: 'Second' })).isError).toBe(false)
    const second = await startAssistant(env)
    expect((await second.send({ ...MESSAGE, content: 'Third' })).text).toContain('2 messages a day')
  })

  it('forgets old days, and remembers yesterday', async () => {
    const gateway = await openGateway()
    const state = freshState()
    mkdirSync(dirname(state), { recursive: true })
    const entry = (id: string, daysAgo: number) =>
      JSON.stringify({
        kind: 'attempt',
        id,
        at: Date.now() - daysAgo * 86_400_000,
        connection: 'x',
        tool: 'send_sms',
        digest: '',
        cost: null,
      })
    writeFileSync(state, `${entry('old', 3)}\n${entry('yesterday', 1)}\n`)
    const { send } = await startAssistant({ ...gateway.env, WIGWAG_MCP_STATE: state })
    expect((await send(MESSAGE)).isError).toBe(false)
    const kept = readFileSync(state, 'utf8')
    expect(kept).toContain('yesterday')
    expect(kept).not.toContain('"old"')
  })
})

describe('the lock of the journal', () => {
  it('is cleared when the process that held it is gone', async () => {
    const gateway = await openGateway()
    const state = freshState()
    const env = { ...gateway.env, WIGWAG_MCP_STATE: state }
    const gone = await startAssistant(env)
    process.kill(gone.pid, 'SIGKILL')
    mkdirSync(dirname(state), { recursive: true })
    writeFileSync(`${state}.lock`, `${hostname()} ${gone.pid} some-run`)
    const { send } = await startAssistant(env)
    await expect.poll(async () => (await send(MESSAGE)).isError, { timeout: 10_000 }).toBe(false)
    expect(existsSync(`${state}.lock`)).toBe(false)
  })

  it('lets nothing through while another process holds it, and names the file', async () => {
    const gateway = await openGateway()
    const state = freshState()
    mkdirSync(dirname(state), { recursive: true })
    writeFileSync(`${state}.lock`, `${hostname()} ${process.pid} some-run`)
    const { send } = await startAssistant({ ...gateway.env, WIGWAG_MCP_STATE: state })
    const { isError, text } = await send(MESSAGE)
    expect(isError).toBe(true)
    expect(text).toContain(`a person should remove ${state}.lock`)
    expect((await gateway.sandbox.client.searchMessages().page()).Items).toEqual([])
  })
})
