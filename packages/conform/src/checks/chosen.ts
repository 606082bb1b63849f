import { operations } from '@wigwag/contract/operations'
import {
  zCallbackPage,
  zEstimate,
  zMessagePage,
  zScheduledPage,
  zSenderIdList,
} from '@wigwag/contract/validators'
import { toolCatalogue } from '@wigwag/mcp'
import { verifyCallback } from '@wigwag/sdk'
import type * as z from 'zod'
import { came, expectNone, isFound, needed, numberIn, objectIn, textIn } from '../answers.ts'
import { isSuccess } from '../caller.ts'
import { type Check, may } from '../check.ts'
import { type Visited, Wrong } from '../connector-check/visit.ts'
import { NotTried } from '../not-tried.ts'
import type { Session } from '../session.ts'
import { others, shapes, shown } from '../shape.ts'

const refusal = (session: Session) => session.caller.call('getBalance', { basic: 'none' })

function expectStatus(visited: Visited, expected: number): void {
  if (visited.status !== expected) throw new Wrong(came(visited))
}

/** How many messages two answers stand for. */
function messagesOf([first, second]: readonly [Visited, Visited]): number {
  return first.text === second.text ? Number(isSuccess(first)) : [first, second].filter(isSuccess).length
}

function expectProblem(visited: Visited): void {
  const { headers, json } = visited
  const isProblem = headers.get('content-type')?.startsWith('application/problem+json') ?? false
  if (!isProblem || !isFound(json) || typeof json.code !== 'string') throw new Wrong(came(visited))
}

const answers = async (session: Session) => {
  const all = [session.balance(), session.status(), session.sent('single').then(({ answer }) => answer)]
  return Promise.all(all)
}

const answering: readonly Check[] = [
  may('answers.200', 'decisions/api.md', 'what succeeds is answered with 200', async (session) => {
    for (const visited of await answers(session)) if (isSuccess(visited)) expectStatus(visited, 200)
  }),
  may('answers.request-id', 'decisions/api.md', 'every answer has X-Request-Id', async (session) => {
    const found = [...(await answers(session)), await refusal(session)]
    expectNone(
      found.filter(({ headers }) => !headers.has('x-request-id')).map(({ request }) => `none: ${request}`),
    )
  }),
  may('answers.no-others', 'openapi.yaml', 'answers have only the fields that it names', async (session) => {
    const result = others(await session.result('single'), shapes.result)
    const record = others(await needed(session.record('single'), 'status.answers'), shapes.record)
    expectNone([...result, ...record].map((name) => `also ${name}`))
  }),
  may('answers.cost', '§ 2.3, as shown', 'Cost is 0 when a message is accepted', async (session) => {
    const cost = numberIn(await session.result('single'), 'Cost', 'single')
    if (cost !== 0) throw new Wrong(`Cost is ${cost}`)
  }),
  may('answers.id', '§ 2.3, as shown', 'Id and Ticket are the same', async (session) => {
    const { Id, Ticket } = await session.result('single')
    if (Id !== Ticket) throw new Wrong(`Id is ${shown(Id)}, Ticket is ${shown(Ticket)}`)
  }),
  may(
    'answers.order',
    'decisions/fairness.md',
    'results of a bulk are in the order of its recipients',
    async (session) => {
      const results = await session.results('bulk')
      const expected = results.map((_, index) => `${session.run}-bulk-${index + 1}`)
      const found = results.map((result) => textIn(result, 'ClientReference', 'bulk'))
      if (found.join() !== expected.join()) throw new Wrong(`they are ${found.join(', ')}`)
    },
  ),
  may('answers.charge', 'decisions/money.md', 'BalanceBefore less BalanceAfter is Cost', async (session) => {
    const record = await needed(session.record('single'), 'status.answers')
    const before = numberIn(record, 'BalanceBefore', 'status')
    const after = numberIn(record, 'BalanceAfter', 'status')
    const cost = numberIn(record, 'Cost', 'status')
    if ((before - after).toFixed(6) !== cost.toFixed(6))
      throw new Wrong(`Cost is ${cost}, BalanceBefore ${before}, BalanceAfter ${after}`)
  }),
]

const errors: readonly Check[] = [
  may('errors.problem', 'decisions/api.md', 'a refusal is problem+json with a code', async (session) =>
    expectProblem(await refusal(session)),
  ),
  may(
    'errors.401',
    'decisions/api.md',
    'missing credentials are 401 with WWW-Authenticate',
    async (session) => {
      const visited = await refusal(session)
      expectStatus(visited, 401)
      if (!visited.headers.has('www-authenticate'))
        throw new Wrong(`${came(visited)}, without WWW-Authenticate`)
    },
  ),
  may('errors.404', 'decisions/api.md', 'an unknown ticket is 404', async (session) =>
    expectStatus(await session.caller.call('getTransactionStatus', { ticket: session.unknownTicket }), 404),
  ),
  may('errors.422', 'decisions/api.md', 'a missing field is 422 and named in errors', async (session) => {
    await session.result('single')
    const { Content: _, ...body } = session.body('single', `${session.run}-422`)
    const visited = await session.refused({ body })
    expectStatus(visited, 422)
    if (!shown(isFound(visited.json) ? visited.json.errors : undefined).includes('/Content'))
      throw new Wrong(came(visited))
  }),
]

