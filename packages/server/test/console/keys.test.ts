import { describe, expect, it } from 'vitest'
import { epochMs } from '../../src/kernel/ids.ts'
import { systemClock } from '../../src/kernel/process/clock.ts'
import { formsOf, type Page } from '../assistants/oauth/person.ts'
import { openWorld, type Resident, type World } from '../assistants/oauth/world.ts'
import { eventually } from '../support/eventually.ts'
import { BALANCE, call } from '../support/front.ts'

const ROTATE = /\/keys\/[\w-]+\/rotate$/
const SECRET = /<pre tabindex="0" id="secret">([^<]+)<\/pre>/

async function open(options: Parameters<typeof openWorld>[0] = {}) {
  const world = await openWorld(options)
  const ama = await world.resident('ama')
  return { ...world, ama, page: `${world.url}/keys` }
}

/** A world in which more than ten minutes have passed since the sign-in. */
async function openLater() {
  let later = 0
  const clock = { ...systemClock, now: () => epochMs(systemClock.now() + later) }
  const opened = await open({ clock })
  later = 11 * 60_000
  return opened
}

/** The form that replaces a kind of key: they are in the order of the page. */
function rotateForm(page: Page, kind: 'client' | 'wallet' | 'callback') {
  const forms = formsOf(page).filter(({ action }) => ROTATE.test(action))
  const action = forms[['client', 'wallet', 'callback'].indexOf(kind)]?.action
  return (to: string) => to === action
}

async function rotate(
  { ama, page }: { ama: Resident; page: string },
  kind: 'client' | 'wallet' | 'callback',
  values = {},
) {
  const shown = await ama.person.visit(page)
  return ama.person.submit(shown, { keep: 'PT1H', ...values }, rotateForm(shown, kind))
}

const status = async ({ url }: Pick<World, 'url'>, as: Resident) =>
  (await call(url, as, { path: BALANCE })).status
const secretOn = ({ text }: Page) => SECRET.exec(text)?.[1] ?? ''

describe('the page of keys', () => {
  it('shows of each when it was made and used, and how it ends, but no secret', async () => {
    const { url, ama, page } = await open()
    await call(url, ama, { path: BALANCE })
    const { text, headers } = await ama.person.visit(page)
    expect(text).toContain(`<dd class="mono">${ama.clientId}</dd>`)
    for (const secret of [ama.clientSecret, ama.walletToken, ama.callbackSecret]) {
      expect(text).not.toContain(secret)
      expect(text).toContain(`ends in <code>${secret.slice(-4)}</code>`)
    }
    expect(text.match(/made <time/g)).toHaveLength(3)
    expect(text).toContain('never used')
    expect(headers.get('cache-control')).toBe('no-store')
  })
})

