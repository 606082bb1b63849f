import { micros } from '@wigwag/contract'
import { describe, expect, it, onTestFinished } from 'vitest'
import { envelope, STATELESS, statelessRequest } from '../../../mcp/test/fixtures/stateless.ts'
import type { AccountSecrets } from '../../src/accounts/operator.ts'
import type { Config } from '../../src/config/config.ts'
import { assistantToken, WIDE } from '../support/assistants.ts'
import { aPlace, ENGINES, openBench, START } from '../support/bench.ts'
import { call, type Front, openFront, SINGLE, shareFrontOn, single } from '../support/front.ts'
import { basic } from '../support/harness.ts'

/** The price of one segment to the numbers of these tests: 0.042 GHS. */
const PRICE = 42_000
const AT_ONCE = 12
const PLENTY = 10_000 * PRICE
const A_DAY = 86_400_000
const MESSAGE = { from: 'WIGWAG', to: '233241234567' }
const NEXT_DAY = 'wait for the next day in UTC, or ask the person to raise the limit'

type Limits = Partial<Config['mcp']>
type Fetch = (request: Request) => Response | Promise<Response>

const limited = (limits: Limits): Config['mcp'] => ({
  dailySpend: micros(PLENTY),
  dailyMessages: undefined,
  recipients: undefined,
  unasked: 'send',
  hosts: ['127.0.0.1'],
  ...limits,
})

async function open(database: string, limits: Limits = {}): Promise<Front> {
  const front = await openFront(database, { mcp: limited(limits) })
  onTestFinished(() => front.close())
  return front
}

const credentials = (secrets: AccountSecrets) => ({
  authorization: basic(secrets),
  'x-wallet': `Token ${secrets.walletToken}`,
})

/** Calls a tool as a client that can ask its person, and answers with what the model is told, or the person asked. */
async function useTool(
  go: Fetch,
  { url, proof, canAsk = false }: { url: string; proof: Record<string, string>; canAsk?: boolean },
  name: string,
  args: object,
) {
  const { headers, body } = statelessRequest('tools/call', { name, arguments: args })
  const _meta = envelope(STATELESS, canAsk ? { elicitation: { form: {} } } : {})
  const answer = await go(
    new Request(`${url}/mcp`, {
      method: 'POST',
      headers: { ...headers, ...proof },
      body: JSON.stringify({ ...body, params: { ...body.params, _meta } }),
    }),
  )
  const { result } = await answer.json()
  const text: string = result.content?.[0]?.text ?? JSON.stringify(result)
  return { isError: result.isError === true, text, ticket: result.structuredContent?.ticket }
}

/** Sends a text of its own, so that none is refused as one that was sent before. */
let texts = 0
const send = ({ url }: Pick<Front, 'url'>, proof: Record<string, string>, more: object = {}) =>
  useTool(fetch, { url, proof }, 'send_sms', { ...MESSAGE, content: `Text ${++texts}`, ...more })

const atOnce = <Value>(one: (index: number) => Promise<Value>, count = AT_ONCE) =>
  Promise.all(Array.from({ length: count }, (_, index) => one(index)))

/** How many were sent, and how often each refusal was told. */
function tally(answers: readonly { isError: boolean; text: string }[]): Record<string, number> {
  const told = answers.map(({ isError, text }) => (isError ? text : 'sent'))
  return Object.fromEntries([...Map.groupBy(told, (text) => text)].map(([text, all]) => [text, all.length]))
}

/** The day's counts of a program. */
async function counted({ gateway }: Front, { clientId }: AccountSecrets) {
  const [row] = await gateway.database.read(({ run }) =>
    run('SELECT messages, spent FROM connector_days WHERE client_id = $1', [clientId]),
  )
  return row
}

const noMessages = (daily: number) =>
  `Nothing was sent: this connection may send ${daily} messages a day and has 0 left; this is 1 message; ` +
  `the day ends at midnight UTC; ${NEXT_DAY}.`
const noSpend = (daily: string, left: string) =>
  `Nothing was sent: this connection may spend ${daily} GHS a day and has ${left} left; this costs 0.042; ` +
  `the day ends at midnight UTC; ${NEXT_DAY}.`

