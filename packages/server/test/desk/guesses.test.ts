import { describe, expect, it, onTestFinished } from 'vitest'
import { siteOf } from '../../src/sign-in/factors/index.ts'
import { deskSite } from '../../src/web/desk/frame/session.ts'
import { createPerson, formsOf } from '../assistants/oauth/person.ts'
import { createAuthenticator } from '../factors/authenticator.ts'
import { ENGINES } from '../support/bench.ts'
import { makePlace } from '../support/engine.ts'
import { codeNow, type Desk, enter, openDesk, otherSecret, signIn } from './desk.ts'

const MINUTE = 60_000
const WRONG = codeNow(otherSecret)

/** Tries a name with a code from an address, and gives the status of the answer. */
type Try = (name: string, code?: string, from?: string) => Promise<number>

/** A desk whose time a test moves, with ada, who has a generator alone. */
async function openMoved(engine: (typeof ENGINES)[number]) {
  const { url, remove } = await makePlace(engine)
  onTestFinished(remove)
  const desk = await openDesk(url)
  const { secret, recoveryCodes } = await desk.operator('ada')
  return {
    desk,
    recoveryCodes,
    tries: await triesAt(desk),
    /** The next code of ada's generator. */
    rightCode: () => desk.codeNow(secret, 1),
    wait: desk.pass,
  }
}

async function triesAt({ deskUrl }: Pick<Desk, 'deskUrl'>): Promise<Try> {
  const person = createPerson()
  const page = await person.visit(`${deskUrl}/sign-in`)
  const form = formsOf(page).find(({ action }) => new URL(action).pathname === '/sign-in')
  if (!form) throw new Error('there is no form for a code')
  return async (name, code = WRONG, from = '203.0.113.9') => {
    const headers = { origin: new URL(deskUrl).origin, 'x-forwarded-for': from }
    const body = new URLSearchParams({ ...form.hidden, name, code })
    return (await person.send(form.action, { method: 'POST', headers, body })).status
  }
}

async function statusesOf(count: number, one: (n: number) => Promise<number>): Promise<number[]> {
  const statuses: number[] = []
  for (let n = 0; n < count; n++) statuses.push(await one(n))
  return statuses
}

const all = (count: number, status: number) => Array.from({ length: count }, () => status)

describe.each(ENGINES)('guesses at the desk, on %s', (engine) => {
  it('count for the operator that they are for, however the name is typed', async () => {
    const { tries, rightCode } = await openMoved(engine)
    const spelled = (n: number) => ` a${'\0'.repeat(n)}da${'\0'.repeat(n)} `
    expect(await statusesOf(6, (n) => tries(spelled(n)))).toEqual([...all(5, 401), 429])
    expect(await tries('ada', rightCode())).toBe(429)
    expect(await statusesOf(6, (n) => tries(spelled(n).replace('da', 'n')))).toEqual([...all(5, 401), 429])
  })

  it('are waited for twice as long with each one after the fifth, until a right one', async () => {
    const { tries, rightCode, wait } = await openMoved(engine)
    await statusesOf(5, () => tries('ada'))
    for (const minutes of [15, 30, 60]) {
      await wait(minutes * MINUTE - 1)
      expect(await tries('ada', rightCode())).toBe(429)
      await wait(1)
      expect(await tries('ada')).toBe(401)
    }
    await wait(120 * MINUTE)
    expect(await tries('ada', rightCode())).toBe(303)
    expect(await statusesOf(5, () => tries('ada'))).toEqual(all(5, 401))
  })

  it('close codes to their own network alone', async () => {
    const { tries, rightCode } = await openMoved(engine)
    await statusesOf(5, (n) => tries('ada', WRONG, `2001:db8:1:${n}::1`))
    expect(await tries('ada', rightCode(), '2001:db8:1:9::1')).toBe(429)
    expect(await tries('ada', rightCode(), '2001:db8:2:1::1')).toBe(303)
  })

  it('are fifty a day for a name, from wherever, and a recovery code still opens', async () => {
    const { tries, rightCode, recoveryCodes, wait } = await openMoved(engine)
    const tryAll = (name: string) =>
      Promise.all(
        Array.from({ length: 10 }, (_, network) =>
          statusesOf(5, () => tries(name, WRONG, `198.51.100.${network}`)),
        ),
      )
    expect((await tryAll('ada')).flat()).toEqual(all(50, 401))
    expect(await tries('ada', rightCode(), '192.0.2.1')).toBe(429)
    expect(await tries('ada', recoveryCodes[0], '192.0.2.1')).toBe(303)
    expect((await tryAll('nobody')).flat()).toEqual(all(50, 401))
    expect(await tries('nobody', WRONG, '192.0.2.1')).toBe(429)
    await wait(24 * 60 * MINUTE)
    expect(await tries('ada', rightCode(), '192.0.2.1')).toBe(303)
  })

  it('are fifty a day from a network, whatever names it tries', async () => {
    const { tries, rightCode } = await openMoved(engine)
    const names = (n: number) => tries(`name ${n}`, WRONG, `2001:db8:1:${n}::1`)
    expect(await statusesOf(51, names)).toEqual([...all(50, 401), 429])
    expect(await tries('ada', rightCode(), '2001:db8:1:ffff::1')).toBe(429)
    expect(await tries('ada', rightCode(), '2001:db8:2:1::1')).toBe(303)
  })

  it('are counted with the name of the operator that they are for', async () => {
    const { desk, tries } = await openMoved(engine)
    await tries('ada\0')
    await tries('a secret typed here')
    const details = await desk.gateway.database.read(({ run }) =>
      run('SELECT detail FROM audit_failures WHERE action = $1', ['operator.sign-in-failed']),
    )
    expect(details).toEqual([{ detail: '{"address":"203.0.113.9"}' }])
    await tries('ada')
    const [last] = await desk.gateway.database.read(({ run }) =>
      run<{ detail: string }>('SELECT detail FROM audit_failures WHERE action = $1', [
        'operator.sign-in-failed',
      ]),
    )
    expect(JSON.parse(last?.detail ?? '')).toEqual({ address: '203.0.113.9', name: 'ada' })
  })
})

