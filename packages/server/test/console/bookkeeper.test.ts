import { beforeAll, describe, expect, it } from 'vitest'
import { roleOf } from '../../src/accounts/people/roles.ts'
import type { Role } from '../../src/store/schema/schema.ts'
import type { Person } from '../assistants/oauth/person.ts'
import { openWorld, type Resident, shareWorld } from '../assistants/oauth/world.ts'
import { connect, WIDE } from '../support/assistants.ts'
import { aPlace, ENGINES } from '../support/bench.ts'
import { eventually } from '../support/eventually.ts'
import { call, SINGLE } from '../support/front.ts'
import { joinAs } from '../support/people.ts'
import { wordsOf } from './forms.ts'
import { hurried } from './live/hurried.ts'
import { listenTo } from './live/listening.ts'
import { openReceivers } from './receivers.ts'
import { RECEPTION } from './reception-routes.ts'

const TEXT = 'Zebrafinch 918273'
const NUMBER = '233241357913'
const REFERENCE = 'ref-of-zebrafinch'
/** Of every way in which a page may write the number, what it has in common. */
const MARKERS = /zebrafinch|918273|57913|57 ?913|135<\/i><i>7913|135 7913/i

const message = { From: 'WIGWAG', To: NUMBER, Content: TEXT, Reference: REFERENCE }

const world = await openReceivers({ rateLimit: undefined }, (options) =>
  shareWorld({ ...options, live: hurried() }),
)
let acme: Resident
let ticket = ''
const people = new Map<Role, Person>()

beforeAll(async () => {
  acme = await world.resident('acme')
  for (const role of ['viewer', 'bookkeeper'] as const)
    people.set(role, await joinAs(world, acme.accountId, { email: `${role}@acme.example`, role }))
  world.react({ status: 400, text: `no such customer ${TEXT} ${NUMBER}` })
  ticket = await send({ ...message, CallbackUrl: `https://a.example/${REFERENCE}?to=${NUMBER}` })
  await eventually('a charge', async () => (await visit('viewer', `/wallet?q=${ticket}`)).includes('7913'))
  await eventually('a callback', async () =>
    (await visit('viewer', `/messages/${ticket}`)).includes('no such'),
  )
  const SendAt = new Date(Date.now() + 86_400_000).toISOString()
  await call(world.url, acme, { path: `${SINGLE}/scheduled`, body: { ...message, SendAt } })
  const { id } = await connect(world.gateway, acme.accountId, { ...WIDE, recipients: [NUMBER] })
  await world.gateway.database.write(({ run }) =>
    run(`INSERT INTO audit (id, at, actor, action, account_id, detail) VALUES ($1, $2, $3, $4, $5, $6)`, [
      id,
      Date.now(),
      'person:nobody',
      'connection.create',
      acme.accountId,
      JSON.stringify({ connection: id, recipients: NUMBER, canSend: 1 }),
    ]),
  )
  await acme.person.submit(
    await acme.person.visit(`${world.url}/send?again=${ticket}`),
    { From: 'WIGWAG', To: NUMBER, Content: TEXT },
    (action) => action.endsWith('/send'),
  )
})

async function send(body: object): Promise<string> {
  const { status, text } = await call(world.url, acme, { path: SINGLE, body })
  if (status !== 200) throw new Error(`not sent: ${text}`)
  return JSON.parse(text).Ticket
}

function personOf(role: Role): Person {
  const person = people.get(role)
  if (!person) throw new Error(`nobody is a ${role}`)
  return person
}

const visit = async (role: Role, path: string) => (await personOf(role).visit(world.url + path)).text

/** Every page and file of the console that is read, with addresses that look for the message. */
function addresses(): string[] {
  const paths = world.gateway.app.routes
    .filter(({ method, path }) => method === 'GET' && !path.includes('*') && path !== '/messages/live')
    .filter(({ method, path }) => !RECEPTION.test(`${method} ${path}`))
    .map(({ path }) => path)
  const asked = [
    'status:success',
    `to:${NUMBER}`,
    'zebrafinch',
    `reference:${REFERENCE}`,
    'since:1d',
    'by:api',
  ]
  const withQueries = asked.flatMap((q) =>
    ['/messages', '/messages.csv', `/messages/${ticket}`].map((path) => `${path}?q=${encodeURIComponent(q)}`),
  )
  return [
    ...new Set(paths.map((path) => path.replace(/:(ticket|id|key)\b/g, ticket))),
    ...withQueries,
    `/wallet?q=${ticket}`,
    `/callbacks?q=${ticket}`,
  ]
}