describe.each(ENGINES)('the limits of a program that uses the tools, on %s', async (engine) => {
  /** Of four messages a day. */
  const four = await shareFrontOn(engine, { mcp: limited({ dailyMessages: 4 }) })

  it.each([
    ['the daily spend', { dailySpend: micros(5 * PRICE) }, 5, noSpend('0.21', '0')],
    [
      'the daily spend, one micro short',
      { dailySpend: micros(5 * PRICE - 1) },
      4,
      noSpend('0.209999', '0.041999'),
    ],
  ])('are not passed by sends at once: %s', async (_, limits, fit, refusal) => {
    const front = await open(await aPlace(engine), limits)
    const secrets = await front.account('owner', PLENTY)
    const answers = await atOnce(() => send(front, credentials(secrets)))
    expect(tally(answers)).toEqual({ sent: fit, [refusal]: AT_ONCE - fit })
    expect(await counted(front, secrets)).toEqual({ messages: fit, spent: fit * PRICE })
  })

  it('are not passed by sends at once: the daily messages', async () => {
    const secrets = await four.account('owner', PLENTY)
    const answers = await atOnce(() => send(four, credentials(secrets)))
    expect(tally(answers)).toEqual({ sent: 4, [noMessages(4)]: AT_ONCE - 4 })
    expect(await counted(four, secrets)).toEqual({ messages: 4, spent: 4 * PRICE })
  })

  it('are of each client, and not of what it sends by the API', async () => {
    const [one, other] = [await four.account('one', PLENTY), await four.account('other', PLENTY)]
    const direct = await atOnce(() => call(four.url, one, { path: SINGLE, body: single() }))
    expect(new Set(direct.map(({ status }) => status))).toEqual(new Set([200]))
    const answers = await Promise.all([one, other].map((who) => atOnce(() => send(four, credentials(who)))))
    for (const each of answers) expect(tally(each)).toEqual({ sent: 4, [noMessages(4)]: AT_ONCE - 4 })
    expect((await call(four.url, one, { path: SINGLE, body: single() })).status).toBe(200)
    expect(await counted(four, one)).toEqual({ messages: 4, spent: 4 * PRICE })
  })

  it('are not used up by what is refused, and given back by nothing that was accepted', async () => {
    const secrets = await four.account('poor', 2 * PRICE)
    const proof = credentials(secrets)
    expect((await send(four, proof, { from: 'NOBODY' })).isError).toBe(true)
    const poor = await atOnce(() => send(four, proof))
    expect(poor.filter(({ isError }) => !isError)).toHaveLength(2)
    for (const { isError, text } of poor) if (isError) expect(text).toContain('and the wallet can spend')
    await four.gateway.operator.credit(secrets.accountId, micros(PLENTY))
    const send_at = new Date(Date.now() + 3_600_000).toISOString()
    const args = { ...MESSAGE, content: 'Later', send_at }
    const { ticket } = await useTool(fetch, { url: four.url, proof }, 'schedule_sms', args)
    expect((await useTool(fetch, { url: four.url, proof }, 'cancel_scheduled', { ticket })).isError).toBe(
      false,
    )
    expect(tally(await atOnce(() => send(four, proof)))).toEqual({ sent: 1, [noMessages(4)]: AT_ONCE - 1 })
    expect(await counted(four, secrets)).toEqual({ messages: 4, spent: 4 * PRICE })
  })

  it('count a key once, and let it be answered when they are reached', async () => {
    const secrets = await four.account('keyed', PLENTY)
    const keyed = { content: 'Once', idempotency_key: 'one' }
    const answers = await atOnce(() => send(four, credentials(secrets), keyed))
    expect(new Set(answers.map(({ ticket }) => ticket)).size).toBe(1)
    expect(tally(await atOnce(() => send(four, credentials(secrets)), 4))).toMatchObject({ sent: 3 })
    expect((await send(four, credentials(secrets), keyed)).ticket).toBe(answers[0]?.ticket)
    expect(await counted(four, secrets)).toEqual({ messages: 4, spent: 4 * PRICE })
  })

  it('begin again at midnight UTC', async () => {
    const startAt = START - (START % A_DAY) + A_DAY - 2
    const bench = await openBench({
      database: await aPlace(engine),
      startAt,
      config: { mcp: limited({ dailyMessages: 1 }) },
    })
    const url = 'http://127.0.0.1:8080'
    const ask = (content: string) => {
      const who = { url, proof: credentials(bench.demo) }
      return useTool(async (request) => bench.app.fetch(request), who, 'send_sms', { ...MESSAGE, content })
    }
    expect((await ask('One')).isError).toBe(false)
    expect((await ask('Two')).isError).toBe(true)
    await bench.advance(2)
    expect((await ask('Three')).isError).toBe(false)
    bench.jump(-60_000)
    expect((await ask('Four')).isError).toBe(true)
  })
})

describe('what a person is asked for a program', () => {
  it('says what is left of its limits, and leaves out a limit that nobody set', async () => {
    const front = await open(':memory:', { dailySpend: micros(3 * PRICE) })
    const secrets = await front.account('owner', PLENTY)
    const who = { url: front.url, proof: credentials(secrets), canAsk: true }
    const ask = () => useTool(fetch, who, 'send_sms', { ...MESSAGE, content: `Text ${++texts}` })
    expect((await ask()).text).toContain("Left of today's limits before it: 0.126 GHS\\n")
    await atOnce(() => send(front, who.proof), 3)
    expect((await ask()).text).toContain('this connection may spend 0 GHS more today')
  })
})

it('the limits of a program are told in the words that an assistant gets', async () => {
  const front = await open(':memory:', { dailyMessages: 0, recipients: ['23324*'] })
  const secrets = await front.account('owner', PLENTY)
  const limits = { ...WIDE, dailyMessages: 0, recipients: ['23324*'] }
  const resource = `${front.url}/mcp`
  const token = await assistantToken(front.gateway, secrets.accountId, { resource, limits })
  for (const to of [MESSAGE.to, '447700900123']) {
    const [program, assistant] = [
      await send(front, credentials(secrets), { to }),
      await send(front, { authorization: `Bearer ${token}` }, { to }),
    ]
    expect(program.isError).toBe(true)
    expect(assistant.text).toBe(program.text.replace(/\.$/, ` at ${front.url}/connections.`))
  }
})

it('a program may only read where the operator set no daily spend', async () => {
  const front = await open(':memory:', { dailySpend: undefined })
  const secrets = await front.account('owner', PLENTY)
  expect((await send(front, credentials(secrets))).text).toContain('this connection may only read')
})

it('the limits of a program are not passed by sends at once to two gateways with one database', async () => {
  const database = await aPlace('PostgreSQL')
  const limits = { dailyMessages: 7 }
  const fronts = [await open(database, limits), await open(database, limits)] as const
  const secrets = await fronts[0].account('owner', PLENTY)
  const answers = await atOnce((index) => send(fronts[index % 2 === 0 ? 0 : 1], credentials(secrets)), 24)
  expect(tally(answers)).toEqual({ sent: 7, [noMessages(7)]: 17 })
  for (const front of fronts) expect(await counted(front, secrets)).toEqual({ messages: 7, spent: 7 * PRICE })
})
