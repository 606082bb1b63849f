import { toolInputs } from '@wigwag/mcp'
import { describe, expect, it } from 'vitest'
import { eras } from '../../../mcp/test/fixtures/stateless.ts'
import { asOwner, assistantToken, WIDE } from '../support/assistants.ts'
import type { Bench } from '../support/bench.ts'
import type { About } from './requests.ts'
import { holdings, openTwoAccounts, type Resident, secretsOf, type World } from './world.ts'

type ToolName = keyof typeof toolInputs
const TOOLS = Object.keys(toolInputs) as ToolName[]

const MESSAGE = { from: 'WIGWAG', to: '233241234567', content: 'Hello' }
/** A call of every tool, about what is one account's. One left out does not compile. */
const calls = {
  get_balance: () => ({}),
  list_sender_ids: () => ({}),
  get_message_status: ({ ticket }) => ({ id: ticket }),
  search_messages: ({ recipient, sender }) => ({ to: recipient, from: sender }),
  get_rates: () => ({ country: 'GH' }),
  delivery_insights: () => ({ group_by: 'network' }),
  estimate_cost: () => MESSAGE,
  send_sms: () => ({ ...MESSAGE, idempotency_key: 'key-of-a-send' }),
  schedule_sms: () => ({
    ...MESSAGE,
    send_at: '2026-02-01T12:00:00+01:00',
    idempotency_key: 'key-of-a-schedule',
  }),
  cancel_scheduled: ({ scheduled }) => ({ ticket: scheduled }),
} satisfies Record<ToolName, (about: About) => object>
/** Tools that name a thing of somebody's. */
const NAMING: readonly ToolName[] = ['get_message_status', 'cancel_scheduled']
const WRITING: readonly ToolName[] = ['send_sms', 'schedule_sms', 'cancel_scheduled']

/** The addresses of one account's resources. */
const addresses = ({ ticket, scheduled }: About) => [ticket, scheduled].map((id) => `wigwag://messages/${id}`)
/** The lists that a client asks for when it connects. */
const LISTS = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list']

const RESOURCE = 'http://127.0.0.1:8080/mcp'

/** A token of an assistant that a person has let in. */
async function tokenOf(bench: Bench, { secrets }: Resident, access: 'send' | 'read'): Promise<string> {
  const limits = access === 'send' ? WIDE : 'only reading'
  return assistantToken(bench, secrets.accountId, { resource: RESOURCE, limits })
}

type Era = keyof typeof eras

interface Asked {
  method: string
  params: Record<string, unknown>
}

