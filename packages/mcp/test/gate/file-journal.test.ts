import { spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { createFileJournal, type Limits } from '@wigwag/mcp'
import { describe, expect, it } from 'vitest'
import { type Connector, type ConnectorOptions, openConnector } from '../fixtures/connector.ts'
import { isSend, MESSAGE } from '../fixtures/message.ts'
import { freshState } from '../fixtures/process.ts'

const A_DAY = 86_400_000

/** A connector that counts in the file, as one more process would that has the same gateway. */
function counting(
  path: string,
  limits: Limits,
  options: Pick<ConnectorOptions, 'sandbox' | 'before'> = {},
): Promise<Connector> {
  return openConnector({ ...options, limits, journal: createFileJournal({ path }) })
}

async function sentOf({ sandbox }: Connector) {
  return (await sandbox.client.searchMessages().page()).Items
}

describe('limits in a file', () => {
  it('count a send that was on the way when its process ended', async () => {
    const state = freshState()
    const arrived = Promise.withResolvers<void>()
    const first = await counting(
      state,
      { dailyMessages: 1 },
      {
        async before(request, gateway) {
          const answer = await gateway(request)
          if (!isSend(request)) return answer
          arrived.resolve()
          return new Promise(() => {})
        },
      },
    )
    const { sandbox } = first
    void first.call('send_sms', MESSAGE).catch(() => {})
    await arrived.promise

    const second = await counting(state, { dailyMessages: 1 }, { sandbox })
    expect(await second.call('send_sms', { ...MESSAGE, content: 'Second' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('1 message a day'),
    })
    expect(await sentOf(second)).toHaveLength(1)
  })

  it('apply to all who share the file', async () => {
    const state = freshState()
    const first = await counting(state, { dailyMessages: 3 })
    const second = await counting(state, { dailyMessages: 3 }, { sandbox: first.sandbox })
    const results = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        [first, second][index % 2]?.call('send_sms', { ...MESSAGE, content: `${index}` }),
      ),
    )
    expect(results.filter((result) => result?.isError === false)).toHaveLength(3)
    expect(await sentOf(first)).toHaveLength(3)
  })
})

describe('the journal of sends', () => {
  it('is readable by its owner alone', async () => {
    const state = freshState()
    const { call } = await counting(state, {})
    await call('send_sms', MESSAGE)
    expect(statSync(state).mode & 0o777).toBe(0o600)
  })

  it.each([
    [
      'contains a line that this program did not write',
      (path: string) => writeFileSync(path, '{"kind":"attempt"}\n'),
    ],
    ['is a folder', (path: string) => mkdirSync(path)],
  ])('that %s stops every send', async (_name, spoil) => {
    const state = freshState()
    mkdirSync(dirname(state), { recursive: true })
    spoil(state)
    const connector = await counting(state, {})
    expect(await connector.call('send_sms', MESSAGE)).toMatchObject({
      isError: true,
      text: expect.stringMatching(/Nothing was sent: the journal of sends, .* can't be /),
    })
    expect(await sentOf(connector)).toEqual([])
  })

  it('survives an incomplete last line', async () => {
    const state = freshState()
    const first = await counting(state, { dailyMessages: 2 })
    await first.call('send_sms', MESSAGE)
    appendFileSync(state, '{"kind":"attempt","id":"')
    expect((await first.call('send_sms', { ...MESSAGE, content: 'Second' })).isError).toBe(false)
    const second = await counting(state, { dailyMessages: 2 }, { sandbox: first.sandbox })
    expect((await second.call('send_sms', { ...MESSAGE, content: 'Third' })).text).toContain(
      '2 messages a day',
    )
  })

  it('drops old days, and keeps yesterday', async () => {
    const state = freshState()
    mkdirSync(dirname(state), { recursive: true })
    const { call, sandbox } = await counting(state, {})
    const entry = (id: string, daysAgo: number) =>
      JSON.stringify({
        kind: 'attempt',
        id,
        at: sandbox.clock.now().getTime() - daysAgo * A_DAY,
        connection: 'x',
        tool: 'send_sms',
        digest: '',
        cost: null,
      })
    writeFileSync(state, `${entry('old', 3)}\n${entry('yesterday', 1)}\n`)
    expect((await call('send_sms', MESSAGE)).isError).toBe(false)
    const kept = readFileSync(state, 'utf8')
    expect(kept).toContain('yesterday')
    expect(kept).not.toContain('"old"')
  })
})

describe('the lock of the journal', () => {
  it('is removed when the process that held it has ended', async () => {
    const { pid } = spawnSync(process.execPath, ['--version'])
    const state = freshState()
    mkdirSync(dirname(state), { recursive: true })
    writeFileSync(`${state}.lock`, `${hostname()} ${pid} some-run`)
    const { call } = await counting(state, {})
    expect((await call('send_sms', MESSAGE)).isError).toBe(false)
    expect(existsSync(`${state}.lock`)).toBe(false)
  })

  it('stops sends while another process holds it for five seconds, and the error names the file', async () => {
    const state = freshState()
    mkdirSync(dirname(state), { recursive: true })
    writeFileSync(`${state}.lock`, `${hostname()} ${process.ppid} some-run`)
    let waited = 0
    const journal = createFileJournal({
      path: state,
      pause: async (ms) => {
        waited += ms
      },
    })
    const connector = await openConnector({ journal })
    const { isError, text } = await connector.call('send_sms', MESSAGE)
    expect(isError).toBe(true)
    expect(text).toContain(`ask a person to remove ${state}.lock`)
    expect(waited).toBe(5_000)
    expect(await sentOf(connector)).toEqual([])
  })
})
