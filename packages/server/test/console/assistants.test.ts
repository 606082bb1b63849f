import { micros } from '@wigwag/contract'
import { describe, expect, it } from 'vitest'
import { eras } from '../../../mcp/test/fixtures/stateless.ts'
import type { Clock } from '../../src/kernel/process/clock.ts'
import { openWorld, type Resident } from '../assistants/oauth/world.ts'
import { hurriedClock } from '../cells/hurried-clock.ts'
import { asOwner, connect, WIDE } from '../support/assistants.ts'
import { eventually } from '../support/eventually.ts'
import { call, SINGLE, single } from '../support/front.ts'
import { basic } from '../support/harness.ts'

const FORM = { daily_spend: '2.5', daily_messages: '7', recipients: '23324*', unasked: 'refuse' }

async function open(clock?: Clock) {
  const world = await openWorld(clock && { clock })
  const ama = await world.resident('ama')
  const page = `${world.url}/connections`
  const list = ({ accountId }: Resident) => world.gateway.connections.list(accountId)
  return { ...world, ama, page, list }
}

describe('the page of assistants', () => {
  it('shows what an assistant may do, and has done today', async () => {
    const { url, gateway, ama, page } = await open()
    const limits = {
      dailySpend: micros(5_000_000),
      dailyMessages: 50,
      recipients: ['23324*'],
      unasked: 'send' as const,
    }
    const { headers } = await connect(gateway, ama.accountId, limits)
    const sent = await fetch(`${url}${SINGLE}`, {
      method: 'POST',
      headers: { authorization: headers.authorization, 'content-type': 'application/json' },
      body: JSON.stringify(single()),
    })
    expect(sent.status).toBe(200)
    const [connection] = await gateway.connections.list(ama.accountId)
    const { text } = await ama.person.visit(page)
    expect(connection?.today.messages).toBe(1)
    expect(text).toMatch(/<strong>GHS 0\.0\d+<\/strong> <span class="soft">of GHS 5\.00</)
    expect(text).toMatch(
      /<strong><a href="\/messages\?q=by%3A%22Assistant%22"[^>]*>1<\/a><\/strong> <span class="soft">of 50</,
    )
    expect(text).toContain('May send to <code>23324*</code>')
    expect(text).toMatch(/Last used <time datetime="[^"]+">today, /)
  })

  it('says what all of them may do together, as the consent does before', async () => {
    const { url, gateway, ama, page, assistant } = await open()
    const { headers } = await connect(gateway, ama.accountId)
    await gateway.people.limitAssistants(ama.accountId, undefined, {
      spend: micros(6_000_000),
      messages: null,
    })
    await gateway.people.limitAssistants(ama.accountId, ama.email, { spend: micros(4_500_000), messages: 9 })
    await call(url, ama, { path: SINGLE, body: single() })
    await fetch(`${url}${SINGLE}`, {
      method: 'POST',
      headers: { authorization: headers.authorization, 'content-type': 'application/json' },
      body: JSON.stringify(single()),
    })
    const together = [
      'This account, with all its assistants, may spend GHS 6.00 a day. Used today: GHS 0.042, 1 message.',
      `${ama.email}, with all their assistants, may spend GHS 4.50 and send 9 messages a day. Used today: GHS 0.042, 1 message.`,
    ]
    for (const where of [page, (await assistant()).authorizeUrl()]) {
      const { text } = await ama.person.visit(where)
      for (const sentence of together) expect(text).toContain(sentence)
    }
  })

  it('lists the programs that call the tools with API credentials, which have no connection to end', async () => {
    const clock = hurriedClock()
    const { url, ama, page } = await open(clock)
    expect((await ama.person.visit(page)).text).not.toContain('With API credentials')
    const { headers, body } = eras['2025-11-25']('tools/call', { name: 'get_balance', arguments: {} })
    const credentials = { authorization: basic(ama), 'x-wallet': `Token ${ama.walletToken}` }
    const init = { method: 'POST', headers: { ...headers, ...credentials }, body: JSON.stringify(body) }
    expect((await fetch(`${url}/mcp`, init)).status).toBe(200)
    const said = new RegExp(`With API credentials[^]*${ama.clientId}</dt><dd>Last used <time[^>]*>today`)
    // Uses are written down together, in a moment.
    clock.hurry(1_000)
    await eventually('it is listed', async () => said.test((await ama.person.visit(page)).text))
    expect((await ama.person.visit(page)).text).toContain('<a href="/keys">replace its secret</a>')
  })

  it('says how to connect the first one', async () => {
    const { url, ama, page } = await open()
    const { text } = await ama.person.visit(page)
    expect(text).toContain('No assistant is connected')
    expect(text).toContain(`>${url}/mcp<`)
  })

  it.each([false, true])(
    'adds this gateway to Cursor and VS Code at a click; one is connected: %s',
    async (one) => {
      const { url, gateway, ama, page } = await open()
      if (one) await connect(gateway, ama.accountId)
      const { text } = await ama.person.visit(page)
      const links = new Map(
        [...text.matchAll(/<a class="button second" href="([^"]+)">Add to ([^<]+)</g)].map(
          ([, href, name]) => [name, (href ?? '').replaceAll('&amp;', '&')],
        ),
      )
      expect([...links.keys()]).toEqual(['Cursor', 'VS Code'])
      const cursor = new URL(links.get('Cursor') ?? '')
      expect(cursor.href).toMatch(/^cursor:\/\/anysphere\.cursor-deeplink\/mcp\/install\?name=wigwag&config=/)
      expect(JSON.parse(atob(cursor.searchParams.get('config') ?? ''))).toEqual({ url: `${url}/mcp` })
      const [start, query = ''] = links.get('VS Code')?.split('?') ?? []
      expect(start).toBe('vscode:mcp/install')
      expect(JSON.parse(decodeURIComponent(query))).toEqual({
        name: 'wigwag',
        type: 'http',
        url: `${url}/mcp`,
      })
    },
  )

  it('sends who is not signed in to do so, and back', async () => {
    const { ama, page } = await open()
    ama.person.cookies.clear()
    const signIn = await ama.person.visit(page)
    expect(signIn.url).toContain('/sign-in?next=%2Fconnections')
    expect((await ama.person.submit(signIn, { email: ama.email, password: ama.password })).text).toContain(
      '<h1>Assistants</h1>',
    )
  })
})

