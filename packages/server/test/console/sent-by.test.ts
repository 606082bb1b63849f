import { micros } from '@wigwag/contract'
import { afterAll, describe, expect, it } from 'vitest'
import { eras } from '../../../mcp/test/fixtures/stateless.ts'
import { loadConfig } from '../../src/config/config.ts'
import { type Resident, shareWorld, type World } from '../assistants/oauth/world.ts'
import { assistantToken, WIDE } from '../support/assistants.ts'
import { ENGINES } from '../support/bench.ts'
import { type EngineName, makePlace } from '../support/engine.ts'
import { call, SINGLE, single } from '../support/front.ts'
import { basic } from '../support/harness.ts'
import { press, wordsOf } from './forms.ts'

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}/
const DIGEST = /[0-9a-f]{64}/
const MESSAGE = { from: 'WIGWAG', to: '233241234567', content: 'From an assistant' }

/** A gateway with one account, to whose tools an assistant has been let in. */
class Place {
  readonly #world: World
  readonly ama: Resident

  constructor(world: World, ama: Resident) {
    this.#world = world
    this.ama = ama
  }

  get #url(): string {
    return this.#world.url
  }

  /** Calls a tool as an assistant with this token, or as a program with the account's credentials. */
  async tool(name: string, args: object, token?: string): Promise<string> {
    const credentials =
      token === undefined
        ? { authorization: basic(this.ama), 'x-wallet': `Token ${this.ama.walletToken}` }
        : { authorization: `Bearer ${token}` }
    const { headers, body } = eras['2025-11-25']('tools/call', { name, arguments: args })
    const init = { method: 'POST', headers: { ...headers, ...credentials }, body: JSON.stringify(body) }
    return (await fetch(`${this.#url}/mcp`, init)).text()
  }

  letIn(limits: typeof WIDE | 'only reading' = WIDE): Promise<string> {
    const options = { resource: `${this.#url}/mcp`, limits }
    return assistantToken(this.#world.gateway, this.ama.accountId, options)
  }

  async api(path: string) {
    return JSON.parse((await call(this.#url, this.ama, { path, method: 'GET' })).text)
  }

  page(path: string) {
    return this.ama.person.visit(`${this.#url}${path}`)
  }

  async words(path: string): Promise<string> {
    return wordsOf(await this.page(path))
  }

  /** A message of each kind of sender, the newest last. */
  async fill(): Promise<void> {
    await call(this.#url, this.ama, { path: SINGLE, body: { ...single(), Content: 'From a program' } })
    const form = { From: 'WIGWAG', To: '233241234567', Content: 'From a person' }
    await press(this.ama.person, await this.page('/send'), '/send', form)
    await this.tool('send_sms', MESSAGE, await this.letIn())
    await this.tool('send_sms', { ...MESSAGE, content: 'From a program with tools' })
  }
}

async function worldOn(engine: EngineName): Promise<World> {
  const { mcp } = loadConfig({ database: ':memory:' }, {}, import.meta.dirname)
  const { url, remove } = await makePlace(engine)
  afterAll(remove)
  // With a limit on spend, the account's programs may send with the tools.
  return shareWorld({ database: url, config: { mcp: { ...mcp, dailySpend: micros(5_000_000) } } })
}

const worlds = {
  'SQLite in memory': await worldOn('SQLite in memory'),
  PostgreSQL: await worldOn('PostgreSQL'),
}

async function open(engine: (typeof ENGINES)[number] = 'SQLite in memory'): Promise<Place> {
  return new Place(worlds[engine], await worlds[engine].resident())
}

describe.each(ENGINES)('a message on %s', (engine) => {
  it('says who sent it, in the API, in the inbox and on its page', async () => {
    const place = await open(engine)
    await place.fill()
    const { clientId, email } = place.ama
    const expected = [
      ['From a program with tools', { Kind: 'assistant', Name: clientId }],
      ['From an assistant', { Kind: 'assistant', Name: 'Assistant' }],
      ['From a person', { Kind: 'person', Name: email }],
      ['From a program', { Kind: 'api', Name: clientId }],
    ]
    const { Items } = await place.api('/v1/messages')
    const found: { MessageId: string; Content: string; SentBy: object }[] = Items
    expect(found.map(({ Content, SentBy }) => [Content, SentBy])).toEqual(expected)
    const one = await Promise.all(found.map(({ MessageId }) => place.api(`/v1/messages/${MessageId}`)))
    expect(one.map(({ Content, SentBy }) => [Content, SentBy])).toEqual(expected)
    // The specification's own operation answers what it says, and nothing else.
    const status = await place.api(`/v1/transactions/${found[1]?.MessageId}/status`)
    expect(status).not.toHaveProperty('SentBy')

    const inbox = await place.words('/messages')
    expect(inbox).toContain('“ Assistant ”: From an assistant')
    expect(inbox).toContain(`${email} : From a person`)
    expect(await place.words(`/messages/${found[1]?.MessageId}`)).toContain(
      'Sent by the assistant “ Assistant ”',
    )
    expect(await place.words(`/messages/${found[3]?.MessageId}`)).toContain(
      `Sent by the API, with the client ID ${clientId}`,
    )
  })

  it('is found by who sent it', async () => {
    const place = await open(engine)
    await place.fill()
    const textsUnder = async (q: string) =>
      [
        ...(await place.page(`/messages?${new URLSearchParams({ q })}`)).text.matchAll(
          /From an? [a-z ]+(?=<)/g,
        ),
      ].map(([text]) => text)
    const [tools, assistant, person, program] = [
      'From a program with tools',
      'From an assistant',
      'From a person',
      'From a program',
    ]
    expect(await textsUnder('by:assistant')).toEqual([tools, assistant])
    expect(await textsUnder('by:person')).toEqual([person])
    expect(await textsUnder('by:api')).toEqual([program])
    expect(await textsUnder('by:"Assistant"')).toEqual([tools, assistant])
    expect(await textsUnder('by:assista')).toEqual([assistant])
    expect(await textsUnder(`by:${place.ama.email.replace('person', 'PERSON')}`)).toEqual([person])
    expect(await textsUnder(`by:${place.ama.clientId} program`)).toEqual([tools, program])
    expect(await textsUnder('by:person status:scheduled')).toEqual([])
    expect(await textsUnder('by:person from:WIGWAG to:233241234567')).toEqual([person])
    expect(await textsUnder('by:nobody')).toEqual([])

    const textsOf = async (kind: string): Promise<string[]> => {
      const { Items } = await place.api(`/v1/messages?SentBy=${kind}`)
      return Items.map(({ Content }: { Content: string }) => Content)
    }
    expect(await textsOf('api')).toEqual([program])
    expect(await textsOf('person')).toEqual([person])
    expect(await textsOf('assistant')).toEqual([tools, assistant])
    expect((await place.api('/v1/messages?SentBy=nobody')).code).toBe('invalid_value')
  })
})

describe('Who did what', () => {
  it('has one row for a send of an assistant, in a sentence with names', async () => {
    const place = await open()
    await place.fill()
    await expect.poll(() => place.words('/log')).toContain('an assistant with the client ID')
    const words = await place.words('/log')
    const { email, clientId } = place.ama
    expect(words).toContain(
      'the assistant “Assistant” sent a message to 233241234567 for GHS 0.042; nobody was asked',
    )
    expect(words).toContain(`${email} sent a message to 233241234567 for GHS 0.042`)
    expect(words).toContain(
      `an assistant with the client ID ${clientId} sent a message to 233241234567 for GHS 0.042; nobody was asked`,
    )
    expect(words.match(/sent a message/g)).toHaveLength(3)
    expect(words).toContain(`${email} signed in (password), from 127.0.0.1`)
  })

  it('says why calls were refused, once an hour', async () => {
    const place = await open()
    const token = await place.letIn({ ...WIDE, dailySpend: micros(10) })
    for (const content of ['a', 'b']) await place.tool('send_sms', { ...MESSAGE, content }, token)
    await expect
      .poll(() => place.words('/log'))
      .toContain(
        'the assistant “Assistant” tried to send a message, and was refused (limit reached), 2 times within an hour; nobody was asked',
      )
    expect((await place.words('/log')).match(/tried to send/g)).toHaveLength(1)
  })

  it.each(ENGINES)('can be read whatever a model took for a ticket, on %s', async (engine) => {
    const place = await open(engine)
    await place.tool('cancel_scheduled', { ticket: 'a\0b' }, await place.letIn())
    await expect.poll(() => place.words('/log')).toContain('“Assistant” tried to cancel a message')
  })

  it('has no identifiers and no digests, on the page and in the file', async () => {
    const place = await open()
    await place.fill()
    const token = await place.letIn('only reading')
    await place.tool('send_sms', MESSAGE, token)
    await expect.poll(() => place.words('/log')).toContain('tried to send a message, and was refused')
    const words = await place.words('/log')
    for (const secret of [UUID, DIGEST]) expect(words).not.toMatch(secret)
    const { text: file } = await place.page('/log.csv')
    expect(file).toContain('sent a message to 233241234567')
    for (const line of file.split('\n')) expect(line.replace(/"?[^,]*"?$/, '')).not.toMatch(UUID)
    expect(file).not.toMatch(DIGEST)
  })
})

it('an assistant that only reads and was refused is not one that was never used', async () => {
  const place = await open()
  const token = await place.letIn('only reading')
  expect(await place.words('/connections')).toContain('Never used')
  await place.tool('send_sms', MESSAGE, token)
  expect(await place.words('/connections')).toMatch(/Last used today/)
})
