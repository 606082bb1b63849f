import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { countedAddress } from '../../src/net/callers/client-address.ts'
import { insertAttempt } from '../../src/sign-in/portal/limits.ts'
import type { Database } from '../../src/store/database.ts'
import { ENGINES } from '../support/bench.ts'
import { type EngineName, useStore } from '../support/engine.ts'
import { kindsOf } from './guesses.ts'
import { EMAIL, MINUTE, openReception, PASSWORD, type Reception, WRONG } from './reception.ts'

/** The promises of signing in, for every engine. */
function signInSuite(engine: EngineName): void {
  describe(`signing in on ${engine}`, () => {
    const store = useStore(engine)
    let another: Database
    let at: Reception
    beforeAll(() => {
      another = store.another()
    })
    beforeEach(() => {
      at = openReception({ database: store.database, another })
    })

    /** So many attempts of others, each from an address. */
    const attempted = (count: number, addressOf: (round: number) => string) =>
      store.database.write(async (tx) => {
        for (let round = 0; round < count; round++)
          await insertAttempt(tx, {
            id: `attempt ${round} of ${at.clock.now()} at ${addressOf(round)}`,
            at: at.clock.now(),
            emailHash: `e-mail ${round}`,
            address: countedAddress(addressOf(round)),
            failed: 0,
          })
      })

    it('lets a person in by e-mail, however it is written, and password, and knows the person again', async () => {
      const accountId = await at.account(EMAIL)
      const result = await at.signIn({ email: ` ${EMAIL.toUpperCase()} ` })
      expect(result).toMatchObject({
        kind: 'in',
        state: 'in',
        accounts: 1,
        expiresAt: at.clock.now() + 12 * 60 * MINUTE,
      })
      expect(await at.portals[1].who(at.tokenOf(result))).toEqual({
        personId: expect.any(String),
        accountId,
        email: EMAIL,
        name: 'Ama',
        role: 'owner',
        country: '',
        wallet: { id: expect.any(String), currency: 'GHS' },
        justProven: true,
        proof: 'password',
      })
      expect(await at.portals[1].who('wp_of-nobody')).toBeUndefined()
      expect(await at.portals[1].who(undefined)).toBeUndefined()
    })

    it('says the same of a wrong password, of an account without one and of an e-mail nobody has', async () => {
      const accountId = await at.account(EMAIL)
      await at.account('without@acme.example', null)
      const refused = [
        { password: WRONG },
        { email: 'without@acme.example' },
        { email: 'nobody@acme.example' },
        { email: accountId },
        { email: `${'a'.repeat(250)}@acme.example` },
        { email: `${EMAIL}${' '.repeat(300)}` },
        { password: PASSWORD.padEnd(1_025, '!') },
        { password: '' },
      ]
      for (const changes of refused) expect(await at.signIn(changes)).toEqual({ kind: 'wrong' })
    })

    it('tells of a suspension only after the right password, and knows nobody of the account at once', async () => {
      await at.account(EMAIL)
      const token = at.tokenOf(await at.signIn())
      await at.operator.setStatus(EMAIL, 'suspended')
      expect(await at.portals[1].who(token)).toBeUndefined()
      expect(await at.signIn({ password: WRONG })).toEqual({ kind: 'wrong' })
      expect(await at.signIn()).toEqual({ kind: 'suspended' })
      await at.operator.setStatus(EMAIL, 'active')
      expect(await at.portals[1].who(token)).toMatchObject({ email: EMAIL })
    })

    it('signs out where it is asked to, and nowhere else', async () => {
      await at.account(EMAIL)
      const [here, there] = [at.tokenOf(await at.signIn()), at.tokenOf(await at.signIn())]
      await at.portals[0].signOut(here)
      expect(await at.portals[1].who(here)).toBeUndefined()
      expect(await at.portals[1].who(there)).toMatchObject({ email: EMAIL })
    })

    it('lasts for 12 hours', async () => {
      await at.account(EMAIL)
      const token = at.tokenOf(await at.signIn())
      at.advance(12 * 60 * MINUTE - 1)
      expect(await at.portals[0].who(token)).toMatchObject({ email: EMAIL })
      at.advance(1)
      expect(await at.portals[0].who(token)).toBeUndefined()
    })

    it('ends with a new password, and takes the old one no more', async () => {
      const accountId = await at.account(EMAIL)
      const token = at.tokenOf(await at.signIn())
      await at.failTimes(10)
      await at.setPassword(accountId, 'another horse battery')
      expect(await at.portals[1].who(token)).toBeUndefined()
      expect(await at.signIn()).toEqual({ kind: 'wrong' })
      expect(await at.signIn({ password: 'another horse battery' })).toMatchObject({ kind: 'in' })
    })

    it('lets nobody in with a password that was replaced while it was checked', async () => {
      const accountId = await at.account(EMAIL)
      const slow = openReception({
        database: store.database,
        async check() {
          await at.setPassword(accountId, 'another horse battery')
          return true
        },
      })
      expect(await slow.signIn()).toEqual({ kind: 'wrong' })
      const rows = await store.database.read(({ run }) => run('SELECT * FROM portal_sessions', []))
      expect(rows).toEqual([])
    })

    it('is locked after 10 failures, from wherever they came, until 15 minutes after the tenth', async () => {
      await at.account(EMAIL)
      for (let round = 0; round < 10; round++) {
        expect(await at.failTimes(1)).toEqual([{ kind: 'wrong' }])
        at.advance(MINUTE)
      }
      const until = at.clock.now() + 14 * MINUTE
      expect(await at.signIn()).toEqual({ kind: 'locked', until })
      // The first failures are more than 15 minutes old by then, and trying on makes it no longer.
      at.advance(14 * MINUTE - 1)
      expect(await at.portals[1].signIn({ email: EMAIL, password: PASSWORD, address: '::1' })).toEqual({
        kind: 'locked',
        until,
      })
      at.advance(1)
      expect(await at.signIn()).toMatchObject({ kind: 'in' })
    })

    it('is locked alike with an e-mail that nobody has', async () => {
      await at.account(EMAIL)
      const known = [...(await at.failTimes(10)), await at.signIn()]
      const unknown = await at.failTimes(10, 'nobody@acme.example')
      expect([...unknown, await at.signIn({ email: 'nobody@acme.example' })]).toEqual(known)
    })

    it('is not locked by failures that are further apart, nor by any before a success', async () => {
      await at.account(EMAIL)
      await at.failTimes(9)
      at.advance(15 * MINUTE)
      await at.failTimes(9)
      expect(await at.signIn()).toMatchObject({ kind: 'in' })
      expect(await at.failTimes(10)).toEqual(Array.from({ length: 10 }, () => ({ kind: 'wrong' })))
      expect(await at.signIn()).toMatchObject({ kind: 'locked' })
    })

    it('counts what is too long to be right, and an e-mail with zero characters in it as one', async () => {
      await at.account(EMAIL)
      for (let round = 0; round < 5; round++) await at.signIn({ password: 'x'.repeat(2_000) })
      for (let round = 0; round < 5; round++)
        await at.signIn({ email: EMAIL.replace('@', `${'\0'.repeat(round)}@`), password: WRONG })
      expect(await at.signIn()).toMatchObject({ kind: 'locked' })
    })

    it('has no more than 10 of 50 guesses looked at that come at once, at two portals', async () => {
      let checked = 0
      const accountId = await at.account(EMAIL)
      const watched = openReception({
        database: store.database,
        another,
        async check() {
          checked++
          return false
        },
      })
      const guesses = Array.from({ length: 50 }, (_, index) =>
        watched.portals[index % 2 === 0 ? 0 : 1].signIn({
          email: EMAIL,
          password: WRONG,
          address: `198.51.100.${index}`,
        }),
      )
      const { wrong = 0, locked = 0, busy = 0 } = kindsOf(await Promise.all(guesses))
      expect({ wrong, refused: locked + busy }).toEqual({ wrong: 10, refused: 40 })
      expect(checked).toBe(10)
      expect(await at.attempts()).toBe(10)
      const locks = (await at.failures()).filter(({ action }) => action === 'portal.locked')
      expect(locks).toMatchObject([
        { accountId, failures: 1, detail: { until: at.clock.now() + 15 * MINUTE } },
      ])
    })

    it('counts a guess that was being checked while its owner signed in', async () => {
      await at.account(EMAIL)
      const { promise: gate, resolve: open } = Promise.withResolvers<boolean>()
      const slow = openReception({ database: store.database, check: () => gate })
      const guess = slow.signIn({ password: WRONG })
      await expect.poll(() => at.attempts()).toBe(1)
      expect(await at.signIn()).toMatchObject({ kind: 'in' })
      open(false)
      expect(await guess).toEqual({ kind: 'wrong' })
      expect(await at.failTimes(9)).toHaveLength(9)
      expect(await at.signIn()).toMatchObject({ kind: 'locked' })
    })

    it('is limited to 100 attempts an hour from an address, whatever comes of them', async () => {
      await at.account(EMAIL)
      const from = (address: string) => at.signIn({ address })
      await attempted(48, () => '192.0.2.7')
      for (let round = 0; round < 2; round++) await from('192.0.2.7')
      at.advance(30 * MINUTE)
      await attempted(48, () => '192.0.2.7')
      for (let round = 0; round < 2; round++) await at.signIn({ email: `${round}@x.y`, address: '192.0.2.7' })
      const until = at.clock.now() + 30 * MINUTE
      expect(await from('192.0.2.7')).toEqual({ kind: 'too_many', until })
      expect(await from('::ffff:192.0.2.7')).toEqual({ kind: 'too_many', until })
      expect(await from('192.0.2.8')).toMatchObject({ kind: 'in' })
      at.advance(30 * MINUTE)
      expect(await from('192.0.2.7')).toMatchObject({ kind: 'in' })
    })

    it('counts IPv6 addresses by their /64 network, and what is no address as one', async () => {
      await at.account(EMAIL)
      const from = (address: string) => at.signIn({ address })
      await attempted(97, (round) => `2001:db8:0:1::${round.toString(16)}`)
      for (const last of [':a', ':b', 'ffff:ffff:ffff:ffff']) await from(`2001:db8:0:1:${last}`)
      expect(await from('2001:DB8::1:ffff:0:0:1%eth0')).toMatchObject({ kind: 'too_many' })
      expect(await from('2001:db8:0:2::1')).toMatchObject({ kind: 'in' })
      await attempted(97, (round) => `made up ${round}`)
      for (const word of ['made up', 'unknown', '192.0.2']) await from(word)
      expect(await from('')).toMatchObject({ kind: 'too_many' })
    })

    it('limits a /48 network in IPv6 to 500 attempts an hour, whatever addresses it has', async () => {
      await at.account(EMAIL)
      const from = (address: string) => at.signIn({ address })
      const inside = (round: number) => `2001:db8:1:${round.toString(16)}::1`
      await attempted(499, inside)
      expect(await from(inside(0xfffe))).toMatchObject({ kind: 'in' })
      const until = at.clock.now() + 60 * MINUTE
      expect(await from(inside(0xffff))).toEqual({ kind: 'too_many', until })
      for (const outside of ['2001:db8:10:1::1', '2001:db8:2::1', '192.0.2.9'])
        expect(await from(outside)).toMatchObject({ kind: 'in' })
      at.advance(60 * MINUTE)
      expect(await from(inside(0xffff))).toMatchObject({ kind: 'in' })
    })

    it('counts no attempt that is refused unseen', async () => {
      await at.account(EMAIL)
      await at.account('kofi@acme.example')
      await at.failTimes(10)
      for (let round = 0; round < 101; round++)
        expect(await at.signIn({ address: '192.0.2.9' })).toMatchObject({ kind: 'locked' })
      expect(await at.signIn({ email: 'kofi@acme.example', address: '192.0.2.9' })).toMatchObject({
        kind: 'in',
      })
    })

    it('leaves audit rows that say who and whence, and never what was typed', async () => {
      const accountId = await at.account(EMAIL)
      await at.signIn({ email: 'a secret typed here@acme.example' })
      await at.signIn({ password: 'a secret typed there' })
      await at.operator.setStatus(EMAIL, 'suspended')
      await at.signIn()
      await at.operator.setStatus(EMAIL, 'active')
      await at.portals[0].signOut(at.tokenOf(await at.signIn({ address: '2001:db8::1' })))
      await at.portals[0].signOut('wp_of-nobody')
      const once = { failures: 1, detail: { address: '192.0.2.1' } }
      expect(await at.failures()).toEqual([
        { action: 'portal.sign-in-failed', accountId: '', ...once },
        { action: 'portal.sign-in-failed', accountId, ...once },
        { action: 'portal.sign-in-suspended', accountId, ...once },
      ])
      expect(await at.auditRows()).toEqual([
        { action: 'portal.sign-in', accountId, detail: { by: 'password', address: '2001:db8:0:0::/64' } },
        { action: 'portal.sign-out', accountId, detail: {} },
      ])
    })

    it('counts what strangers fail at in one row an hour, whatever they type and wherever they are', async () => {
      at.advance(60 * MINUTE - (at.clock.now() % (60 * MINUTE)))
      const failTimes = async (times: number) => {
        for (let n = 0; n < times; n++) {
          at.advance(1_000)
          await at.signIn({ email: `${n}@nobody.example`, address: `198.51.100.${n}` })
        }
      }
      await failTimes(12)
      at.advance(60 * MINUTE)
      await failTimes(3)
      const strangers = { action: 'portal.sign-in-failed', accountId: '' }
      expect(await at.failures()).toEqual([
        { ...strangers, failures: 12, detail: { address: '198.51.100.11' } },
        { ...strangers, failures: 3, detail: { address: '198.51.100.2' } },
      ])
      expect(await at.auditRows()).toEqual([])
    })
  })
}

for (const engine of ENGINES) signInSuite(engine)
