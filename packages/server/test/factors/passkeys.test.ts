import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { epochMs } from '../../src/kernel/ids.ts'
import { addPasskey, type Owner, Passkeys, siteOf } from '../../src/sign-in/factors/index.ts'
import type { Database } from '../../src/store/database.ts'
import { migrate } from '../../src/store/schema/migrate.ts'
import { createMovedClock, type MovedClock } from '../../src/testing/clock.ts'
import { ENGINES } from '../support/bench.ts'
import { makePlace, open } from '../support/engine.ts'
import { type Authenticator, createAuthenticator, type Lies } from './authenticator.ts'

const SITE = siteOf('https://sms.example', 'Wigwag')
const ADA: Owner = { kind: 'person', id: 'ada' }
const BEN: Owner = { kind: 'person', id: 'ben' }
const OPERATOR: Owner = { kind: 'operator', id: 'ada' }
const ANYBODY: Owner = { kind: 'person', id: '' }
const SIGN_IN = { purpose: 'sign-in', owner: ANYBODY } as const
const PROVE = { purpose: 'prove', owner: ADA } as const
const FIVE_MINUTES = 5 * 60_000

const LIES: [string, Lies][] = [
  ['a challenge that nobody made', { challenge: 'bm9ib2R5J3M' }],
  ['another origin', { origin: 'https://sms.example.evil.example' }],
  ['the origin without its s', { origin: 'http://sms.example' }],
  ['another site', { rpId: 'evil.example' }],
  ['another type', { type: 'payment.get' }],
  ['a frame of another site', { crossOrigin: true }],
  ['nobody present', { flags: 4 }],
  ['nobody verified', { flags: 1 }],
]

