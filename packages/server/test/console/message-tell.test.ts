import { micros } from '@wigwag/contract'
import { describe, expect, it } from 'vitest'
import { sampleRates } from '../../src/kernel/money/rates.ts'
import { replaceRates } from '../../src/money/rates.ts'
import { cheapHash } from '../assistants/oauth/cheap-hash.ts'
import { createPerson, formsOf } from '../assistants/oauth/person.ts'
import { openWorld, type Resident, shareWorld } from '../assistants/oauth/world.ts'
import { comparable, stepsOf, textOf } from './reading.ts'
import {
  callbackOf,
  messageOf,
  openReceivers,
  RECEIVER,
  type ReceiversWorld,
  SILENT,
  sendOne,
  sendToItsEnd,
} from './receivers.ts'

const NONE = '01a1f89c-3b65-7c3a-9f0e-2b6d5a1c8e4f'
const world = await openReceivers({}, shareWorld)

async function open() {
  world.react({ status: 200, text: 'ok' })
  const ama = await world.resident()
  const show = (ticket: string, query = '') => ama.person.visit(`${world.url}/messages/${ticket}${query}`)
  return { ama, show }
}

describe('telling a message its end', () => {
  const tells = (to: string) => to.endsWith('/tell')

  it.each([
    [{ verdict: 'success', how: 'failed' }, 'success'],
    [{ verdict: 'failure', how: 'undelivered' }, 'undelivered'],
    [{ verdict: 'failure', how: 'expired' }, 'expired'],
    [{ verdict: 'failure', how: 'rejected' }, 'rejected'],
    [{ verdict: 'failure', how: 'failed' }, 'failed'],
    [{ verdict: 'failure', how: 'cancelled' }, 'pending'],
  ])('%o makes it %s', async (values, status) => {
    const { ama, show } = await open()
    const ticket = await sendOne(world, ama, { To: SILENT })
    const page = await show(ticket, '?q=since:2d')
    expect(textOf(page.text)).toContain('It waits to be told. Numbers that end in 00005 do.')
    const back = await ama.person.submit(page, values, tells)
    expect(back.url).toBe(`${world.url}/messages/${ticket}?q=since%3A2d`)
    expect((await messageOf(world, ama, ticket)).Status).toBe(status)
  })

  it('counts once when it is told twice', async () => {
    const { ama, show } = await open()
    const ticket = await sendOne(world, ama, { To: SILENT })
    const page = await show(ticket)
    await ama.person.submit(page, { verdict: 'success' }, tells)
    const again = await ama.person.submit(page, { verdict: 'failure', how: 'failed' }, tells)
    expect(stepsOf(again).slice(-1)).toEqual(['Delivered'])
    expect(formsOf(again).some(({ action }) => tells(action))).toBe(false)
  })

  it('is not there in production', async () => {
    const config = {
      environment: 'production',
      secret: 'of tests',
      publicUrl: 'http://sms.example.com',
    } as const
    const world = await openReceivers(config, openWorld)
    const ama = await signedInBehindProxy(world)
    const ticket = await sendOne(world, ama, { To: SILENT })
    const page = await ama.person.visit(`${world.url}/messages/${ticket}`)
    expect(stepsOf(page)[0]).toBe('Accepted')
    expect(page.text).not.toContain('Deliver now')
    const [signOut] = formsOf(page)
    const body = new URLSearchParams({ ...signOut?.hidden, verdict: 'success' })
    const told = await ama.person.send(`${world.url}/messages/${ticket}/tell`, { method: 'POST', body })
    expect(told.status).toBe(404)
    expect((await messageOf(world, ama, ticket)).Status).toBe('pending')
  })
})

/** A person at a gateway whose public address is another than the one it listens on. */
async function signedInBehindProxy({ url, gateway }: ReceiversWorld): Promise<Resident> {
  const [email, password] = ['ama@example.com', 'a long enough password']
  const rates = { sample: false, version: '1' }
  await gateway.database.write((tx) => replaceRates(tx, sampleRates('GHS'), rates))
  const secrets = await gateway.operator.createAccount({
    name: 'Ama',
    email,
    passwordHash: cheapHash(password),
    currency: 'GHS',
    balance: micros(100_000_000),
    senders: ['WIGWAG'],
  })
  const person = createPerson()
  const [form] = formsOf(await person.visit(`${url}/sign-in`))
  const body = new URLSearchParams({ ...form?.hidden, email, password })
  await person.send(`${url}/sign-in`, { method: 'POST', body })
  return { ...secrets, email, password, person }
}

describe('a message of another account', () => {
  it('is answered like one that never was, byte by byte', async () => {
    const { show } = await open()
    const kofi = await world.resident()
    const ticket = await sendToItsEnd(world, kofi, { CallbackUrl: RECEIVER, To: '233241200001' })
    const [foreign, unknown, odd] = [await show(ticket), await show(NONE), await show('%3Cb%3E')]
    expect([foreign.status, unknown.status, odd.status]).toEqual([404, 404, 404])
    expect(foreign.text).toContain('There is no such message')
    expect(comparable(foreign.text, ticket)).toBe(comparable(unknown.text, NONE))
    expect(odd.text).toContain('There is no such message')
  })

  it('can be neither told its end nor posted again', async () => {
    const { ama, show } = await open()
    const kofi = await world.resident()
    const pending = await sendOne(world, kofi, { To: SILENT })
    const done = await sendToItsEnd(world, kofi, { CallbackUrl: RECEIVER })
    const callback = await callbackOf(world, kofi, done)
    const own = await show(await sendToItsEnd(world, ama, { CallbackUrl: RECEIVER }))
    const ticketField = formsOf(own)[0]?.hidden
    const post = async (path: string) => {
      const body = new URLSearchParams({ ...ticketField, verdict: 'success' })
      const answer = await ama.person.send(`${world.url}${path}`, { method: 'POST', body })
      return [answer.status, comparable(await answer.text(), path.split('/')[2] ?? '')]
    }
    const told = await post(`/messages/${pending}/tell`)
    expect(told[0]).toBe(404)
    expect(told).toEqual(await post(`/messages/${NONE}/tell`))
    const again = await post(`/callbacks/${callback?.Id}/replay`)
    expect(again[0]).toBe(404)
    expect(again).toEqual(await post(`/callbacks/${NONE}/replay`))
    expect((await messageOf(world, kofi, pending)).Status).toBe('pending')
    expect(await callbackOf(world, kofi, done)).toEqual(callback)
  })
})
