import { expect, it } from 'vitest'
import { type EpochMs, epochMs } from '../../src/kernel/ids.ts'
import { systemClock } from '../../src/kernel/process/clock.ts'
import { siteOf } from '../../src/sign-in/factors/index.ts'
import { newTotpSecret } from '../../src/sign-in/factors/totp.ts'
import { dayOf } from '../../src/web/times.tsx'
import { createPerson, formsOf } from '../assistants/oauth/person.ts'
import { openWorld } from '../assistants/oauth/world.ts'
import { codeNow } from '../desk/desk.ts'
import { createAuthenticator } from '../factors/authenticator.ts'
import { press } from './forms.ts'

const MINUTE = 60_000
const PATH = '/you/sessions/others'

/** Somebody with a second browser, and a time that can be moved. */
async function open() {
  let later = 0
  const clock = { ...systemClock, now: (): EpochMs => epochMs(systemClock.now() + later) }
  const world = await openWorld({ clock, config: { rateLimit: undefined } })
  const { person, email, password } = await world.resident('ama')
  const visit = (path: string) => person.visit(world.url + path)
  /** Says whether that browser is still in. */
  async function signInElsewhere(secret: string) {
    const elsewhere = createPerson()
    const signIn = await elsewhere.visit(`${world.url}/sign-in`)
    const second = await press(elsewhere, signIn, '/sign-in', { email, password })
    await press(elsewhere, second, '/second', { code: codeNow(secret, 0, clock.now()) })
    return async () => (await elsewhere.visit(`${world.url}/wallet`)).url.endsWith('/wallet')
  }
  async function addGenerator() {
    const secret = newTotpSecret()
    const code = codeNow(secret, 0, clock.now())
    const done = await press(person, await visit('/you/generator'), '/you/generator', { secret, code })
    return { secret, done }
  }
  const wait = (ms: number) => {
    later += ms
  }
  return { world, person, visit, clock, wait, signInElsewhere, addGenerator }
}

it('asks for a code where there is a factor, and carries the form past a wrong one', async () => {
  const { visit, person, clock, wait, addGenerator, signInElsewhere } = await open()
  const { secret, done } = await addGenerator()
  wait(MINUTE)
  const isIn = await signInElsewhere(secret)
  expect(done.text.match(/<li>[\w-]{19}<\/li>/g)).toHaveLength(10)
  wait(11 * MINUTE)
  const asked = await press(person, await visit('/you'), PATH)
  expect([asked.status, asked.text.includes('<h1>Is it you?</h1>'), await isIn()]).toEqual([401, true, true])
  expect(asked.text).not.toContain('name="password"')
  const byCode = { ...asked, text: asked.text.replace(/<form[^>]*data-passkey.*?<\/form>/s, '') }
  const wrong = await press(person, byCode, PATH, { code: '000000' })
  expect([wrong.status, wrong.text.includes('That did not fit'), await isIn()]).toEqual([401, true, true])
  const next = { ...wrong, text: wrong.text.replace(/<form[^>]*data-passkey.*?<\/form>/s, '') }
  const right = await press(person, next, PATH, { code: codeNow(secret, 0, clock.now()) })
  expect(right.text).toContain('All your other sessions are over.')
  expect(await isIn()).toBe(false)
})

it('shows the key of a generator to scan, black on white, and to copy without its gaps', async () => {
  const { visit } = await open()
  const { text } = await visit('/you/generator')
  const secret = /name="secret" value="(\w{32})"/.exec(text)?.[1] ?? ''
  expect(text).toMatch(
    /<svg class="qr" [^>]*viewBox="0 0 49 49" role="img" aria-label="QR code of the key"><rect width="49" height="49" fill="#fff"\/>/,
  )
  expect(text).toContain('data-copy="generator-key"')
  const shown = /<pre id="generator-key"[^>]*>(.*?)<\/pre>/.exec(text)?.[1] ?? ''
  expect(shown.replaceAll(/<[^>]*>/g, '')).toBe(secret)
  expect(text).toContain(`secret=${secret}&amp;issuer=Wigwag`)
})

it('gives recovery codes to copy, to print and as a file that says whose they are', async () => {
  const { addGenerator, clock } = await open()
  const { text } = (await addGenerator()).done
  const codes = [...text.matchAll(/<li>([\w-]{19})<\/li>/g)].map(([, code]) => code)
  expect(text).toContain('data-copy="codes"')
  expect(text).toContain('data-print')
  const [, address = ''] =
    /download="wigwag-recovery-codes.txt" href="data:text\/plain;charset=utf-8,([^"]*)"/.exec(text) ?? []
  const [title, ...lines] = decodeURIComponent(address).split('\n')
  expect(title).toBe(`Wigwag recovery codes, ${dayOf(clock.now())}`)
  expect(lines).toEqual(['ama', 'ama@example.com', '', ...codes, ''])
})

it('leads through the proof first where a form has a proof of its own', async () => {
  const { visit, person, clock, wait, addGenerator } = await open()
  const { secret } = await addGenerator()
  wait(11 * MINUTE)
  const another = newTotpSecret()
  const form = await visit('/you/generator')
  const asked = await press(person, form, '/you/generator', {
    secret: another,
    code: codeNow(another, 0, clock.now()),
  })
  expect([asked.text.includes('<h1>Is it you?</h1>'), new URL(asked.url).pathname]).toEqual([true, '/prove'])
  const byCode = { ...asked, text: asked.text.replace(/<form[^>]*data-passkey.*?<\/form>/s, '') }
  const back = await press(person, byCode, '/prove', { code: codeNow(secret, 0, clock.now()) })
  expect(new URL(back.url).pathname).toBe('/you')
})

it('shows the name of a passkey as it was typed', async () => {
  const { world, visit, person } = await open()
  const page = await visit('/you/generator')
  const ticket = formsOf(page)[0]?.hidden.form_ticket ?? ''
  const post = (path: string, fields: Record<string, string>) =>
    person.send(world.url + path, {
      method: 'POST',
      headers: { origin: world.url, 'sec-fetch-site': 'same-origin' },
      body: new URLSearchParams({ form_ticket: ticket, ...fields }),
    })
  const options = (await (await post('/passkey/add', {})).json()) as { challenge: string }
  const passkey = createAuthenticator().create(options, siteOf(world.url, 'Wigwag'))
  const added = await post('/you/passkeys', { passkey, name: '<script>alert(1)</script>"' })
  expect(added.status).toBe(200)
  const { text } = await visit('/you')
  expect(text).toContain('<bdi>&lt;script&gt;alert(1)&lt;/script&gt;&quot;</bdi>')
  expect(text).not.toContain('<script>alert')
})

it('takes no more than so many tries from an address, and leaves others alone', async () => {
  const { world } = await open()
  const stranger = createPerson()
  const form = await stranger.visit(`${world.url}/invited`)
  const ticket = formsOf(form)[0]?.hidden.form_ticket ?? ''
  const tryFrom = async (address: string): Promise<number> => {
    const { status } = await stranger.send(`${world.url}/join/password`, {
      method: 'POST',
      headers: { origin: world.url, 'sec-fetch-site': 'same-origin', 'x-forwarded-for': address },
      body: new URLSearchParams({ form_ticket: ticket, password: 'a long enough password' }),
    })
    return status
  }
  const statuses = new Set<number>()
  for (let n = 0; n < 1_000 && !statuses.has(429); n++) statuses.add(await tryFrom('192.0.2.7'))
  expect([...statuses]).toEqual([410, 429])
  expect(await tryFrom('192.0.2.8')).toBe(410)
})
