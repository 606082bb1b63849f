import { randomBytes } from 'node:crypto'
import { micros } from '@wigwag/contract'
import { afterAll, onTestFinished } from 'vitest'
import type { AccountSecrets } from '../../../src/accounts/operator.ts'
import type { Config } from '../../../src/config/config.ts'
import type { RunOptions } from '../../../src/gateway/operator-parts.ts'
import { type Front, openFront } from '../../support/front.ts'
import { type Answer, type Assistant, type Changes, createAssistant } from './assistant.ts'
import { cheapHash } from './cheap-hash.ts'
import { createPerson, type Page, type Person } from './person.ts'

/** A gateway on a real socket, with people who have accounts, and assistants. */
export interface World extends Front {
  /** `door` is where the person signs in, if the gateway is behind something. */
  resident(name?: string, door?: string): Promise<Resident>
  assistant(metadata?: object): Promise<Assistant>
}

export interface Resident extends AccountSecrets {
  email: string
  password: string
  /** A browser in which this person is signed in to the portal. */
  person: Person
}

export interface WorldOptions extends Partial<RunOptions> {
  config?: Partial<Config>
  database?: string
}

/** A world for one test. */
export async function openWorld(options?: WorldOptions): Promise<World> {
  const world = await makeWorld(options)
  onTestFinished(() => world.close())
  return world
}

/** A world for all tests of a file, which is to ask for it before the first of them. */
export async function shareWorld(options?: WorldOptions): Promise<World> {
  const world = await makeWorld(options)
  afterAll(() => world.close())
  return world
}

async function makeWorld({ config, database = ':memory:', ...options }: WorldOptions = {}): Promise<World> {
  const front = await openFront(database, { trustedProxies: ['127.0.0.1/32'], ...config }, options)
  return {
    ...front,
    assistant: (metadata) => createAssistant(front.url, metadata),
    async resident(name = `person-${randomBytes(4).toString('hex')}`, door = front.url) {
      const email = `${name}@example.com`
      const password = randomBytes(12).toString('base64url')
      const secrets = await front.gateway.operator.createAccount({
        name,
        email,
        passwordHash: cheapHash(password),
        currency: 'GHS',
        balance: micros(100_000_000),
        senders: ['WIGWAG'],
      })
      const person = createPerson()
      const form = await person.visit(`${door}/sign-in`)
      const landed = await person.submit(form, { email, password })
      if (landed.status >= 400 && landed.status !== 404) throw new Error(`not signed in: ${landed.text}`)
      return { ...secrets, email, password, person }
    },
  }
}

/** Choices of a person on the consent page. */
export const SENDING = {
  decision: 'allow',
  access: 'send',
  daily_spend: '5',
  daily_messages: '20',
  recipients: '',
  unasked: 'send',
}
export const READING = { decision: 'allow', access: 'read' }
export const DENYING = { decision: 'deny' }

/** Lets an assistant in, and answers with what came back to it. */
export async function consent(
  { person }: Resident,
  assistant: Assistant,
  choice: Record<string, string> = SENDING,
  changes: Changes = {},
): Promise<URLSearchParams> {
  const page = await person.visit(assistant.authorizeUrl(changes))
  const left = await decide(person, page, choice)
  return new URL(left).searchParams
}

/** The code that an assistant gets when it is let in. */
export async function codeFor(...given: Parameters<typeof consent>): Promise<string> {
  const came = await consent(...given)
  const code = came.get('code')
  if (code === null) throw new Error(`no code: ${came}`)
  return code
}

export async function decide(person: Person, page: Page, choice: Record<string, string>): Promise<string> {
  const done = await person.submit(page, choice, (action) => action.includes('/oauth/interaction/'))
  if (done.left === undefined) throw new Error(`did not leave: ${done.status} ${done.text}`)
  return done.left
}

/** The whole way to an assistant's first tokens. */
export async function tokensFor(
  resident: Resident,
  assistant: Assistant,
  choice: Record<string, string> = SENDING,
  changes: Changes = {},
): Promise<Answer['body']> {
  const { resource } = changes
  const code = await codeFor(resident, assistant, choice, changes)
  const { status, body } = await assistant.trade(code, resource === undefined ? {} : { resource })
  if (status !== 200) throw new Error(`no tokens: ${status} ${JSON.stringify(body)}`)
  return body
}

/** How many of a person's connections live. */
export async function livingConnections({ gateway }: World, { accountId }: Resident): Promise<number> {
  const connections = await gateway.connections.list(accountId)
  return connections.filter(({ endedAt }) => endedAt === undefined).length
}

/** Calls one tool, or asks for another thing, as a client of the protocol would. */
export async function mcp(
  url: string,
  token: string | undefined,
  method = 'tools/list',
  params: object = {},
): Promise<{ status: number; headers: Headers; text: string }> {
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}