describe('the form of limits', () => {
  it('changes them', async () => {
    const { gateway, ama, page, list } = await open()
    const { id } = await connect(gateway, ama.accountId)
    const done = await ama.person.submit(await ama.person.visit(page), FORM, (to) => to.endsWith('/limits'))
    expect(done.url).toBe(`${page}?done=limits#c-${id}`)
    expect(done.text).toContain('The new limits are in force.')
    expect(await list(ama)).toMatchObject([
      { limits: { dailySpend: 2_500_000, dailyMessages: 7, recipients: ['23324*'], unasked: 'refuse' } },
    ])
    expect(done.text).toContain('Where it can’t ask you first: <strong>sends nothing</strong>')
  })

  it('changes nothing while something in it is wrong, and says what', async () => {
    const { gateway, ama, page, list } = await open()
    await connect(gateway, ama.accountId)
    const wrong = await ama.person.submit(
      await ama.person.visit(page),
      { ...FORM, daily_spend: 'a lot', recipients: '<b>' },
      (to) => to.endsWith('/limits'),
    )
    expect(wrong.status).toBe(422)
    expect(wrong.text).toContain('Expected an amount such as 5 or 0.50, got “a lot”.')
    expect(wrong.text).toContain('got “&lt;b&gt;”.')
    expect(wrong.text).toContain('value="a lot"')
    expect(await list(ama)).toMatchObject([{ limits: WIDE }])
  })
})

