import { micros } from '@wigwag/contract'
import { expect, it } from 'vitest'
import { type EpochMs, epochMs } from '../../../src/domain/ids.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { connect } from '../../support/assistants.ts'
import { formsOf, type Page, type Person } from './person.ts'
import {
  consent,
  DENYING,
  decide,
  livingConnections,
  openWorld,
  READING,
  type Resident,
  SENDING,
  type World,
} from './world.ts'

const MINUTE = 60_000
const ASKED = 'id="limit-password"'
const WRONG = 'not the one'
const LIMITS = { daily_spend: '2.5', daily_messages: '7', recipients: '23324*', unasked: 'refuse' }
const isConsent = (action: string) => action.includes('/oauth/interaction/')

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

const sessionOf = ({ person }: Resident) => person.cookies.get('wigwag_portal')

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

it('asks for the password before it allows sending, ten minutes after the sign-in', async () => {
  const { world, ama, assistant, ask } = await open(10)
  const page = await ask()
  expect(page.text).toContain(ASKED)
  const again = await ama.person.submit(page, SENDING, isConsent)
  expect([again.status, again.left]).toEqual([422, undefined])
  expect(again.text).toContain('Expected your password')
  expect(await livingConnections(world, ama)).toBe(0)
  const before = sessionOf(ama)
  const left = new URL(await decide(ama.person, again, { ...SENDING, password: ama.password }))
  const { body } = await assistant.trade(left.searchParams.get('code') ?? '')
  expect(body.scope).toBe('sms:read sms:send')
  expect(await livingConnections(world, ama)).toBe(1)
  expect(sessionOf(ama)).not.toBe(before)
  expect(await world.gateway.portal.who(before)).toBeUndefined()
})

it('does not ask within ten minutes, neither of the sign-in nor of the last time', async () => {
  const { ama, assistant, ask, wait } = await open(9.9)
  expect((await ask()).text).not.toContain(ASKED)
  expect((await consent(ama, assistant, SENDING)).has('code')).toBe(true)
  wait(MINUTE)
  await decide(ama.person, await ask(), { ...SENDING, password: ama.password })
  wait(9 * MINUTE)
  expect((await ask()).text).not.toContain(ASKED)
  expect((await consent(ama, assistant, SENDING)).has('code')).toBe(true)
})

it('asks also when the form was shown before the ten minutes were over', async () => {
  const { world, ama, ask, wait } = await open(9)
  const page = await ask()
  wait(2 * MINUTE)
  const again = await ama.person.submit(page, SENDING, isConsent)
  expect([again.status, again.text.includes(ASKED)]).toEqual([422, true])
  expect(await livingConnections(world, ama)).toBe(0)
})

it('does not ask to let an assistant only read, nor to deny', async () => {
  const { world, ama, assistant } = await open()
  expect((await consent(ama, assistant, DENYING)).get('error')).toBe('access_denied')
  expect((await consent(ama, assistant, READING)).has('code')).toBe(true)
  expect(await failures(world, ama)).toBe(0)
  const reads = await ama.person.visit(assistant.authorizeUrl({ scope: 'sms:read' }))
  expect(reads.text).not.toContain(ASKED)
})

it('keeps what was typed, but for the password', async () => {
  const { ama, ask } = await open()
  const typed = {
    ...SENDING,
    daily_spend: '3.25',
    daily_messages: '11',
    recipients: '23324*',
    unasked: 'refuse',
  }
  const again = await ama.person.submit(await ask(), { ...typed, password: WRONG }, isConsent)
  expect(again.status).toBe(401)
  expect(again.text).toContain('The password is not right.')
  for (const kept of [
    'value="3.25"',
    'value="11"',
    '23324*</textarea>',
    'value="send" checked',
    'value="refuse" checked',
  ])
    expect(again.text).toContain(kept)
  expect(again.text).not.toContain(WRONG)
})

it('counts a wrong password as a failed sign-in, and locks after ten', async () => {
  const { world, ama, ask } = await open()
  let page: Page = await ask()
  for (let count = 0; count < 10; count++) {
    page = await ama.person.submit(page, { ...SENDING, password: WRONG }, isConsent)
    expect(page.status).toBe(401)
  }
  expect(await failures(world, ama)).toBe(10)
  const locked = await ama.person.submit(page, { ...SENDING, password: ama.password }, isConsent)
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

it('tries no password while a limit makes no sense', async () => {
  const { world, ama, ask } = await open()
  const wrong = { ...SENDING, daily_spend: 'a lot', password: WRONG }
  expect((await ama.person.submit(await ask(), wrong, isConsent)).status).toBe(422)
  expect(await failures(world, ama)).toBe(0)
})

/** Sends the form in which limits of a connection are changed. */
async function change(person: Person, page: Page, fields: Record<string, string>): Promise<Page> {
  return person.submit(page, fields, (action) => action.endsWith('/limits'))
}

it('asks before it changes the limits of a connection, and keeps what was typed', async () => {
  const { world, ama, gateway, url } = await open()
  const { id } = await connect(gateway, ama.accountId)
  const limits = async () => (await gateway.grants.list(ama.accountId))[0]?.limits
  const before = await limits()
  const page = await ama.person.visit(`${url}/connections`)
  expect(page.text).toContain(`id="${id}-password"`)

  const missing = await change(ama.person, page, LIMITS)
  expect([missing.status, missing.text.includes('Expected your password')]).toEqual([422, true])
  const wrong = await change(ama.person, missing, { ...LIMITS, password: WRONG })
  expect([wrong.status, wrong.text.includes('The password is not right.')]).toEqual([401, true])
  for (const kept of ['value="2.5"', 'value="7"', '23324*</textarea>']) expect(wrong.text).toContain(kept)
  expect(await failures(world, ama)).toBe(1)
  expect(await limits()).toEqual(before)

  const done = await change(ama.person, wrong, { ...LIMITS, password: ama.password })
  expect(done.text).toContain('The new limits are in force.')
  expect(await limits()).toEqual({
    dailySpend: micros(2_500_000),
    dailyMessages: 7,
    recipients: ['23324*'],
    unasked: 'refuse',
  })
  expect(done.text).not.toContain(`id="${id}-password"`)
  expect((await change(ama.person, done, LIMITS)).status).toBe(200)
})

it('stays signed in when the connection ended while the password was typed', async () => {
  const { ama, gateway, url } = await open()
  const { id } = await connect(gateway, ama.accountId)
  const page = await ama.person.visit(`${url}/connections`)
  await gateway.grants.revoke(ama.accountId, id)
  expect((await change(ama.person, page, { ...LIMITS, password: ama.password })).status).toBe(404)
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
