import { beforeEach, describe, expect, it } from 'vitest'
import { lockPerson } from '../../src/accounts/people/index.ts'
import { addPasskey } from '../../src/sign-in/factors/index.ts'
import { newTotpSecret } from '../../src/sign-in/factors/totp.ts'
import type { Self } from '../../src/sign-in/portal/own-sessions.ts'
import { createAuthenticator } from '../factors/authenticator.ts'
import { ENGINES } from '../support/bench.ts'
import { duringWrite } from '../support/during-write.ts'
import { NOW } from '../support/rows-of.ts'
import { FROM, type House, ownerIn, PASSWORD, SECOND, SITE, useHouses } from './house.ts'

const ADA = 'ada@acme.example'
const BEN = 'ben@other.example'

describe.each(ENGINES)('what a person signs in with on %s', (engine) => {
  const build = useHouses(engine)
  let house: House
  let ada: { accountId: string; personId: string }
  beforeEach(async () => {
    house = build()
    ada = await house.account(ADA)
    await house.account(BEN)
  })

  async function registerPasskey(self: Self, name = 'a phone') {
    const { factors } = house.gates[0]
    const device = createAuthenticator()
    const passkey = device.create(await factors.creation(self, SITE), SITE)
    return { device, added: await house.add(self, { passkey, name }) }
  }
  const list = () => house.gates[1].factors.list(ada.personId)
  /** As pages and streams see it. */
  async function isIn({ token }: Self): Promise<boolean> {
    const { portal } = house.gates[1]
    const found = (await portal.who(token)) !== undefined
    expect((await portal.active([token])).has(token)).toBe(found)
    return found
  }

  it('begins with ten recovery codes at the first factor, and with none at the second', async () => {
    const self = await house.signIn(ADA)
    const { added } = await registerPasskey(self)
    expect(added).toMatchObject({ recoveryCodes: { length: 10 } })
    const secret = newTotpSecret()
    const second = await house.add(self, { secret, code: house.codeOf(secret) })
    expect(second).toMatchObject({ kind: 'added', recoveryCodes: undefined })
    expect(await list()).toMatchObject({
      passkeys: [{ name: 'a phone', usedAt: 0 }],
      generatorSince: expect.any(Number),
      recoveryCodes: 10,
    })
    expect(house.told.map(({ type, factor }) => [type, factor])).toEqual([
      ['person.factor_added', 'passkey'],
      ['person.factor_added', 'code generator'],
    ])
  })

  it('ends the other sessions that showed a password alone, when it is the first', async () => {
    const [self, other, ben] = [await house.signIn(ADA), await house.signIn(ADA), await house.signIn(BEN)]
    const { device } = await registerPasskey(self)
    expect([await isIn(self), await isIn(other), await isIn(ben)]).toEqual([true, false, true])
    const { proofs } = house.gates[0]
    const answer = device.get(await proofs.request(undefined, SITE), SITE)
    const byPasskey = await proofs.signIn(answer, SITE, FROM)
    const secret = newTotpSecret()
    await house.add(self, { secret, code: house.codeOf(secret) })
    expect(await isIn({ ...self, token: byPasskey.kind === 'in' ? byPasskey.token : '' })).toBe(true)
  })

  it('is gone with a reset, also when it is taken on at that moment', async () => {
    const self = await house.signIn(ADA)
    const passkey = { id: 'a-passkey-of-an-intruder', publicKey: 'key', counter: 0 }
    const link = await duringWrite(
      engine,
      house.database,
      async (tx) => {
        await lockPerson(tx, self.personId)
        await addPasskey(tx, { kind: 'person', id: self.personId }, passkey, NOW)
      },
      () => house.people[1].reset({ ...ada, actor: 'operator:ama' }, self.personId),
    )
    expect(link).toMatch(/^wi_/)
    expect((await list()).passkeys).toEqual([])
  })

  it('takes no generator with a wrong code, and in place of the old one with a right one', async () => {
    const { self, secret } = await house.withGenerator(ADA)
    const [next, other] = [newTotpSecret(), newTotpSecret()]
    const wrong = { secret: next, code: house.codeOf(other) }
    expect(await house.add(self, wrong)).toEqual({ kind: 'wrong' })
    expect((await house.add(self, { secret: next, code: house.codeOf(next) })).kind).toBe('added')
    const { token } = await house.signIn(ADA)
    const show = async (of: string) =>
      (await house.gates[1].proofs.show(token, { code: house.codeOf(of, 30 * SECOND) }, SITE)).kind
    expect([await show(secret), await show(next)]).toEqual(['wrong', 'right'])
  })

  it('takes nothing from a session that has yet to show a factor', async () => {
    await house.withGenerator(ADA)
    const half = await house.signIn(ADA)
    expect((await registerPasskey(half)).added).toEqual({ kind: 'wrong' })
    expect((await list()).passkeys).toEqual([])
  })

  it('is gone with the other sessions when it is removed', async () => {
    const self = await house.signIn(ADA)
    const other = await house.signIn(ADA)
    const { device } = await registerPasskey(self)
    const { factors, proofs } = house.gates[0]
    expect(await factors.remove(self, { passkey: device.id })).toBe('removed')
    expect([await isIn(self), await isIn(other)]).toEqual([true, false])
    expect(await factors.remove(self, { passkey: device.id })).toBe('gone')
    expect(await factors.remove(self, 'generator')).toBe('gone')
    const answer = device.get(await proofs.request(undefined, SITE), SITE)
    expect(await proofs.signIn(answer, SITE, { address: '192.0.2.1' })).toEqual({ kind: 'wrong' })
  })

  it('stays where it is the last one and required, also when two are removed at once', async () => {
    const self = await house.signIn(ADA)
    const { device } = await registerPasskey(self)
    const secret = newTotpSecret()
    const [here, there] = house.gates
    await house.add(self, { secret, code: house.codeOf(secret) })
    await house.people[0].requireFactor(ownerIn(ada), 'owner')
    const removed = await Promise.all([
      here.factors.remove(self, { passkey: device.id }),
      there.factors.remove(self, 'generator'),
    ])
    expect(removed.sort()).toEqual(['removed', 'required'])
    const { passkeys, generatorSince } = await list()
    expect(passkeys.length + (generatorSince === undefined ? 0 : 1)).toBe(1)
  })

  it('is nobody else’s to rename or remove', async () => {
    const { device } = await registerPasskey(await house.signIn(ADA))
    const ben = await house.signIn(BEN)
    const { factors, sessions } = house.gates[0]
    await factors.rename(ben.personId, device.id, 'mine now')
    expect(await factors.remove(ben, { passkey: device.id })).toBe('gone')
    expect((await list()).passkeys).toMatchObject([{ id: device.id, name: 'a phone' }])
    const adas = await house.signIn(ADA)
    const [session] = await sessions.list(adas)
    expect(session).toBeDefined()
    expect(await sessions.end(ben, session?.id ?? '')).toBe(false)
    await sessions.endOthers(ben)
    expect(await sessions.list(adas)).toHaveLength(1)
  })

  it('has a name without zero characters, of at most 40 characters', async () => {
    const self = await house.signIn(ADA)
    const { device } = await registerPasskey(self, ' <b>a\0</b> ')
    expect((await list()).passkeys).toMatchObject([{ name: '<b>a</b>' }])
    await house.gates[0].factors.rename(self.personId, device.id, 'n'.repeat(90))
    expect((await list()).passkeys).toMatchObject([{ name: 'n'.repeat(40) }])
    // A letter beyond the first plane is two units long: half of one is no text.
    await house.gates[0].factors.rename(self.personId, device.id, `${'n'.repeat(39)}😀`)
    expect((await list()).passkeys[0]?.name).not.toContain('\uFFFD')
  })

  it('has new recovery codes in place of the old ones', async () => {
    const { self, recoveryCodes } = await house.withGenerator(ADA)
    const renewed = await house.gates[1].factors.newRecoveryCodes(self)
    expect(renewed).toHaveLength(10)
    const { token } = await house.signIn(ADA)
    const show = async (code = '') => (await house.gates[0].proofs.show(token, { code }, SITE)).kind
    expect([await show(recoveryCodes[0]), await show(renewed[0])]).toEqual(['wrong', 'right'])
    expect(await list()).toMatchObject({ recoveryCodes: 9 })
  })

  it('is a new password in place of the old one: the other sessions end', async () => {
    const [self, other] = [await house.signIn(ADA), await house.signIn(ADA)]
    const ben = await house.signIn(BEN)
    await house.gates[0].factors.setPassword(self, 'another horse battery')
    expect([await isIn(self), await isIn(other), await isIn(ben)]).toEqual([true, false, true])
    await expect(house.signIn(ADA, PASSWORD)).rejects.toThrow('wrong')
    expect(await house.signIn(ADA, 'another horse battery')).toMatchObject({ state: 'in' })
  })

  it('takes the assistants along when it is a new password, in every account, unless they are kept', async () => {
    const self = await house.signIn(ADA)
    const ben = await house.account('cleo@third.example')
    const made = [
      { id: 'one', accountId: ada.accountId, personId: ada.personId },
      { id: 'two', accountId: ben.accountId, personId: ada.personId },
      { id: 'other', accountId: ben.accountId, personId: ben.personId },
    ]
    for (const { id, accountId, personId } of made)
      await house.database.write(({ run }) =>
        run(
          `INSERT INTO connections (id, account_id, wallet_id, person_id, grant_id, client_id, client_name,
             redirect_host, can_send, daily_spend, daily_messages, created_at)
           SELECT $1, account_id, id, $2, $3, 'c', 'c', 'c', 0, 0, 0, 1 FROM wallets WHERE account_id = $4`,
          [id, personId, id, accountId],
        ),
      )
    const active = async () => {
      const rows = await house.database.read(({ run }) =>
        run<{ id: string }>('SELECT id FROM connections WHERE ended_at = 0 ORDER BY id', []),
      )
      return rows.map(({ id }) => id)
    }
    const { factors } = house.gates[1]
    await factors.setPassword(self, 'another horse battery', 'keep')
    expect(await active()).toEqual(['one', 'other', 'two'])
    await factors.setPassword(self, 'a third horse battery')
    expect(await active()).toEqual(['other'])
    expect((await house.audit()).filter((action) => action === 'connection.end')).toHaveLength(2)
  })

  it('is proved again with the password, and only with more where there is more', async () => {
    const self = await house.signIn(ADA)
    const { proofs, portal } = house.gates[0]
    const proven = async () => (await portal.who(self.token))?.justProven
    house.pass(10 * 60 * SECOND)
    expect(await proven()).toBe(false)
    const prove = async (proof: { password: string } | { code: string }) => {
      const result = await proofs.prove(self.token, proof, SITE, '192.0.2.1')
      if (result.kind !== 'right') return result.kind
      // A copy of the old cookie is worth nothing.
      expect(await portal.who(self.token)).toBeUndefined()
      self.token = result.token
      return result.kind
    }
    expect([await prove({ password: 'not this one' }), await proven()]).toEqual(['wrong', false])
    expect([await prove({ password: PASSWORD }), await proven()]).toEqual(['right', true])
    const secret = newTotpSecret()
    await house.add(self, { secret, code: house.codeOf(secret) })
    house.pass(10 * 60 * SECOND)
    expect([await prove({ password: PASSWORD }), await proven()]).toEqual(['wrong', false])
    expect([await prove({ code: house.codeOf(secret) }), await proven()]).toEqual(['right', true])
  })

  it('is where the person sees the sessions, and ends one or the others', async () => {
    const self = await house.signIn(ADA)
    const second = await house.signIn(ADA)
    const others = [await house.signIn(ADA), await house.signIn(ADA)]
    const all = [self, second, ...others]
    const { sessions } = house.gates[0]
    const seen = await sessions.list(self)
    expect(seen.filter(({ isThis }) => isThis)).toHaveLength(1)
    expect(seen).toHaveLength(4)
    const seconds = (await sessions.list(second)).find(({ isThis }) => isThis)
    expect(await sessions.end(self, seconds?.id ?? '')).toBe(true)
    expect(await Promise.all(all.map(isIn))).toEqual([true, false, true, true])
    await sessions.endOthers(self)
    expect(await Promise.all(all.map(isIn))).toEqual([true, false, false, false])
  })
})
