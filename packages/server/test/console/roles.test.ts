import { beforeAll, describe, expect, it } from 'vitest'
import { mayDo, type Right, ROLES } from '../../src/accounts/people/roles.ts'
import type { Role } from '../../src/store/schema/schema.ts'
import { formsOf, type Page, type Person } from '../assistants/oauth/person.ts'
import { openWorld, type Resident, shareWorld, type World } from '../assistants/oauth/world.ts'
import { connect } from '../support/assistants.ts'
import { aPlace } from '../support/bench.ts'
import { call, SINGLE, single } from '../support/front.ts'
import { joinAs } from '../support/people.ts'
import { RECEPTION } from './reception-routes.ts'

/** The right that every route of the console asks for. A new route is red until it is here. */
const ROUTES: Readonly<Record<Right, readonly string[]>> = {
  read: [
    'GET /messages',
    'GET /messages.csv',
    'GET /messages/live',
    'GET /messages/:ticket',
    'GET /scheduled',
    'GET /scheduled.csv',
    'GET /scheduled/:ticket',
    'GET /insights',
    'GET /insights.csv',
    'GET /wallet',
    'GET /wallet.csv',
    'GET /alerts',
    'POST /alerts/mail',
    'POST /alerts/code',
    'GET /sender-ids',
    'GET /sender-ids.csv',
    'GET /rates',
    'GET /rates.csv',
    'GET /log',
    'GET /log.csv',
    'POST /theme',
    // A person's own settings, for every role.
    'GET /you',
    'POST /you/passkeys',
    'POST /you/passkeys/name',
    'POST /you/passkeys/remove',
    'GET /you/generator',
    'POST /you/generator',
    'POST /you/generator/remove',
    'POST /you/recovery',
    'POST /you/password',
    'POST /you/sessions/end',
    'POST /you/sessions/others',
  ],
  texts: ['GET /callbacks', 'GET /callbacks.csv'],
  send: [
    'GET /send',
    'POST /send',
    'POST /send/estimate',
    'GET /send/many',
    'POST /send/many',
    'GET /send/many/:key',
    'POST /scheduled/:ticket/cancel',
    'POST /scheduled/:ticket/cancel-all',
  ],
  senders: ['POST /sender-ids'],
  build: [
    'GET /developers',
    'GET /developers/wigwag.postman_collection.json',
    'POST /alerts',
    'POST /alerts/known',
    'GET /keys',
    'POST /keys/:id/rotate',
    'POST /keys/:id/end',
    'POST /callbacks/replay',
    'POST /callbacks/:id/replay',
    'POST /messages/:ticket/tell',
    'GET /sandbox',
    'POST /sandbox/clock',
    'POST /sandbox/tell',
    'POST /sandbox/faults',
    'POST /sandbox/money',
    'POST /sandbox/senders',
    'POST /sandbox/start-over',
  ],
  assistants: ['GET /connections', 'POST /connections/:id/revoke'],
  'assistants that send': ['POST /connections/:id/limits'],
  people: [
    'GET /people',
    'POST /people/invite',
    'POST /people/withdraw',
    'POST /people/role',
    'POST /people/remove',
    'POST /people/factor',
    'POST /people/limits',
    'POST /people/country',
  ],
}

const ROLE_PAGE = 'Your role does not allow this'

const right: ReadonlyMap<string, Right> = new Map(
  Object.entries(ROUTES).flatMap(([name, routes]) => routes.map((route) => [route, name as Right] as const)),
)

/** The route of the table that an address belongs to. */
function routeOf(method: string, path: string): string | undefined {
  if (right.has(`${method} ${path}`)) return `${method} ${path}`
  return [...right.keys()].find((route) => {
    const pattern = route.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:\w+/g, '[^/]+')
    return new RegExp(`^${pattern}$`).test(`${method} ${path}`)
  })
}

let world: World
let acme: Resident
const people = new Map<Role, Person>()

beforeAll(async () => {
  world = await shareWorld({ config: { rateLimit: undefined } })
  acme = await world.resident('acme')
  for (const role of ROLES)
    people.set(role, await joinAs(world, acme.accountId, { email: `${role}@acme.example`, role }))
  await call(world.url, acme, { path: SINGLE, body: { ...single(), CallbackUrl: 'https://a.example/hook' } })
  const SendAt = new Date(Date.now() + 86_400_000).toISOString()
  await call(world.url, acme, { path: `${SINGLE}/scheduled`, body: { ...single(), SendAt } })
  await connect(world.gateway, acme.accountId)
})

