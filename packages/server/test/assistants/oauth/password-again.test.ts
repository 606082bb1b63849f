import { micros } from '@wigwag/contract'
import { expect, it } from 'vitest'
import { type EpochMs, epochMs } from '../../../src/kernel/ids.ts'
import { systemClock } from '../../../src/kernel/process/clock.ts'
import { asOwner, connect } from '../../support/assistants.ts'
import { formsOf, type Page, type Person } from './person.ts'
import {
  consent,
  DENYING,
  livingConnections,
  openWorld,
  READING,
  type Resident,
  SENDING,
  type World,
} from './world.ts'

const MINUTE = 60_000
const ASKED = 'Is it you?'
const WRONG = 'not the one'
const LIMITS = { daily_spend: '2.5', daily_messages: '7', recipients: '23324*', unasked: 'refuse' }
const isConsent = (action: string) => action.includes('/oauth/interaction/')
const isProof = (action: string) => action.includes('/prove')

/** A gateway whose time can be moved, with a person who signed in eleven minutes ago. */
async function open(minutes = 11) {
  let later = 0
  const clock = { ...systemClock, now: (): EpochMs => epochMs(systemClock.now() + later) }
  const world = await openWorld({ clock })
  const ama = await world.resident()
  const assistant = await world.assistant()
  const wait = (ms: number) => {
    later += ms
  }
  wait(minutes * MINUTE)
  const ask = () => ama.person.visit(assistant.authorizeUrl())
  return { ...world, world, ama, assistant, wait, ask }
}

/** How many sign-ins of a person failed. */
async function failures({ gateway }: World, { email }: Resident): Promise<number> {
  const [row] = await gateway.database.read(({ run }) =>
    run<{ failed: number }>(
      `SELECT CAST(coalesce(sum(failures), 0) AS BIGINT) AS failed FROM audit_failures
       WHERE action = 'portal.sign-in-failed' AND account_id = (SELECT id FROM accounts WHERE email = $1)`,
      [email],
    ),
  )
  return row?.failed ?? 0
}

/** A copy of the cookie that was there before opens nothing; the person goes on with another. */
async function isRenewed(
  { gateway: { portal } }: World,
  { person }: Resident,
  before: string | undefined,
): Promise<void> {
  expect(await portal.who(before)).toBeUndefined()
  expect(await portal.who(person.cookies.get('wigwag_portal'))).toMatchObject({ justProven: true })
}

it('asks for the password before it allows sending, ten minutes after the sign-in', async () => {
  const { world, ama, assistant, ask } = await open(10)
  const asked = await ama.person.submit(await ask(), SENDING, isConsent)
  expect([asked.status, asked.left, asked.text.includes(ASKED)]).toEqual([200, undefined, true])
  const again = await ama.person.submit(asked, {}, isProof)
  expect([again.status, again.text.includes(ASKED)]).toEqual([200, true])
  expect(await livingConnections(world, ama)).toBe(0)
  const before = ama.person.cookies.get('wigwag_portal')
  const done = await ama.person.submit(again, { password: ama.password }, isProof)
  await isRenewed(world, ama, before)
  const left = new URL(done.left ?? '')
  const { body } = await assistant.trade(left.searchParams.get('code') ?? '')
  expect(body.scope).toBe('sms:read sms:send')
  expect(await livingConnections(world, ama)).toBe(1)
})

it('does not ask within ten minutes, neither of the sign-in nor of the last time', async () => {
  const { ama, assistant, ask, wait } = await open(9.9)
  expect((await consent(ama, assistant, SENDING)).has('code')).toBe(true)
  wait(MINUTE)
  const asked = await ama.person.submit(await ask(), SENDING, isConsent)
  expect((await ama.person.submit(asked, { password: ama.password }, isProof)).left).toContain('code=')
  wait(9 * MINUTE)
  expect((await consent(ama, assistant, SENDING)).has('code')).toBe(true)
})

it('asks also when the form was shown before the ten minutes were over', async () => {
  const { world, ama, ask, wait } = await open(9)
  const page = await ask()
  wait(2 * MINUTE)
  const asked = await ama.person.submit(page, SENDING, isConsent)
  expect(asked.text).toContain(ASKED)
  expect(await livingConnections(world, ama)).toBe(0)
})

it('does not ask to let an assistant only read, nor to deny', async () => {
  const { world, ama, assistant } = await open()
  expect((await consent(ama, assistant, DENYING)).get('error')).toBe('access_denied')
  expect((await consent(ama, assistant, READING)).has('code')).toBe(true)
  expect(await failures(world, ama)).toBe(0)
})