describe.each(['an SQLite file', 'PostgreSQL'] as const)('a desk that others reach, on %s', (engine) => {
  /** The desk on which ada took a generator was of this machine alone. */
  async function openToOthers() {
    const { url, remove } = await makePlace(engine)
    onTestFinished(remove)
    const before = await openDesk(url, {}, {}, () => {})
    const ada = await before.operator('ada')
    await before.close()
    const settings = { host: '0.0.0.0', port: 0, anyPort: true, url: undefined }
    return { desk: await openDesk(url, { desk: settings }), ada }
  }

  it('takes a passkey or a recovery code, and no code of a generator', async () => {
    const { desk, ada } = await openToOthers()
    const refused = await signIn(desk, { name: 'ada', code: desk.codeNow(ada.secret, 1) })
    expect([refused.status, refused.text.includes('Other machines reach this desk')]).toEqual([401, true])
    const { status, person } = await signIn(desk, { name: 'ada', code: ada.recoveryCodes[0] ?? '' })
    expect(status).toBe(200)

    await desk.pass(11 * MINUTE)
    const isAdd = (action: string) => action.endsWith('/operators/add')
    const asked = await person.submit(
      await person.visit(`${desk.deskUrl}/operators`),
      { name: 'bob', role: 'act' },
      isAdd,
    )
    const text = asked.text.replace(/<form[^>]*data-passkey.*?<\/form>/s, '')
    const show = (code: string) => person.submit({ ...asked, text }, { code }, isAdd)
    expect((await show(desk.codeNow(ada.secret))).status).toBe(401)
    expect((await show(ada.recoveryCodes[1] ?? '')).text).toContain('The link for <bdi>bob</bdi>')
  })

  it('registers passkeys, and no generator', async () => {
    const { desk } = await openToOthers()
    const person = createPerson()
    const page = await enter(person, await desk.invite('bob'))
    expect(page.text).not.toContain('code generator')
    const [form] = formsOf(page)
    const headers = { origin: new URL(desk.deskUrl).origin }
    const post = (path: string, values: Record<string, string>) =>
      person.send(desk.deskUrl + path, {
        method: 'POST',
        headers,
        body: new URLSearchParams({ ...form?.hidden, ...values }),
      })
    const made = await post('/register/code', { secret: otherSecret, code: desk.codeNow(otherSecret) })
    expect(made.status).toBe(422)
    const options = (await (await post('/passkey/register', {})).json()) as { challenge: string }
    const passkey = createAuthenticator().create(options, siteOf(desk.deskUrl, 'Wigwag desk'))
    expect((await post('/register/passkey', { passkey })).status).toBe(200)
  })
})

describe('a generator’s code does', () => {
  const desk = { port: 8081, anyPort: false, url: undefined }
  it.each([
    ['http://localhost:8081', '127.0.0.1', true],
    ['http://127.0.0.1:8081', '127.0.0.1', true],
    ['https://desk.example.com', '127.0.0.1', false],
    ['http://localhost:8081', '0.0.0.0', false],
    // Browsers offer no passkeys at numbers.
    ['https://192.0.2.7', '192.0.2.7', true],
  ])('at %s, listening on %s: %s', (address, host, does) => {
    const site = deskSite({ config: { desk: { ...desk, host } }, url: () => address })
    expect(site.takesGenerators).toBe(does)
  })
})
