import { expect, it } from 'vitest'
import { type Assistant, assistantOf, type Changes } from './assistant.ts'
import { createDocuments } from './documents.ts'
import { createPerson, formsOf, type Page, wayBack } from './person.ts'
import { consent, DENYING, decide, READING, shareWorld } from './world.ts'

const documents = createDocuments()
const world = await shareWorld({ outbound: documents.outbound })
const { url } = world
const ama = await world.resident()
const PHISH = 'https://evil.example/phish?from=here'
const stranger = await world.assistant({ redirect_uris: [PHISH] })

/** A client that no registration made: its document says where answers go. */
function documented(): Assistant {
  const clientId = 'https://evil.example/client.json'
  const document = { client_id: clientId, redirect_uris: [PHISH], token_endpoint_auth_method: 'none' }
  documents.put(clientId, document)
  return assistantOf(url, { clientId, clientSecret: undefined, redirectUri: PHISH })
}

const WRONG: [string, Changes][] = [
  ['an unknown response type', { response_type: 'token' }],
  ['no response type', { response_type: undefined }],
  ['another response mode', { response_mode: 'form_post' }],
  ['a response mode twice', { response_mode: ['form_post', 'form_post'] }],
  ['a state twice', { state: ['a', 'b'] }],
  ['a scope that opens nothing', { scope: 'openid' }],
  ['an address that is not served', { resource: 'https://elsewhere.example' }],
  ['no challenge', { code_challenge: undefined }],
  ['no question', { prompt: 'none' }],
  ['a request by reference', { request_uri: 'https://evil.example/request' }],
]

it.each(WRONG)(
  'stays here when a stranger asks with %s, and says where it would go (§4.11.2)',
  async (_, changes) => {
    for (const client of [stranger, documented()])
      for (const person of [createPerson(), ama.person]) {
        const page = await person.visit(client.authorizeUrl(changes))
        expect([page.status, page.left]).toEqual([400, undefined])
        expect(page.text).toContain('<bdi>evil.example</bdi>')
        expect(page.text).not.toContain('http-equiv')
        expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
        expect(page.headers.get('x-frame-options')).toBe('DENY')
        expect(wayBack(page)?.host).toBe('evil.example')
      }
  },
)

it('tells the assistant what went wrong once the person has clicked', async () => {
  const page = await ama.person.visit(stranger.authorizeUrl({ prompt: 'none' }))
  const { searchParams } = wayBack(page) ?? new URL('none:')
  expect(Object.fromEntries(searchParams)).toEqual({
    from: 'here',
    error: expect.stringMatching(/_required$/),
    error_description: expect.any(String),
    state: 'the-state',
    iss: url,
  })
  expect(page.text).toContain(`(${searchParams.get('error')}`)
})

it.each([
  ['http://127.0.0.1:53682/callback', '127.0.0.1:53682'],
  ['cursor://anysphere.cursor-mcp/oauth/callback', 'cursor://anysphere.cursor-mcp'],
  ['com.example.assistant:/oauth', 'com.example.assistant:'],
])('names the place also when it is %s', async (redirect, place) => {
  const assistant = await world.assistant({ redirect_uris: [redirect] })
  const page = await createPerson().visit(assistant.authorizeUrl({ prompt: 'none' }))
  expect(page.text).toContain(`<bdi>${place}</bdi>`)
  expect(wayBack(page)?.href.startsWith(redirect)).toBe(true)
})

it.each(['https://evil.example/phish', 'ms-appinstaller:?source=https://evil.example/a.msix'])(
  'sends no browser to %s, which is not registered',
  async (redirect_uri) => {
    const page = await createPerson().visit(stranger.authorizeUrl({ redirect_uri, prompt: 'none' }))
    expect([page.status, page.left, wayBack(page)]).toEqual([400, undefined, undefined])
  },
)

it('believes no redirect URI at the way back of an authorization', async () => {
  const query = new URL(stranger.authorizeUrl()).search
  const page = await createPerson().visit(`${url}/oauth/authorize/unknown${query}`)
  expect([page.status, page.left]).toEqual([400, undefined])
})

it('takes no request for an authorization by a form, which another site could send', async () => {
  const address = new URL(stranger.authorizeUrl({ prompt: 'none', response_mode: 'form_post' }))
  const body = address.searchParams
  const answer = await createPerson().send(`${url}/oauth/authorize`, { method: 'POST', body })
  expect(answer.status).toBe(404)
})

it('goes to the assistant after a click on Allow or on Deny, without another one', async () => {
  expect((await consent(ama, stranger, DENYING)).get('error')).toBe('access_denied')
  expect((await consent(ama, stranger, READING)).has('code')).toBe(true)
})

it('stays here when something went wrong after a click on Allow', async () => {
  const { id, resource } = await world.gateway.standalone.add('http://127.0.0.1:9/mcp')
  const page = await ama.person.visit(stranger.authorizeUrl({ resource }))
  const consented = formsOf(page).find(({ action }) => action.includes('/oauth/interaction/'))
  const answer = await ama.person.send(consented?.action ?? '', {
    method: 'POST',
    headers: { origin: url },
    body: new URLSearchParams({ ...consented?.hidden, ...READING }),
  })
  const back = /http-equiv="refresh" content="0; ?url=([^"]+)"/.exec(await answer.text())?.[1] ?? ''
  await world.gateway.standalone.remove(id)
  const stopped = await ama.person.visit(new URL(back, url).href)
  expect([stopped.status, stopped.left]).toEqual([400, undefined])
  expect(wayBack(stopped)?.searchParams.get('error')).toBe('invalid_target')
})

const AFTERWARDS = [
  ['an authorization that must fail', stranger.authorizeUrl({ prompt: 'none' }).slice(url.length)],
  ['an authorization', stranger.authorizeUrl().slice(url.length)],
  ['the way back of one', '/oauth/authorize/unknown?redirect_uri=https://evil.example/'],
  ['another site', 'https://evil.example/'],
  ['nothing of ours', '/no/such/page'],
] as const

it.each(AFTERWARDS)('leads to the inbox after signing in for %s', async (_, next) => {
  const kofi = await world.resident()
  const address = `${url}/sign-in?next=${encodeURIComponent(next)}`
  const landings: Page[] = [await kofi.person.visit(address)]
  kofi.person.cookies.clear()
  const { email, password } = kofi
  landings.push(await kofi.person.submit(await kofi.person.visit(address), { email, password }))
  for (const { url: landed, left } of landings) {
    expect(left).toBeUndefined()
    expect(new URL(landed).pathname).toBe('/messages')
  }
})

it('leads to the question after signing in for it', async () => {
  const kofi = await world.resident()
  kofi.person.cookies.clear()
  const { email, password } = kofi
  const page = await kofi.person.submit(await kofi.person.visit(stranger.authorizeUrl()), { email, password })
  expect(page.text).toContain('Connect an assistant?')
  expect(new URL(await decide(kofi.person, page, READING)).host).toBe('evil.example')
})