describe.each(ENGINES)('passkeys on %s', (engine) => {
  let database: Database
  let clock: MovedClock
  let passkeys: Passkeys
  let device: Authenticator
  beforeEach(async () => {
    const place = await makePlace(engine)
    database = open(place.url)
    await migrate(database)
    onTestFinished(async () => {
      await database.close()
      await place.remove()
    })
    clock = createMovedClock(epochMs(1_800_000_000_000))
    passkeys = new Passkeys({ database, clock })
    device = createAuthenticator()
  })

  async function register(owner: Owner, one: Authenticator): Promise<void> {
    const made = await passkeys.created(owner, one.create(await creation(owner), SITE), SITE)
    if (!made) throw new Error('the passkey was not taken')
    await database.write((tx) => addPasskey(tx, owner, made, clock.now()))
  }
  const creation = (owner: Owner) => passkeys.creation(owner, 'ada@acme.example', SITE)
  const pass = (ms: number) => clock.moveTo(epochMs(clock.now() + ms))

  describe('that are made', () => {
    it('are taken once', async () => {
      const answer = device.create(await creation(ADA), SITE)
      const taken = await Promise.all([1, 2, 3].map(() => passkeys.created(ADA, answer, SITE)))
      expect(taken.filter((one) => one?.id === device.id)).toHaveLength(1)
      expect(taken.filter((one) => one === undefined)).toHaveLength(2)
    })

    it.each(LIES)('are refused with %s, and the answer is not taken when it is mended', async (_, lies) => {
      const options = await creation(ADA)
      expect(await passkeys.created(ADA, device.create(options, SITE, lies), SITE)).toBeUndefined()
      const again = await passkeys.created(ADA, device.create(options, SITE), SITE)
      expect(again === undefined).toBe(lies.challenge === undefined)
    })

    it('are refused for another person, for an operator, and with the challenge of a sign-in', async () => {
      const options = await creation(ADA)
      const answer = device.create(options, SITE)
      expect(await passkeys.created(BEN, answer, SITE)).toBeUndefined()
      expect(await passkeys.created(OPERATOR, answer, SITE)).toBeUndefined()
      const other = device.create(await passkeys.request(PROVE, SITE), SITE)
      expect(await passkeys.created(ADA, other, SITE)).toBeUndefined()
      expect(await passkeys.created(ADA, answer, SITE)).toMatchObject({ id: device.id })
    })

    it('are refused after five minutes', async () => {
      const [first, second] = [await creation(ADA), await creation(ADA)]
      pass(FIVE_MINUTES - 1)
      expect(await passkeys.created(ADA, device.create(first, SITE), SITE)).toBeDefined()
      pass(1)
      expect(await passkeys.created(ADA, device.create(second, SITE), SITE)).toBeUndefined()
    })

    it.each(['', 'null', '[]', '{}', '{"response":{}}', '{"response":{"clientDataJSON":"e30"}}', '{'])(
      'are refused when the answer is %j',
      async (answer) => {
        expect(await passkeys.created(ADA, answer, SITE)).toBeUndefined()
        expect(await passkeys.signed(SIGN_IN, answer, SITE)).toBeUndefined()
      },
    )
  })

  describe('that sign', () => {
    beforeEach(() => register(ADA, device))

    it('say whose they are, once', async () => {
      const answer = device.get(await passkeys.request(SIGN_IN, SITE), SITE)
      const said = await Promise.all([1, 2, 3].map(() => passkeys.signed(SIGN_IN, answer, SITE)))
      expect(said.filter((one) => one !== undefined)).toEqual([ADA])
      expect(await passkeys.signed(SIGN_IN, answer, SITE)).toBeUndefined()
    })

    it.each<[string, Lies]>([
      ...LIES,
      ['a signature of something else', { forged: true }],
      ['a counter that stands still', { counter: 7 }],
      ['a counter that goes back', { counter: 6 }],
    ])('are refused with %s, and the answer is not taken when it is mended', async (_, lies) => {
      const first = device.get(await passkeys.request(SIGN_IN, SITE), SITE, { counter: 7 })
      expect(await passkeys.signed(SIGN_IN, first, SITE)).toEqual(ADA)
      const options = await passkeys.request(SIGN_IN, SITE)
      const lie = device.get(options, SITE, { counter: 8, ...lies })
      expect(await passkeys.signed(SIGN_IN, lie, SITE)).toBeUndefined()
      const mended = device.get(options, SITE, { counter: 9 })
      expect(await passkeys.signed(SIGN_IN, mended, SITE)).toEqual(
        lies.challenge === undefined ? undefined : ADA,
      )
    })

    it('are refused after five minutes', async () => {
      const [first, second] = [await passkeys.request(SIGN_IN, SITE), await passkeys.request(SIGN_IN, SITE)]
      pass(FIVE_MINUTES - 1)
      expect(await passkeys.signed(SIGN_IN, device.get(first, SITE), SITE)).toEqual(ADA)
      pass(1)
      expect(await passkeys.signed(SIGN_IN, device.get(second, SITE), SITE)).toBeUndefined()
    })

    it('are refused for a challenge of another purpose, of another person and of operators', async () => {
      const proof = device.get(await passkeys.request(PROVE, SITE), SITE)
      expect(await passkeys.signed(SIGN_IN, proof, SITE)).toBeUndefined()
      const bens = { purpose: 'prove', owner: BEN } as const
      expect(await passkeys.signed(bens, proof, SITE)).toBeUndefined()
      expect(await passkeys.signed(PROVE, proof, SITE)).toEqual(ADA)
      const operators = { purpose: 'sign-in', owner: { kind: 'operator', id: '' } } as const
      const desk = device.get(await passkeys.request(operators, SITE), SITE)
      expect(await passkeys.signed(SIGN_IN, desk, SITE)).toBeUndefined()
      expect(await passkeys.signed(operators, desk, SITE)).toBeUndefined()
    })

    it('are refused in the place of another person', async () => {
      const other = createAuthenticator()
      await register(BEN, other)
      const answer = other.get(await passkeys.request(PROVE, SITE), SITE)
      expect(await passkeys.signed(PROVE, answer, SITE)).toBeUndefined()
      const named = other.get(await passkeys.request(PROVE, SITE), SITE, { id: device.id })
      expect(await passkeys.signed(PROVE, named, SITE)).toBeUndefined()
    })

    it('are refused when nobody has them', async () => {
      const unknown = createAuthenticator()
      const answer = unknown.get(await passkeys.request(SIGN_IN, SITE), SITE)
      expect(await passkeys.signed(SIGN_IN, answer, SITE)).toBeUndefined()
    })
  })
})
