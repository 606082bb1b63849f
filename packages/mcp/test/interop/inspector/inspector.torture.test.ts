import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toolInputs } from '../../../src/index.ts'
import { type Gateway, startGateway } from '../../fixtures/gateway.ts'
import { type ConnectorProcess, MAIN, startConnector } from '../../fixtures/program.ts'
import { EXIT, type Inspection, inspect } from './inspect.ts'

let gateway: Gateway
let connector: ConnectorProcess | undefined

beforeAll(async () => {
  gateway = await startGateway()
  connector = await startConnector(gateway.env)
})
afterAll(async () => {
  await connector?.stop()
  await gateway.close()
})

/** The arguments with which the inspector reaches each transport. */
const transports: Record<string, () => Pick<Inspection, 'target' | 'env' | 'home'>> = {
  stdio: () => ({ target: [process.execPath, MAIN], env: gateway.env, home: gateway.home }),
  'Streamable HTTP': () => ({
    target: ['--server-url', connector?.url ?? '', '--transport', 'http'],
    home: gateway.home,
  }),
}

describe.each(Object.entries(transports))('the official inspector over %s', (transport, reach) => {
  const list = () => inspect({ ...reach(), method: 'tools/list' })
  const call = (tool: string, args: Inspection['args'] = {}) =>
    inspect({ ...reach(), method: 'tools/call', tool, args })
  /** A different text for each transport, because a duplicate is refused for two minutes. */
  const message = { from: 'WIGWAG', to: '233241234567', content: `Hello over ${transport}` }

  it('lists the ten tools', async () => {
    const { code, tools, said } = await list()
    expect(code, said).toBe(EXIT.ok)
    expect(tools.sort()).toEqual(Object.keys(toolInputs).sort())
  })

  it('reads the state of the account and the price of a message', async () => {
    const findings = await twoAtATime([
      () => call('get_balance'),
      () => call('list_sender_ids'),
      () => call('get_rates', { country: 'GH' }),
      () => call('estimate_cost', message),
      () => call('search_messages', { limit: 1 }),
      () => call('delivery_insights', { group_by: 'network' }),
    ])
    for (const { code, structured, text, said } of findings) {
      expect(code, said).toBe(EXIT.ok)
      expect(Object.keys(structured), said).not.toEqual([])
      expect(text).not.toBe('')
    }
    expect(findings[0]?.structured).toMatchObject({ balance: expect.any(Number), currency: 'GHS' })
  })

  it('sends a message and reads its status', async () => {
    const sent = await call('send_sms', message)
    expect(sent.code, sent.said).toBe(EXIT.ok)
    const { ticket } = sent.structured
    const seen = await call('get_message_status', { id: ticket })
    expect(seen.code, seen.said).toBe(EXIT.ok)
    expect(seen.said).toContain(message.content)
    expect(await contentOf(ticket)).toBe(message.content)
  })

  it('schedules a message and cancels it', async () => {
    const later = new Date(gateway.sandbox.clock.now().getTime() + 3_600_000).toISOString()
    const scheduled = await call('schedule_sms', { ...message, send_at: later })
    expect(scheduled.code, scheduled.said).toBe(EXIT.ok)
    const { ticket } = scheduled.structured
    const cancelled = await call('cancel_scheduled', { ticket })
    expect(cancelled.code, cancelled.said).toBe(EXIT.ok)
    expect(await gateway.sandbox.client.getMessage(String(ticket))).toMatchObject({ Status: 'cancelled' })
  })

  it('exits with 5 when a tool answers with an error', async () => {
    const { code, said } = await call('send_sms', { ...message, from: 'NOBODY' })
    expect(code, said).toBe(EXIT.toolError)
    expect(said).toContain('list_sender_ids')
  })
})

it('exits with 4 without a connector, which shows that the other codes come from one', async () => {
  const target = ['--server-url', 'http://127.0.0.1:1/mcp', '--transport', 'http']
  expect((await inspect({ target, home: gateway.home, method: 'tools/list' })).code).toBe(EXIT.unreachable)
})

async function contentOf(ticket: unknown): Promise<string> {
  return (await gateway.sandbox.client.getMessage(String(ticket))).Content
}

/** Each run is a process, so only two run at a time. */
async function twoAtATime<T>(runs: (() => Promise<T>)[]): Promise<T[]> {
  const results: T[] = []
  for (let done = 0; done < runs.length; done += 2) {
    results.push(...(await Promise.all(runs.slice(done, done + 2).map((run) => run()))))
  }
  return results
}
