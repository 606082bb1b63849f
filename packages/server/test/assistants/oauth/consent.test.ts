import { expect, it } from 'vitest'
import { formsOf, type Page, wayBack } from './person.ts'
import {
  DENYING,
  decide,
  livingConnections,
  mcp,
  READING,
  type Resident,
  SENDING,
  shareWorld,
  tokensFor,
} from './world.ts'

const world = await shareWorld()
const assistant = await world.assistant()

/** Sends the form of a consent without going on, as the first of two clicks does. */
function click({ person }: Resident, page: Page, choice: Record<string, string>): Promise<Response> {
  const form = formsOf(page).find(
    ({ action, hidden }) => action.includes('/oauth/') && !('decision' in hidden),
  )
  const headers = { origin: world.url, 'sec-fetch-site': 'same-origin' }
  const body = new URLSearchParams({ ...form?.hidden, ...choice })
  return person.send(form?.action ?? '', { method: 'POST', headers, body })
}

it.each([
  ['together', (clicks: (() => Promise<Response>)[]) => Promise.all(clicks.map((go) => go()))],
  ['one after the other', async ([one, two]: (() => Promise<Response>)[]) => [await one?.(), await two?.()]],
])('connects once for two clicks on a button, %s', async (_, inOrder) => {
  const ama = await world.resident()
  const page = await ama.person.visit(assistant.authorizeUrl())
  const go = () => click(ama, page, READING)
  const answers = await inOrder([go, go])
  expect(answers.map((answer) => answer?.status)).toEqual([200, 200])
  expect(await livingConnections(world, ama)).toBe(1)
})

it('takes the person on when the second click of two is the one that the browser shows', async () => {
  const ama = await world.resident()
  const page = await ama.person.visit(assistant.authorizeUrl())
  await click(ama, page, SENDING)
  const left = new URL(await decide(ama.person, page, SENDING))
  const { body } = await assistant.trade(left.searchParams.get('code') ?? '')
  expect((await mcp(world.url, body.access_token)).status).toBe(200)
  expect(await livingConnections(world, ama)).toBe(1)
})

it.each([
  ['allowed', READING, DENYING, 'code', 1],
  ['refused', DENYING, READING, 'error', 0],
] as const)('holds to what was %s first', async (_, first, then, said, living) => {
  const ama = await world.resident()
  const page = await ama.person.visit(assistant.authorizeUrl())
  await click(ama, page, first)
  // The second answer does not decide the result, so its page must not claim one.
  expect(await (await click(ama, page, then)).text()).not.toMatch(/Connected|Not connected/)
  const left = new URL(await decide(ama.person, page, then))
  expect(left.searchParams.has(said)).toBe(true)
  expect(await livingConnections(world, ama)).toBe(living)
})

it('lets a person in no more who was suspended after a click on Allow', async () => {
  const ama = await world.resident()
  const page = await ama.person.visit(assistant.authorizeUrl())
  const clicked = await click(ama, page, READING)
  const [, onward = ''] = /content="0; ?url=([^"]+)"/i.exec(await clicked.text()) ?? []
  await world.gateway.operator.setStatus(ama.accountId, 'suspended')
  const next = await ama.person.visit(new URL(onward, world.url).href)
  expect([next.status, next.left]).toEqual([400, undefined])
  expect(next.text).toContain('Go back to the assistant and connect again')
})

it('asks again after limits that make no sense, and connects nothing before', async () => {
  const ama = await world.resident()
  const page = await ama.person.visit(assistant.authorizeUrl())
  const again = await ama.person.submit(page, { ...SENDING, daily_spend: 'a lot' }, (to) =>
    to.includes('/oauth/'),
  )
  expect(again.status).toBe(422)
  expect(await livingConnections(world, ama)).toBe(0)
  await decide(ama.person, again, SENDING)
  expect(await livingConnections(world, ama)).toBe(1)
})

it('asks of two assistants in one browser, each on a page of its own', async () => {
  const ama = await world.resident()
  const other = await world.assistant({ client_name: 'The other one' })
  const one = await ama.person.visit(assistant.authorizeUrl())
  const two = await ama.person.visit(other.authorizeUrl())
  expect(one.text).toContain('Test assistant')
  expect(two.text).toContain('The other one')
  const first = new URL(await decide(ama.person, one, READING))
  const second = new URL(await decide(ama.person, two, READING))
  expect((await assistant.trade(first.searchParams.get('code') ?? '')).status).toBe(200)
  expect((await other.trade(second.searchParams.get('code') ?? '')).status).toBe(200)
})

it('asks every time, also an assistant that was let in before', async () => {
  const ama = await world.resident()
  await tokensFor(ama, assistant)
  const page = await ama.person.visit(assistant.authorizeUrl())
  expect(page.left).toBeUndefined()
  expect(page.text).toContain('Connect an assistant?')
  const silent = await ama.person.visit(assistant.authorizeUrl({ prompt: 'none' }))
  expect(wayBack(silent)?.searchParams.get('error')).toMatch(/_required$/)
})

it.each(['consent', 'login', 'login consent'])('asks once for prompt=%s', async (prompt) => {
  const ama = await world.resident()
  const { refresh_token } = await tokensFor(ama, assistant, READING, {
    prompt,
    scope: 'sms:read offline_access',
  })
  expect(refresh_token).toBeDefined()
})

it('asks for somebody who signs in on the way', async () => {
  const ama = await world.resident()
  ama.person.cookies.clear()
  const signIn = await ama.person.visit(assistant.authorizeUrl())
  expect(new URL(signIn.url).pathname).toBe('/sign-in')
  const { email, password } = ama
  const page = await ama.person.submit(signIn, { email, password })
  const left = new URL(await decide(ama.person, page, READING))
  expect((await assistant.trade(left.searchParams.get('code') ?? '')).status).toBe(200)
})

it('connects the account of the person who is signed in when the button is clicked', async () => {
  const ama = await world.resident()
  const kofi = await world.resident()
  const page = await ama.person.visit(assistant.authorizeUrl())
  const signIn = await ama.person.submit(page, { decision: 'switch' }, (to) => to.includes('/oauth/'))
  const { email, password } = kofi
  const again = await ama.person.submit(signIn, { email, password })
  expect(again.text).toContain(kofi.email)
  await decide(ama.person, again, READING)
  expect(await livingConnections(world, ama)).toBe(0)
  expect(await livingConnections(world, kofi)).toBe(1)
})

it('asks again when somebody else has signed in since, in another tab', async () => {
  const ama = await world.resident()
  const kofi = await world.resident()
  const page = await ama.person.visit(assistant.authorizeUrl())
  const connections = await ama.person.visit(`${world.url}/connections`)
  const signIn = await ama.person.submit(connections, {}, (to) => to.endsWith('/sign-out'))
  const { email, password } = kofi
  await ama.person.submit(signIn, { email, password })
  const again = await ama.person.submit(page, SENDING, (to) => to.includes('/oauth/'))
  expect(again.text).toContain(kofi.email)
  expect(await livingConnections(world, kofi)).toBe(0)
  await decide(ama.person, again, SENDING)
  expect(await livingConnections(world, kofi)).toBe(1)
  expect(await livingConnections(world, ama)).toBe(0)
})