const personOf = (role: Role): Person => {
  const person = people.get(role)
  if (!person) throw new Error(`nobody is a ${role}`)
  return person
}

/** The expected rights of each role. */
const RIGHTS: Readonly<Record<Role, readonly Right[]>> = {
  owner: ['read', 'texts', 'send', 'senders', 'build', 'assistants', 'assistants that send', 'people'],
  sender: ['read', 'texts', 'send', 'senders', 'assistants', 'assistants that send'],
  developer: ['read', 'texts', 'build', 'assistants'],
  viewer: ['read', 'texts'],
  bookkeeper: ['read'],
}

describe('the roles of people', () => {
  it.each(ROLES)('give a %s the rights of the role', (role) => {
    const rights = Object.keys(ROUTES) as Right[]
    expect(rights.filter((one) => mayDo(role, one))).toEqual(RIGHTS[role])
  })

  it('are asked for by every route of the console, as the table here says', () => {
    const paths = world.gateway.app.routes
      .filter(({ method, path }) => (method === 'GET' || method === 'POST') && !path.includes('*'))
      .map(({ method, path }) => `${method} ${path}`)
      .filter((route) => !RECEPTION.test(route) || right.has(route))
    expect([...new Set(paths)].filter((route) => !right.has(route))).toEqual([])
    expect([...right.keys()].filter((route) => !paths.includes(route))).toEqual([])
  })

  it.each(ROLES)('let a %s do what the table of rights says, and nothing else', async (role) => {
    const person = personOf(role)
    for (const [route, needed] of right) {
      const [method = '', path = ''] = route.split(' ')
      // A form without the ticket of a page does nothing, and is refused for that after the role was looked at.
      const response = await person.send(world.url + path.replace(/:\w+/g, acme.accountId), {
        method,
        ...(method === 'POST' && { headers: { origin: world.url }, body: new URLSearchParams({ a: 'b' }) }),
      })
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
      const text = isStream ? '' : await response.text()
      if (isStream) await response.body?.cancel()
      expect([response.status === 403 && text.includes(ROLE_PAGE), route]).toEqual([
        !mayDo(role, needed),
        route,
      ])
    }
  })

  it.each(ROLES)('show a %s no link and no button that leads to a refusal', async (role) => {
    const person = personOf(role)
    const seen = new Set<string>(['/messages'])
    const pages: Page[] = []
    for (const path of seen) {
      const page = await person.visit(world.url + path)
      if (!page.headers.get('content-type')?.startsWith('text/html')) continue
      pages.push(page)
      expect(page.text, path).not.toContain(ROLE_PAGE)
      for (const [, href = ''] of page.text.matchAll(/ href="(\/[^"#]*)/g)) {
        const { pathname, search } = new URL(href.replaceAll('&amp;', '&'), world.url)
        const route = routeOf('GET', pathname)
        if (!route) continue
        expect([mayDo(role, right.get(route) ?? 'people'), href, path]).toEqual([true, href, path])
        if (seen.size < 60) seen.add(pathname + search)
      }
      for (const { action } of formsOf(page)) {
        const route = routeOf('POST', new URL(action).pathname)
        if (route)
          expect([mayDo(role, right.get(route) ?? 'people'), action, path]).toEqual([true, action, path])
      }
    }
    expect(pages.length).toBeGreaterThan(8)
  })

  it('count as they are now, at the next request to another gateway', async () => {
    const database = await aPlace('PostgreSQL')
    const [one, other] = [await openWorld({ database }), await openWorld({ database })]
    const { accountId } = await one.resident('beta')
    const person = await joinAs(one, accountId, { email: 'sue@beta.example', role: 'sender' })
    expect((await person.visit(`${other.url}/send`)).status).toBe(200)
    await one.gateway.people.setRole(accountId, 'sue@beta.example', 'viewer')
    expect((await person.visit(`${other.url}/send`)).status).toBe(403)
    await one.gateway.people.remove(accountId, 'sue@beta.example')
    expect(new URL((await person.visit(`${other.url}/messages`)).url).pathname).toBe('/sign-in')
  })
})