async function ask(bench: Bench, era: Era, token: string | undefined, { method, params }: Asked) {
  const { headers, body } = eras[era](method, params)
  const response = await bench.app.fetch(
    new Request(RESOURCE, {
      method: 'POST',
      headers: { ...headers, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
      body: JSON.stringify(body),
    }),
  )
  const text = await response.text()
  return { status: response.status, text, isError: text.includes('"isError":true') }
}

interface Assistants {
  world: World
  sending: string
  reading: string
  /** Of a connection that has ended. */
  ended: string
}

async function open(): Promise<Assistants> {
  const world = await openTwoAccounts()
  const { bench, residents } = world
  const [me] = residents
  const { accountId } = me.secrets
  const ended = await tokenOf(bench, me, 'send')
  const last = (await bench.connections.list(accountId)).find(({ id }) => ended.endsWith(id))
  await bench.connections.revoke(asOwner(accountId), last?.id ?? '')
  return {
    world,
    sending: await tokenOf(bench, me, 'send'),
    reading: await tokenOf(bench, me, 'read'),
    ended,
  }
}

const messagesOf = ({ bench }: World) =>
  bench.database.read(({ run }) => run('SELECT id, status FROM messages ORDER BY id', []))

/** Calls a tool about one account's things, and holds it to showing and changing nothing of the other's. */
async function tryOut(world: World, era: Era, name: ToolName, token: string | undefined, about: Resident) {
  const args = calls[name](about.about)
  return holdTo(world, era, token, { method: 'tools/call', params: { name, arguments: args } })
}

/** Asks the connector for something, and holds it to showing and changing nothing of the other's. */
async function holdTo(world: World, era: Era, token: string | undefined, asked: Asked) {
  const [, other] = world.residents
  const before = await holdings(world, other)
  const answer = await ask(world.bench, era, token, asked)
  const said = JSON.stringify(asked.params)
  const kept = (await secretsOf(world, other)).filter((secret) => !said.includes(secret))
  expect(kept.length).toBeGreaterThan(10)
  const label = `${asked.method} ${said}: ${answer.text}`
  expect(
    kept.filter((secret) => answer.text.includes(secret)),
    label,
  ).toEqual([])
  await world.bench.advance(0)
  expect(await holdings(world, other), label).toBe(before)
  return { ...answer, label }
}

describe.each(Object.keys(eras) as Era[])("an assistant's tools, of which there are ten, at %s", (era) => {
  it("show and change nothing of another account's, whatever they are asked about", async () => {
    const { world, sending } = await open()
    for (const name of TOOLS) {
      const { status, isError, label } = await tryOut(world, era, name, sending, world.residents[1])
      expect({ status, isError }, label).toEqual({ status: 200, isError: NAMING.includes(name) })
    }
  })

  it('work for their own account', async () => {
    const { world, sending } = await open()
    for (const name of TOOLS) {
      const { status, isError, label } = await tryOut(world, era, name, sending, world.residents[0])
      // A program of the account scheduled it, and an assistant cancels only what it scheduled itself.
      expect({ status, isError }, label).toEqual({ status: 200, isError: name === 'cancel_scheduled' })
    }
  })

  it('are told of another account that its resources are not there, and of their own what is in them', async () => {
    const { world, sending, reading } = await open()
    const [me, other] = world.residents
    for (const token of [sending, reading]) {
      for (const uri of addresses(other.about)) {
        const { text, label } = await holdTo(world, era, token, { method: 'resources/read', params: { uri } })
        expect(JSON.parse(text), label).toMatchObject({ error: { data: { uri } } })
      }
      for (const uri of addresses(me.about)) {
        const { text, label } = await holdTo(world, era, token, { method: 'resources/read', params: { uri } })
        expect(JSON.parse(text).result.contents, label).toMatchObject([{ uri }])
        expect(text, label).toContain(me.about.sender)
      }
      for (const method of LISTS) {
        const { text, label } = await holdTo(world, era, token, { method, params: {} })
        expect(JSON.parse(text), label).toHaveProperty('result')
      }
      const { ticket } = other.about
      const params = { name: 'why_did_this_fail', arguments: { ticket } }
      await holdTo(world, era, token, { method: 'prompts/get', params })
    }
  })

  it('write nothing where a person allowed reading only', async () => {
    const { world, reading } = await open()
    const before = await messagesOf(world)
    for (const name of WRITING) {
      const { status, label } = await tryOut(world, era, name, reading, world.residents[0])
      expect(status, label).toBe(403)
    }
    expect(await messagesOf(world)).toEqual(before)
    for (const name of TOOLS.filter((tool) => !WRITING.includes(tool))) {
      const { isError, label } = await tryOut(world, era, name, reading, world.residents[0])
      expect(isError, label).toBe(false)
    }
  })

  it('answer nobody else', async () => {
    const { world, ended } = await open()
    const [me] = world.residents
    const rest = me.tokens.sending.authorization.slice('Bearer '.length)
    for (const token of [undefined, ended, rest, 'invented']) {
      for (const name of TOOLS) {
        const { status, label } = await tryOut(world, era, name, token, me)
        expect(status, label).toBe(401)
      }
      for (const uri of addresses(me.about)) {
        const { status, label } = await holdTo(world, era, token, {
          method: 'resources/read',
          params: { uri },
        })
        expect(status, label).toBe(401)
      }
    }
  })
})
