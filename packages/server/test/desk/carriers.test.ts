import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { micros } from '@wigwag/contract'
import { describe, expect, it, onTestFinished } from 'vitest'
import { fakeCarrier } from '../../../smpp/test/peers.ts'
import { addCosts } from '../../src/delivery/submit/costs.ts'
import type { Page } from '../assistants/oauth/person.ts'
import { press, wordsOf } from '../console/forms.ts'
import { ENGINES } from '../support/bench.ts'
import { eventually } from '../support/eventually.ts'
import { call, SINGLE, single } from '../support/front.ts'
import { openDeskOn } from './desk.ts'

const NORTH = { name: 'north', priority: 1, weight: 3, cost: '0.01' }
const SOUTH = { name: 'south', priority: 1, weight: 1 }
const WEST = { name: 'west', priority: 2, cost: '0.02' }
const PLAN = {
  carriers: { north: { url: 'simulator:' }, south: { url: 'simulator:' }, west: { url: 'simulator:' } },
  routes: [
    { prefix: '', carriers: [WEST] },
    { prefix: '23324', carriers: [WEST, SOUTH, NORTH] },
    { prefix: '23324', sender: 'ACME', carriers: [NORTH] },
    { prefix: '23320', carriers: [SOUTH] },
  ],
}
const BROKEN = `{
  "carriers": { "north": { "url": "simulator:" } },
  "routes": [{ "prefix": "", "carriers": [{ "name": "nort" }] }]
}`