describe('a new secret', () => {
  it('is shown once, in the answer to the form, and works at once beside the old one', async () => {
    const opened = await open()
    const { ama, page, url } = opened
    const made = await rotate(opened, 'client')
    const clientSecret = secretOn(made)
    expect([made.status, made.headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(clientSecret).toMatch(/^ws_[\w-]{43}$/)
    expect(made.url).not.toContain(clientSecret)
    expect(await status(opened, ama)).toBe(200)
    expect(await status(opened, { ...ama, clientSecret })).toBe(200)
    for (const path of ['/keys', '/developers', '/developers/wigwag.postman_collection.json', '/messages'])
      expect((await ama.person.visit(url + path)).text).not.toContain(clientSecret)
    const { text } = await ama.person.visit(page)
    expect(text).toMatch(/<dt>New secret<\/dt>.*<dt>Old secret<\/dt>/s)
  })

  it.each(['wallet', 'callback'] as const)('replaces a %s key in the same way', async (kind) => {
    const opened = await open()
    const made = await rotate(opened, kind)
    const walletToken = secretOn(made)
    expect(walletToken).toMatch(kind === 'wallet' ? /^wt_/ : /^whsec_/)
    if (kind === 'wallet') expect(await status(opened, { ...opened.ama, walletToken })).toBe(200)
    expect(await status(opened, opened.ama)).toBe(200)
  })

  it('is not made a second time when the answer is loaded again', async () => {
    const opened = await open()
    const { ama, page } = opened
    const form = await ama.person.visit(page)
    const send = () => ama.person.submit(form, { keep: 'PT1H' }, rotateForm(form, 'client'))
    const first = await send()
    const second = await send()
    expect([second.status, secretOn(second)]).toEqual([409, ''])
    expect(second.text).toContain('A new secret was made already, and is not shown again.')
    expect(await status(opened, { ...ama, clientSecret: secretOn(first) })).toBe(200)
  })

  it('asks for the password of a person who did not just sign in', async () => {
    const opened = await openLater()
    const { ama } = opened
    const none = await rotate(opened, 'wallet')
    expect([none.status, secretOn(none)]).toEqual([401, ''])
    expect(none.text).toContain('Is it you?')
    expect(none.text).toContain('name="keep" value="PT1H"')
    const wrong = await rotate(opened, 'wallet', { password: 'something else' })
    expect([wrong.status, secretOn(wrong)]).toEqual([401, ''])
    expect(wrong.text).not.toContain('something else')
    const right = await rotate(opened, 'wallet', { password: ama.password })
    expect([right.status, secretOn(right)]).toEqual([200, expect.stringMatching(/^wt_/)])
  })

  it('is audited as a page’s, without the secret', async () => {
    const opened = await open()
    const made = await rotate(opened, 'client')
    const rows = await opened.gateway.database.read(({ run }) =>
      run<Record<string, string>>("SELECT * FROM audit WHERE action = 'console rotateKey'", []),
    )
    expect(rows).toMatchObject([
      { actor: expect.stringMatching(/^person:/), account_id: opened.ama.accountId },
    ])
    expect(JSON.stringify(rows)).not.toContain(secretOn(made))
  })
})

describe('an old key', () => {
  it('ends now, when the person says so', async () => {
    const opened = await open()
    const { ama, page } = opened
    const clientSecret = secretOn(await rotate(opened, 'client', { keep: 'P7D' }))
    const done = await ama.person.submit(await ama.person.visit(page), {}, (to) => to.endsWith('/end'))
    expect(done.url).toBe(`${page}?done=ended`)
    expect(done.text).not.toContain('Old secret')
    await eventually('the old secret is refused', async () => (await status(opened, ama)) === 401)
    expect(await status(opened, { ...ama, clientSecret })).toBe(200)
  })

  it.each(['rotate', 'end'])('of another account answers like one that never was: %s', async (what) => {
    const opened = await open()
    const kofi = await opened.resident('kofi')
    const theirs = { ama: kofi, page: opened.page }
    await rotate(theirs, 'client')
    const page = await kofi.person.visit(opened.page)
    const { action } = formsOf(page).find(({ action }) => action.endsWith(what)) ?? { action: '' }
    const { ama } = opened
    const own = await ama.person.visit(opened.page)
    const send = (to: string) => {
      const aimed = { ...own, text: own.text.replaceAll(/\/keys\/[\w-]+\/rotate/g, new URL(to).pathname) }
      return ama.person.submit(aimed, { keep: 'PT1H' }, (form) => form === to)
    }
    const foreign = await send(action)
    const unknown = await send(action.replace(/keys\/[\w-]+/, 'keys/01932c07-7e5d-7c3a-9f0e-2b6d5a1c8e4f'))
    expect([foreign.status, foreign.text]).toEqual([404, unknown.text])
    expect((await kofi.person.visit(opened.page)).text).toContain('<dt>Old secret</dt>')
  })

  it('cannot be the current one', async () => {
    const opened = await open()
    const { ama, page } = opened
    const own = await ama.person.visit(page)
    const [rotateTo = ''] = formsOf(own).flatMap(({ action }) => (ROTATE.test(action) ? [action] : []))
    const aimed = { ...own, text: own.text.replaceAll('/rotate"', '/end"') }
    const refused = await ama.person.submit(aimed, {}, (to) => to === rotateTo.replace('rotate', 'end'))
    expect(refused.status).toBe(404)
    expect(await status(opened, ama)).toBe(200)
  })
})