it('carries along what was typed, past a wrong password that it forgets', async () => {
  const { ama, gateway, ask } = await open()
  const typed = {
    ...SENDING,
    daily_spend: '3.25',
    daily_messages: '11',
    recipients: '23324*',
    unasked: 'refuse',
  }
  const asked = await ama.person.submit(await ask(), typed, isConsent)
  const again = await ama.person.submit(asked, { password: WRONG }, isProof)
  expect([again.status, again.text.includes('That did not fit.'), again.text.includes(WRONG)]).toEqual([
    401,
    true,
    false,
  ])
  await ama.person.submit(again, { password: ama.password }, isProof)
  const [{ limits } = {}] = await gateway.connections.list(ama.accountId)
  expect(limits).toEqual({
    dailySpend: micros(3_250_000),
    dailyMessages: 11,
    recipients: ['23324*'],
    unasked: 'refuse',
  })
})

it('counts a wrong password as a failed sign-in, and locks after ten', async () => {
  const { world, ama, ask } = await open()
  let page: Page = await ama.person.submit(await ask(), SENDING, isConsent)
  for (let count = 0; count < 10; count++) {
    page = await ama.person.submit(page, { password: WRONG }, isProof)
    expect(page.status).toBe(401)
  }
  expect(await failures(world, ama)).toBe(10)
  const locked = await ama.person.submit(page, { password: ama.password }, isProof)
  expect(locked.status).toBe(429)
  expect(Number(locked.headers.get('retry-after'))).toBeGreaterThan(60)
  expect(await livingConnections(world, ama)).toBe(0)
  const { kind } = await world.gateway.portal.signIn({
    email: ama.email,
    password: ama.password,
    address: '192.0.2.1',
  })
  expect(kind).toBe('locked')
})

it('asks nothing while a limit makes no sense', async () => {
  const { world, ama, ask } = await open()
  const wrong = await ama.person.submit(await ask(), { ...SENDING, daily_spend: 'a lot' }, isConsent)
  expect([wrong.status, wrong.text.includes(ASKED)]).toEqual([422, false])
  expect(await failures(world, ama)).toBe(0)
})

it('lets nobody go on who has a form of somebody else and no session', async () => {
  const { world, ama, ask } = await open()
  const asked = await ama.person.submit(await ask(), SENDING, isConsent)
  ama.person.cookies.delete('wigwag_portal')
  const turned = await ama.person.submit(asked, { password: ama.password }, isProof)
  expect(new URL(turned.url).pathname).toBe('/sign-in')
  expect(await livingConnections(world, ama)).toBe(0)
})

/** Sends the form in which limits of a connection are changed. */
async function change(person: Person, page: Page, fields: Record<string, string>): Promise<Page> {
  return person.submit(page, fields, (action) => action.endsWith('/limits'))
}

it('asks before it changes the limits of a connection, and carries along what was typed', async () => {
  const { world, ama, gateway, url } = await open()
  await connect(gateway, ama.accountId)
  const limits = async () => (await gateway.connections.list(ama.accountId))[0]?.limits
  const before = await limits()
  const asked = await change(ama.person, await ama.person.visit(`${url}/connections`), LIMITS)
  expect([asked.status, asked.text.includes(ASKED)]).toEqual([401, true])
  const wrong = await change(ama.person, asked, { password: WRONG })
  expect([wrong.status, wrong.text.includes('That did not fit.')]).toEqual([401, true])
  expect(await failures(world, ama)).toBe(1)
  expect(await limits()).toEqual(before)

  const cookie = ama.person.cookies.get('wigwag_portal')
  const done = await change(ama.person, wrong, { password: ama.password })
  await isRenewed(world, ama, cookie)
  expect(done.text).toContain('The new limits are in force.')
  expect(await limits()).toEqual({
    dailySpend: micros(2_500_000),
    dailyMessages: 7,
    recipients: ['23324*'],
    unasked: 'refuse',
  })
  expect((await change(ama.person, done, LIMITS)).status).toBe(200)
})

it('says so when the connection ended while the password was typed', async () => {
  const { ama, gateway, url } = await open()
  const { id } = await connect(gateway, ama.accountId)
  const asked = await change(ama.person, await ama.person.visit(`${url}/connections`), LIMITS)
  await gateway.connections.revoke(asOwner(ama.accountId), id)
  expect((await change(ama.person, asked, { password: ama.password })).status).toBe(404)
  expect((await ama.person.visit(`${url}/connections`)).text).toContain(ama.email)
})

it('ends a connection without the password', async () => {
  const { ama, gateway, url } = await open()
  await connect(gateway, ama.accountId)
  const page = await ama.person.visit(`${url}/connections`)
  expect(formsOf(page).some(({ action }) => action.endsWith('/revoke'))).toBe(true)
  const done = await ama.person.submit(page, {}, (action) => action.endsWith('/revoke'))
  expect(done.url).toContain('done=revoked')
})