describe('a bookkeeper', () => {
  it('reads no text, no reference and no whole number, on no page and in no file of the console', async () => {
    const found = async (role: Role) => {
      const seen: string[] = []
      for (const address of addresses()) {
        // The filter that was typed stays in its field.
        const text = (await visit(role, address)).replaceAll(/ value="[^"]*"/g, '')
        const shown = text.replaceAll(/href="[^"]*"|data-live="[^"]*"/g, '')
        if (MARKERS.test(shown)) seen.push(address)
      }
      return seen
    }
    expect(await found('bookkeeper')).toEqual([])
    const seen = await found('viewer')
    for (const path of [
      '/messages',
      '/messages.csv',
      '/scheduled',
      '/scheduled.csv',
      '/wallet',
      '/wallet.csv',
    ])
      expect(seen).toContain(path)
    for (const path of ['/log', '/log.csv', '/callbacks', '/callbacks.csv', `/messages/${ticket}`])
      expect(seen).toContain(path)
  })

  it('sees the money, the status, the country and the ticket, and how a number begins', async () => {
    const page = await personOf('bookkeeper').visit(`${world.url}/messages/${ticket}`)
    expect(page.status).toBe(200)
    const words = wordsOf(page)
    expect(words).toContain('2332413••••')
    expect(words).toContain('Ghana')
    expect(words).toContain(ticket)
    expect(words).toMatch(/Charged .*0\.0/)
    expect(words).toContain('It is not shown to your role: 1 segment, GSM-7.')
    expect(await visit('bookkeeper', '/wallet')).toContain('2332413••••')
  })

  it.each([
    [`to:${NUMBER}`, 'number'],
    ['to:233240000000', 'number'],
    ['zebrafinch', 'words'],
    [`reference:${REFERENCE}`, 'reference'],
    [`by:api zebrafinch`, 'words'],
  ])('learns nothing by looking for %s', async (q, what) => {
    for (const path of ['/messages', '/messages.csv']) {
      const page = await personOf('bookkeeper').visit(`${world.url}${path}?q=${encodeURIComponent(q)}`)
      expect([path, page.status]).toEqual([path, 422])
      expect(wordsOf(page)).toContain(`can’t look for messages by ${what}`)
    }
  })

  it('hears of messages without text and number, beside somebody who hears both', async () => {
    const [viewer, bookkeeper] = await Promise.all(
      (['viewer', 'bookkeeper'] as const).map((role) => listenTo(world.url, personOf(role))),
    )
    if (!viewer || !bookkeeper) throw new Error('expected two streams')
    await Promise.all([viewer.heard('purse'), bookkeeper.heard('purse')])
    await send(message)
    await Promise.all([viewer.heard('row'), bookkeeper.heard('row')])
    const said = ({ events }: typeof viewer) => JSON.stringify(events)
    expect(said(viewer)).toMatch(MARKERS)
    expect(said(bookkeeper)).toContain('2332413••••')
    expect(said(bookkeeper)).not.toMatch(MARKERS)
    await Promise.all([viewer.close(), bookkeeper.close()])
  })

  it('who was a viewer before loses the pages that are open', async () => {
    const person = await joinAs(world, acme.accountId, { email: 'kofi@acme.example', role: 'viewer' })
    const stream = await listenTo(world.url, person)
    await world.gateway.people.setRole(acme.accountId, 'kofi@acme.example', 'bookkeeper')
    await stream.ended
    expect(stream.count('end')).toBe(1)
  })
})

describe.each(ENGINES)('the role of a bookkeeper on %s', (engine) => {
  it('is kept by an invitation and in the account, and given and taken again', async () => {
    const world = await openWorld({ database: await aPlace(engine) })
    const { accountId } = await world.resident('beta')
    const [email, role] = ['sue@beta.example', 'bookkeeper'] as const
    await world.gateway.people.invite(accountId, 'ann@beta.example', role)
    await joinAs(world, accountId, { email, role })
    const listed = async () => {
      const { members, invited } = await world.gateway.people.list(accountId)
      return [members.find((one) => one.email === email)?.role, invited.map((one) => one.role)]
    }
    expect(await listed()).toEqual(['bookkeeper', ['bookkeeper']])
    await world.gateway.people.setRole(accountId, email, 'viewer')
    expect(await listed()).toEqual(['viewer', ['bookkeeper']])
    await world.gateway.people.setRole(accountId, email, role)
    await world.gateway.people.remove(accountId, email)
    await joinAs(world, accountId, { email, role: 'sender' })
    expect(await listed()).toEqual(['sender', ['bookkeeper']])
  })

  it('is a viewer to the version before, which may make more of them', () => {
    expect(roleOf({ role: 'viewer', sees: 'money' })).toBe('bookkeeper')
    expect(roleOf({ role: 'owner', sees: 'money' })).toBe('owner')
  })
})
