import { beforeEach, describe, expect, it } from 'vitest'
import { newTotpSecret } from '../../src/sign-in/factors/totp.ts'
import { createAuthenticator } from '../factors/authenticator.ts'
import { ENGINES } from '../support/bench.ts'
import { FROM, type House, MINUTE, ownerIn, SECOND, SITE, useHouses } from './house.ts'

const ADA = 'ada@acme.example'

describe.each(ENGINES)('a second factor on %s', (engine) => {
  const build = useHouses(engine)
  let house: House
  beforeEach(async () => {
    house = build()
  })

  /** Shows codes at once, from one half session each, at both gateways by turns. */
  async function showAtOnce(codes: readonly string[]): Promise<string[]> {
    const halves = []
    for (const code of codes) halves.push({ code, ...(await house.signIn(ADA)) })
    const results = await Promise.all(
      halves.map(({ token, code }, n) => house.gates[n % 2 === 0 ? 0 : 1].proofs.show(token, { code }, SITE)),
    )
    return results.map(({ kind }) => kind).sort()
  }

  async function show(code: string): Promise<string> {
    const { token } = await house.signIn(ADA)
    return (await house.gates[0].proofs.show(token, { code }, SITE)).kind
  }

  it('is asked for after the password, and opens nothing before', async () => {
    await house.account(ADA)
    const { secret } = await house.withGenerator(ADA)
    const { token, state } = await house.signIn(ADA)
    const [here, there] = house.gates
    expect(state).toBe('show')
    expect(await there.portal.who(token)).toBeUndefined()
    expect(await there.proofs.half(token)).toMatchObject({ state: 'show', email: ADA })
    expect(await here.portal.choose(token, (await house.signIn(ADA)).accountId)).toBeUndefined()
    expect(await here.proofs.show(token, { password: 'correct horse battery' }, SITE)).toEqual({
      kind: 'wrong',
    })
    const shown = await there.proofs.show(token, { code: house.codeOf(secret, 30 * SECOND) }, SITE)
    const kept = shown.kind === 'right' ? shown.token : undefined
    expect(await here.portal.who(token)).toBeUndefined()
    expect(await here.portal.who(kept)).toMatchObject({ email: ADA, proof: 'code', justProven: true })
    house.pass(11 * MINUTE)
    expect(await here.portal.who(kept)).toMatchObject({ justProven: false })
  })

  it('is waited for ten minutes', async () => {
    await house.account(ADA)
    const { secret } = await house.withGenerator(ADA)
    const [early, late] = [await house.signIn(ADA), await house.signIn(ADA)]
    const { proofs } = house.gates[0]
    house.pass(10 * MINUTE - 1)
    const shown = await proofs.show(early.token, { code: house.codeOf(secret) }, SITE)
    expect(shown.kind).toBe('right')
    house.pass(1)
    expect(await proofs.half(late.token)).toBeUndefined()
    expect(await proofs.show(late.token, { code: house.codeOf(secret, 30 * SECOND) }, SITE)).toEqual({
      kind: 'wrong',
    })
  })

  it('is a code once, of several at once at two gateways', async () => {
    await house.account(ADA)
    const { secret } = await house.withGenerator(ADA)
    const code = house.codeOf(secret, 30 * SECOND)
    expect(await showAtOnce([code, code, code, code])).toEqual(['right', 'wrong', 'wrong', 'wrong'])
  })

  it.each([
    [-60 * SECOND, 'wrong'],
    [-30 * SECOND, 'right'],
    [30 * SECOND, 'right'],
    [60 * SECOND, 'wrong'],
  ])('takes a code of a clock that is %i ms ahead: %s', async (ahead, kind) => {
    await house.account(ADA)
    const { secret } = await house.withGenerator(ADA)
    house.pass(10 * MINUTE)
    expect(await show(house.codeOf(secret, ahead))).toBe(kind)
  })

  it('is a recovery code once, of several at once, and the operator hears of it', async () => {
    await house.account(ADA)
    const { recoveryCodes, self } = await house.withGenerator(ADA)
    const [code = '', other = ''] = recoveryCodes
    expect(await showAtOnce([code, code, code])).toEqual(['right', 'wrong', 'wrong'])
    const used = { type: 'person.recovery_code_used', personId: self.personId }
    expect(house.told.filter(({ type }) => type === used.type)).toMatchObject([used])
    expect((await house.audit()).filter((action) => action === 'person.recovery-code')).toHaveLength(1)
    expect(await show(other.replaceAll('-', '').toUpperCase())).toBe('right')
  })

  it('is closed to the codes of a generator for a while after five wrong ones, and to nobody else', async () => {
    await house.account(ADA)
    await house.account('ben@other.example')
    const { secret, self, recoveryCodes } = await house.withGenerator(ADA)
    const ben = await house.withGenerator('ben@other.example')
    const device = createAuthenticator()
    const { factors, proofs } = house.gates[0]
    const passkey = device.create(await factors.creation(self, SITE), SITE)
    expect((await house.add(self, { passkey, name: 'a phone' })).kind).toBe('added')

    const wrong = house.codeOf(newTotpSecret())
    for (let n = 0; n < 5; n++) expect(await show(wrong)).toBe('wrong')
    expect(await show(house.codeOf(secret, 30 * SECOND))).toBe('locked')
    const half = await house.signIn('ben@other.example')
    const bens = { code: house.codeOf(ben.secret, 30 * SECOND) }
    expect((await proofs.show(half.token, bens, SITE)).kind).toBe('right')

    const answer = device.get(await proofs.request(self.personId, SITE), SITE)
    const shown = await proofs.show((await house.signIn(ADA)).token, { passkey: answer }, SITE)
    expect(shown.kind).toBe('right')
    const alone = device.get(await proofs.request(undefined, SITE), SITE)
    expect(await proofs.signIn(alone, SITE, FROM)).toMatchObject({ kind: 'in', state: 'in' })

    for (const minutes of [15, 30]) {
      house.pass(minutes * MINUTE - 1)
      expect(await show(house.codeOf(secret))).toBe('locked')
      house.pass(1)
      expect(await show(wrong)).toBe('wrong')
    }
    expect(await show(house.codeOf(secret))).toBe('locked')
    expect(await show(recoveryCodes[0] ?? '')).toBe('right')
    expect(await show(house.codeOf(secret))).toBe('right')
  })

  it.each(['owner', 'operator'] as const)('that the %s requires is got at the next sign-in', async (who) => {
    const account = await house.account(ADA)
    const by = who === 'owner' ? ownerIn(account) : { ...account, actor: 'operator:ama' }
    const before = await house.signIn(ADA)
    expect(await house.people[0].requireFactor(by, who)).toBe(true)
    const [here, there] = house.gates
    expect(await there.portal.who(before.token)).toBeUndefined()

    const half = await house.signIn(ADA)
    expect([half.state, await there.portal.who(half.token)]).toEqual(['get', undefined])
    const secret = newTotpSecret()
    const { token } = half
    const added = await house.add(half, { secret, code: house.codeOf(secret) })
    expect(added).toMatchObject({ kind: 'added', recoveryCodes: expect.any(Array) })
    expect(await there.portal.who(half.token)).toMatchObject({ email: ADA })
    expect([await there.portal.who(token), await there.proofs.half(token)]).toEqual([undefined, undefined])
    expect((await house.signIn(ADA)).state).toBe('show')
    expect(await here.factors.remove(half, 'generator')).toBe('required')
  })

  it('that the operator requires is not lifted by an owner', async () => {
    const account = await house.account(ADA)
    const operator = { ...account, actor: 'operator:ama' }
    await house.people[0].requireFactor(operator, 'operator')
    for (const required of ['optional', 'owner'] as const)
      expect(await house.people[0].requireFactor(ownerIn(account), required)).toBe(false)
    expect((await house.signIn(ADA)).state).toBe('get')
    expect(await house.people[0].requireFactor(operator, 'optional')).toBe(true)
    expect((await house.signIn(ADA)).state).toBe('in')
  })

  it('of another account is waited for ten minutes too', async () => {
    await house.account(ADA)
    const other = await house.account('ben@other.example')
    const self = await house.signIn(ADA)
    const { joining, portal, proofs } = house.gates[0]
    const link = await house.people[0].invite(ownerIn(other), ADA, 'viewer')
    expect(await joining.accept(typeof link === 'string' ? '' : link.secret, self)).toBe(true)
    await house.people[0].requireFactor(ownerIn(other), 'owner')
    expect(await portal.choose(self.token, other.accountId)).toBe('get')
    expect(await portal.who(self.token)).toBeUndefined()
    house.pass(10 * MINUTE - 1)
    expect(await proofs.half(self.token)).toMatchObject({ accountId: other.accountId })
    house.pass(1)
    expect(await proofs.half(self.token)).toBeUndefined()
  })

  it('can be got by one of two half sessions only', async () => {
    const account = await house.account(ADA)
    await house.people[0].requireFactor(ownerIn(account), 'owner')
    const halves = [await house.signIn(ADA), await house.signIn(ADA)]
    const results = await Promise.all(
      halves.map((half, n) => {
        const secret = newTotpSecret()
        const gate = house.gates[n === 0 ? 0 : 1]
        return house.add(half, { secret, code: house.codeOf(secret) }, gate)
      }),
    )
    expect(results.map(({ kind }) => kind).sort()).toEqual(['added', 'wrong'])
  })
})