describe('revoking', () => {
  it('ends the access at once, and shows it as ended', async () => {
    const { url, gateway, ama, page, list } = await open()
    const { headers } = await connect(gateway, ama.accountId, 'only reading')
    const balance = async () =>
      (await fetch(`${url}/v1/account/balance`, { headers: { authorization: headers.authorization } })).status
    expect(await balance()).toBe(200)
    const done = await ama.person.submit(await ama.person.visit(page), {}, (to) => to.endsWith('/revoke'))
    expect(done.url).toBe(`${page}?done=revoked`)
    expect(done.text).toContain('Ended in the last 30 days')
    expect(await balance()).toBe(401)
    expect((await list(ama))[0]?.endedAt).toBeDefined()
  })
})

describe('a form about a connection', () => {
  it.each(['limits', 'revoke'])('does nothing to one of another account: %s', async (what) => {
    const { gateway, resident, ama, page, list } = await open()
    const kofi = await resident('kofi')
    const { id } = await connect(gateway, kofi.accountId)
    await connect(gateway, ama.accountId)
    const own = await ama.person.visit(page)
    const aimed = { ...own, text: own.text.replaceAll(/\/connections\/[\w-]+\//g, `/connections/${id}/`) }
    const refused = await ama.person.submit(aimed, FORM, (to) => to === `${page}/${id}/${what}`)
    expect([refused.status, refused.text.includes('There is no such connection')]).toEqual([404, true])
    expect(await list(kofi)).toMatchObject([{ limits: WIDE, endedAt: undefined }])
  })

  it.each(['limits', 'revoke'])('does nothing to one that has ended meanwhile: %s', async (what) => {
    const { gateway, ama, page, list } = await open()
    const { id } = await connect(gateway, ama.accountId)
    const form = await ama.person.visit(page)
    await gateway.connections.revoke(asOwner(ama.accountId), id)
    const before = await list(ama)
    expect((await ama.person.submit(form, FORM, (to) => to.endsWith(what))).status).toBe(404)
    expect(await list(ama)).toEqual(before)
  })

  it.each(['limits', 'revoke'])(
    'that another site made the browser post changes nothing: %s',
    async (what) => {
      const { gateway, ama, page, list } = await open()
      const { id } = await connect(gateway, ama.accountId)
      const { text } = await ama.person.visit(page)
      const [, ticket = ''] = /name="form_ticket" value="([^"]*)"/.exec(text) ?? []
      const cookie = [...ama.person.cookies].map((pair) => pair.join('=')).join('; ')
      const session = `wigwag_portal=${ama.person.cookies.get('wigwag_portal')}`
      const attempts = [
        { headers: { cookie, origin: 'https://evil.example' }, ticket },
        { headers: { cookie, 'sec-fetch-site': 'cross-site' }, ticket },
        { headers: { cookie }, ticket: '' },
        { headers: { cookie: session }, ticket },
      ]
      for (const attempt of attempts) {
        const body = new URLSearchParams({ ...FORM, form_ticket: attempt.ticket })
        const answer = await fetch(`${page}/${id}/${what}`, {
          method: 'POST',
          headers: attempt.headers,
          body,
          redirect: 'manual',
        })
        expect([answer.status, (await answer.text()).includes('This form can’t be used')]).toEqual([
          403,
          true,
        ])
      }
      expect(await list(ama)).toMatchObject([{ limits: WIDE, endedAt: undefined }])
    },
  )

  it('leads to the sign-in when the session is over', async () => {
    const { gateway, ama, page } = await open()
    await connect(gateway, ama.accountId)
    const form = await ama.person.visit(page)
    ama.person.cookies.delete('wigwag_portal')
    const landed = await ama.person.submit(form, FORM, (to) => to.endsWith('/limits'))
    expect(landed.url).toContain('/sign-in?next=%2Fconnections')
  })
})