const safety: readonly Check[] = [
  may(
    'idempotency.replay',
    'decisions/idempotency.md',
    'the same Idempotency-Key and body send once',
    async (session) => {
      await session.result('single')
      const reference = `${session.run}-idempotency`
      const body = session.body('single', reference)
      const send = () => session.caller.call('sendSms', { body, headers: { 'idempotency-key': reference } })
      const both = () => send().then(async (first) => [first, await send()] as const)
      const [first, second] = await session.spend(2, both, messagesOf)
      objectIn(first)
      if (first.text !== second.text) throw new Wrong(`two answers: ${came(first)}; ${came(second)}`)
      if (second.headers.get('idempotent-replayed') !== 'true')
        throw new Wrong('the second answer has no Idempotent-Replayed: true')
    },
  ),
  may(
    'rate-limit.headers',
    'decisions/limits.md',
    'RateLimit and RateLimit-Policy are sent where there is a limit',
    async (session) => {
      const { headers } = await session.balance()
      const [limit, policy] = [headers.has('ratelimit'), headers.has('ratelimit-policy')]
      if (!limit && !policy) throw new NotTried('neither is sent: there is no limit, or it is not told')
      if (!limit || !policy) throw new Wrong(`${limit ? 'RateLimit' : 'RateLimit-Policy'} comes alone`)
    },
  ),
  may(
    'callback.signed',
    'decisions/callbacks.md',
    'callbacks are signed after Standard Webhooks',
    async (session) => {
      const [first] = await needed(session.callbacks('single', 1), 'callback.posted')
      if (!first) return
      const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature']
      expectNone(names.filter((name) => first.headers[name] === undefined).map((name) => `no ${name}`))
      if (session.callbackSecret === undefined) return
      await verifyCallback(first, session.callbackSecret.split(/[\s,]+/)).catch((error: unknown) => {
        throw error instanceof Error ? new Wrong(error.message) : error
      })
    },
  ),
]

const READS = [
  ['messages', operations.searchMessages, zMessagePage],
  ['sender-ids', operations.listSenderIds, zSenderIdList],
  ['scheduled', operations.listScheduledSms, zScheduledPage],
  ['callbacks', operations.listCallbacks, zCallbackPage],
] as const

function expectShape(visited: Visited, schema: z.ZodType): void {
  if (!isSuccess(visited) || !schema.safeParse(visited.json).success) throw new Wrong(came(visited))
}

const extensions: readonly Check[] = [
  ...READS.map(([name, { path }, schema]) =>
    may(
      `extension.${name}`,
      'decisions/api.md',
      `GET ${path} answers as openapi.yaml says`,
      async (session) => expectShape(await session.caller.get(path), schema),
    ),
  ),
  may(
    'extension.estimate',
    'decisions/api.md',
    `POST ${operations.estimateCost.path} answers as openapi.yaml says`,
    async (session) => {
      const { From, To, Content } = session.body('single', session.run)
      expectShape(await session.caller.post(operations.estimateCost.path, { From, To, Content }), zEstimate)
    },
  ),
]

const mcp: readonly Check[] = [
  may(
    'mcp.metadata',
    'decisions/sign-in.md',
    'an assistant finds where to sign in (RFC 9728, 8414)',
    async (session) => expectNone(await session.mcp.wrongBeforeSignIn()),
  ),
  may('mcp.no-other-tools', 'decisions/connector.md', 'there are no tools but the ten', async (session) => {
    const tools = await needed(session.mcp.tools(), 'mcp.read-tools')
    const more = tools.filter(({ name }) => !toolCatalogue.some((tool) => tool.name === name))
    expectNone(more.map(({ name }) => `also ${shown(name)}`))
  }),
  may(
    'mcp.read-or-write',
    'decisions/connector.md',
    'readOnlyHint says which tools only read',
    async (session) => {
      const tools = await needed(session.mcp.tools(), 'mcp.read-tools')
      const wrong = tools.filter(({ name, readOnly }) =>
        toolCatalogue.some((tool) => tool.name === name && tool.annotations.readOnlyHint !== readOnly),
      )
      expectNone(wrong.map(({ name, readOnly }) => `${shown(name)} says ${shown(readOnly)}`))
    },
  ),
]

/** Checks of our gateway's choices beyond the specification. */
export const chosen: readonly Check[] = [...answering, ...errors, ...safety, ...extensions, ...mcp]