describe.each(ENGINES)('the carriers, on %s', (engine) => {
  async function open(plan: object = PLAN) {
    const folder = mkdtempSync(join(tmpdir(), 'wigwag-carriers-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const write = (text: string) => writeFileSync(join(folder, 'carriers.json'), text)
    write(JSON.stringify(plan))
    const carrier = {
      given: 'file:./carriers.json',
      folder,
      variables: () => ({ FAR_PASSWORD: 'demo', WRONG: 'wrong-password' }),
    }
    const { desk, person, visit } = await openDeskOn(engine, { carrier })
    const words = async (path: string) => wordsOf(await visit(path))
    const seen = (what: string, path: string, text: string | RegExp) =>
      desk.until(what, async () => {
        const all = await words(path)
        return (typeof text === 'string' ? all.includes(text) : text.test(all)) ? all : undefined
      })
    const audited = (action: string) =>
      desk.gateway.database.read(({ run }) =>
        run('SELECT actor, detail FROM audit WHERE action = $1 ORDER BY id', [action]),
      )
    await seen('the gateway has reported', '/carriers', /south simulator Up .* west simulator Up/)
    return { desk, person, visit, words, seen, audited, write }
  }

  it('are shown with their state, what waits, and the plan in force with its routes', async () => {
    const { words, visit } = await open()
    const page = await words('/carriers')
    expect(page).toMatch(/north simulator Up 1,000 0 – 0/)
    expect(page).toMatch(/The plan in force Since \d+ \w+ 2026, \d\d:\d\d : 3 carriers and 4 routes\./)
    expect(page).toContain('It is from ./carriers.json .')
    expect(page).toMatch(/Sender ACME, prefix 23324 north \(priority 1, weight 3, 0\.01 a part\)/)
    expect(page).toMatch(/Routes Route Carriers The one for everything west .* Prefix 23320 south/)
    const { status, text } = await visit('/carriers/nobody')
    expect([status, text]).toEqual([404, expect.stringContaining('There is no such carrier')])
  })

  it('have fifty routes a page, without one twice', async () => {
    const routes = Array.from({ length: 60 }, (_, n) => ({ prefix: `${100 + n}`, carriers: [WEST] }))
    const { visit } = await open({ ...PLAN, routes })
    const first = await visit('/carriers')
    const next = /href="(\/carriers\?routes=\d+)/.exec(first.text)?.[1] ?? ''
    const found = [first, await visit(next)].map(({ text }) => text.match(/Prefix \d+/g) ?? [])
    expect(found.map(({ length }) => length)).toEqual([50, 10])
    expect(new Set(found.flat()).size).toBe(60)
  })

  it('are paused and resumed after it is said what that does, and say by whom and why', async () => {
    const { desk, person, visit, words, seen, audited } = await open()
    const asked = await visit('/carriers/south/switch')
    expect(wordsOf(asked)).toContain('No message waits for it now.')
    expect(wordsOf(asked)).toContain('By 1 route, messages go to north, west instead.')
    expect(wordsOf(asked)).toContain('By 1 route, it is the only carrier')
    const refused = await press(person, asked, '/carriers/south/switch', { reason: 'x'.repeat(501) })
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('Expected 1 to 500')])
    const values = { reason: 'too <slow>' }
    const done = await press(person, asked, '/carriers/south/switch', values)
    expect(wordsOf(done)).toContain('It is paused: running gateways submit nothing to it within a second.')
    await press(person, asked, '/carriers/south/switch', values)
    expect(await audited('carrier.pause')).toEqual([
      { actor: 'operator:ada', detail: '{"carrier":"south","reason":"too <slow>"}' },
    ])
    expect(await words('/carriers')).toMatch(
      /south simulator Paused by ada since \d\d:\d\d:\d\d , for \d+ s: too <slow> 0 0 – 0/,
    )

    const { demo } = desk.gateway
    if (!demo) throw new Error('expected a demo account')
    const number = '233201234567'
    await seen('no gateway submits to it', `/carriers/plan/way?number=${number}`, 'south Paused')
    await call(desk.url, demo, { path: SINGLE, body: single(number) })
    expect(await seen('one waits', '/carriers', /south simulator Paused .{1,80} 0 1 \d+ s 0/)).toBeTruthy()
    const resume = await visit('/carriers/south/switch')
    expect(wordsOf(resume)).toContain('1 message waits for it now, and will go out.')
    await press(person, resume, '/carriers/south/switch')
    await seen('it went out', '/carriers', /south simulator Up 1,000 0 – 0/)
    // A second press on the page that resumed does not pause it again.
    await press(person, resume, '/carriers/south/switch')
    expect(await audited('carrier.resume')).toHaveLength(1)
  })

  it('say which way a number would go, with every route and why it takes it or not', async () => {
    const { desk, visit, words } = await open()
    const way = await words('/carriers/plan/way?number=%2B233+24+123+4567&from=&account=')
    expect(way).toContain(
      '233241234567 (its network is MTN 62001) goes by the route “ prefix 23324 ”, to north first (75 of 100 messages).',
    )
    expect(way).toMatch(/north Up 1 3 75 % 0\.01 south Up 1 1 25 % – west Up 2 1 then 100 % 0\.02/)
    expect(way).toContain('Prefix 23324 Yes It fits, and no other is as specific')
    expect(way).toContain(
      'The one for everything Fits, comes later It fits, but a route with the longer prefix 23324',
    )
    expect(way).toContain('Sender ACME, prefix 23324 No No sender is given')
    expect(way).toContain('Prefix 23320 No The number does not begin with 23320')
    const acme = await words('/carriers/plan/way?number=233241234567&from=ACME')
    expect(acme).toContain(
      'Prefix 23324 Fits, comes later It fits, but a route that names the sender comes first',
    )

    const { accountId } = await desk.account('acme', 0)
    expect((await visit(`/carriers/plan/way?number=233241234567&account=${accountId}`)).status).toBe(200)
    const wrong = await visit('/carriers/plan/way?number=12&from=A!&account=')
    expect([wrong.status, wrong.text.match(/aria-invalid/g)?.length]).toEqual([422, 2])
    expect(wrong.text).toContain('value="A!"')
    const nobody = await visit('/carriers/plan/way?number=233241234567&account=nobody')
    expect([nobody.status, nobody.text]).toEqual([422, expect.stringContaining('ID or e-mail of a customer')])
  })

  it('are read again once, after it is said what would change', async () => {
    const { person, visit, words, audited, write, seen } = await open()
    expect(await words('/carriers/plan/reload')).toContain('nothing would change')
    const { north, south } = PLAN.carriers
    write(
      JSON.stringify({
        carriers: { north, south, east: { url: 'simulator:' } },
        routes: [
          { prefix: '', carriers: [{ ...NORTH, cost: '0.03' }] },
          { prefix: '23324', carriers: [SOUTH, NORTH] },
          { prefix: '49', carriers: [{ name: 'east' }] },
        ],
      }),
    )
    const asked = await visit('/carriers/plan/reload')
    const said = wordsOf(asked)
    expect(said).toContain('New carrier east at simulator .')
    expect(said).toContain('Carrier west is closed. No message waits for it')
    expect(said).toContain('New route prefix 49 : east (priority 1, weight 1) .')
    expect(said).toContain('Removed route sender ACME, prefix 23324')
    expect(said).toMatch(
      /Route the one for everything : before west \(priority 2, weight 1, 0\.02 a part\) ; then north \(priority 1, weight 3, 0\.03 a part\)/,
    )
    expect(said).not.toContain('Carrier north')
    const pressed = [
      await press(person, asked, '/carriers/plan/reload'),
      await press(person, asked, '/carriers/plan/reload'),
    ]
    expect(pressed.map(({ status }) => status)).toEqual([200, 200])
    expect(await audited('carrier.reload')).toEqual([{ actor: 'operator:ada', detail: '{}' }])
    await seen('it was read', '/carriers/plan/reload?asked=1', /has read it: .*east/)
    expect(await words('/carriers')).toContain('Prefix 49 east')
  })

  it('stay as they are when the file is wrong, and show its lines and columns', async () => {
    const { desk, visit, words, write, seen } = await open()
    write(BROKEN)
    const refused = await visit('/carriers/plan/reload')
    expect(refused.status).toBe(422)
    expect(wordsOf(refused)).toContain('The file has 1 mistake, so it is not read. The plan of')
    expect(wordsOf(refused)).toMatch(/\.\/carriers\.json:3:\d+: .*north.*"nort"/)
    expect(refused.text).not.toContain('>Read it<')
    // As the command would ask, or a gateway that has another file.
    await desk.gateway.carriers.reload()
    await seen(
      'it says so',
      '/carriers/plan/reload?asked=1',
      /found 1 mistake. Its plan of .* stays in force/,
    )
    expect(await words('/carriers')).toMatch(
      /could not read its carriers again\. The plan of .*carriers\.json:3:/,
    )
    expect(await words('/carriers')).toContain('3 carriers and 4 routes')
  })

  it('take a test once, after it is said what it costs, and show the answer', async () => {
    const smsc = await fakeCarrier({ receiptFirst: true })
    const far = { url: `smpp://demo@127.0.0.1:${smsc.port}?reconnectMs=100`, passwordEnv: 'FAR_PASSWORD' }
    const { desk, person, visit, words, audited, seen } = await open({
      carriers: { ...PLAN.carriers, far },
      routes: [...PLAN.routes, { prefix: '1', carriers: [{ name: 'far', cost: '0.02' }] }],
    })
    await seen('it is connected', '/carriers', /far smpp:\/\/demo@127\.0\.0\.1:\d+ Up/)
    const path = '/carriers/far/test'
    const wrong = await visit(`${path}?number=12&from=A!&text=`)
    expect([wrong.status, wrong.text.match(/aria-invalid/g)?.length]).toEqual([422, 3])
    const text = 'x'.repeat(200)
    const asked = await visit(`${path}?number=12025550123&from=ACME&text=${text}`)
    expect(wordsOf(asked)).toContain('Length 2 parts You pay 0.04')
    expect(smsc.taken).toEqual([])
    // No quicker than real time, in which the carrier answers: the test waits five seconds for a connection.
    const passing = <T>(what: string, look: () => T) =>
      eventually(what, async () => {
        await desk.pass(50)
        return look()
      })
    async function pressed(): Promise<Page> {
      let page: Page | undefined
      void press(person, asked, path).then((came) => {
        page = came
      })
      return passing('the page came', () => page)
    }
    const sent = await pressed()
    await pressed()
    const trial = new URL(sent.url).searchParams.get('trial')
    await passing('it was taken', async () =>
      /far took it as \w+, \w+\./.test(await words(`${path}?trial=${trial}`)),
    )
    expect(smsc.taken).toHaveLength(2)
    expect(await audited('carrier.test')).toEqual([
      { actor: 'operator:ada', detail: '{"carrier":"far","sender":"ACME","recipient":"12025550123"}' },
    ])
    const late = await press(
      person,
      { ...asked, text: asked.text.replace(/name="trial" value="[^"]*"/, 'name="trial" value="x"') },
      path,
    )
    expect(late.status).toBe(409)
    expect(smsc.taken).toHaveLength(2)
  })

  it('say why one is away', async () => {
    const smsc = await fakeCarrier({ password: 'another' })
    const far = { url: `smpp://demo@127.0.0.1:${smsc.port}?reconnectMs=100`, passwordEnv: 'WRONG' }
    const { seen, words } = await open({
      carriers: { ...PLAN.carriers, far },
      routes: [...PLAN.routes, { prefix: '1', carriers: [{ name: 'far' }] }],
    })
    await seen('it says why', '/carriers', /far smpp:\S+ Away for \d+ s: .*RINVPASWD/)
    expect(await words('/carriers/far')).not.toContain('wrong-password')
  })

  it('show what each is owed by day, and the margin of a day', async () => {
    const { desk, words } = await open()
    const { gateway } = desk
    const now = gateway.clock.now()
    const hour = now - (now % 3_600_000)
    const owed = { carrier: 'north', country: 'GH', network: 'MTN', parts: 2 }
    await gateway.database.write((tx) =>
      addCosts(tx, [
        { ...owed, hour, cost: micros(20_000) },
        { ...owed, hour: hour - 86_400_000, cost: micros(50_000) },
        { ...owed, carrier: 'west', hour, cost: micros(5_000) },
      ]),
    )
    await gateway.database.write(({ run }) =>
      run(
        `INSERT INTO hourly_totals (wallet_id, hour, country, network, sent, delivered, failed, spend)
         SELECT min(id), CAST($1 AS BIGINT), 'GH', 'MTN', 3, 2, 1, 90000 FROM wallets`,
        [hour],
      ),
    )
    const page = await words('/carriers/north')
    expect(page).toMatch(/Day Parts Owed (\d+ \w+ 2026) 2 0\.02 (\d+ \w+ 2026) 2 0\.05/)
    expect(page).toContain('GH MTN 2 0.02 0.025 GHS 0.09 0.065 3 2 1')
    const before = new Date(hour - 86_400_000).toISOString().slice(0, 10)
    expect(await words(`/carriers/north?day=${before}`)).toContain('GH MTN 2 0.05 0.05 – − 0.05 0 0 0')
    expect(await words('/carriers/south')).toContain('Nothing is known of the last 31 days')
  })

  it('are kept up to date, and changed by nobody who only looks', async () => {
    const { desk, person } = await open()
    const stream = await person.send(`${desk.deskUrl}/carriers/plan/live`)
    const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader()
    if (!reader) throw new Error('no stream')
    await desk.gateway.carriers.pause('west')
    let text = ''
    while (!text.includes('Paused')) {
      const { value, done } = await desk.during(reader.read())
      if (done) throw new Error(text)
      text += value
    }
    await reader.cancel()
    expect(text).not.toContain('form_ticket')

    const { person: looker } = await desk.operator('lin', 'look')
    const page = await looker.visit(`${desk.deskUrl}/carriers/west`)
    expect(page.text).not.toContain('/carriers/west/switch')
    for (const path of ['/carriers/west/switch', '/carriers/west/test', '/carriers/plan/reload'])
      expect((await looker.visit(desk.deskUrl + path)).status, path).toBe(403)
  })
})
