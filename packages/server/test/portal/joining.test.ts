import { AsyncLocalStorage } from 'node:async_hooks'
import { beforeEach, describe, expect, it } from 'vitest'
import { endMembership, findPerson, lockPerson, lockRoles } from '../../src/accounts/people/index.ts'
import { addPasskey } from '../../src/sign-in/factors/index.ts'
import type { Tx } from '../../src/store/database.ts'
import type { Role } from '../../src/store/schema/schema.ts'
import { createAuthenticator } from '../factors/authenticator.ts'
import { ENGINES } from '../support/bench.ts'
import { duringWrite } from '../support/during-write.ts'
import { NOW } from '../support/rows-of.ts'
import { FROM, type House, MINUTE, ownerIn, PASSWORD, SITE, useHouses } from './house.ts'

const ADA = 'ada@acme.example'
const BEN = 'ben@acme.example'
const CLEO = 'cleo@other.example'
const DAYS = 24 * 60 * MINUTE

describe.each(ENGINES)('joining an account on %s', (engine) => {
  const build = useHouses(engine)
  let house: House
  let account: { accountId: string; personId: string }
  beforeEach(async () => {
    house = build()
    account = await house.account(ADA)
  })

  async function invite(email: string, role: Role = 'sender', by = ownerIn(account)): Promise<string> {
    const invited = await house.people[0].invite(by, email, role)
    if (typeof invited === 'string') throw new Error(`${email} was not invited: ${invited}`)
    return invited.secret
  }
  const begin = (secret: string, gate: 0 | 1 = 0) =>
    house.gates[gate].joining.begin(secret, { password: PASSWORD }, SITE, FROM)
  async function roles(accountId = account.accountId): Promise<Record<string, Role>> {
    const { members } = await house.people[1].list(accountId)
    return Object.fromEntries(members.map(({ email, role }) => [email, role]))
  }
  async function joined(email: string, role: Role = 'sender') {
    const result = await begin(await invite(email, role))
    if (result.kind !== 'in') throw new Error(`expected to be in, got ${result.kind}`)
    const person = await house.gates[0].portal.who(result.token)
    if (!person) throw new Error('expected a session')
    return { ...person, token: result.token }
  }

  it('takes a password of somebody new', async () => {
    const secret = await invite(BEN)
    expect(await house.gates[1].joining.invited(secret)).toMatchObject({ email: BEN, next: 'begin' })
    const result = await begin(secret)
    expect(result).toMatchObject({ kind: 'in', state: 'in', recoveryCodes: undefined })
    expect(await house.signIn(BEN)).toMatchObject({ accountId: account.accountId, state: 'in' })
    expect(await roles()).toEqual({ [ADA]: 'owner', [BEN]: 'sender' })
    expect(await begin(secret)).toEqual({ kind: 'no link' })
  })

  it('takes a passkey of somebody new, and keeps the link when it is not right', async () => {
    const secret = await invite(BEN, 'viewer')
    const { joining, portal } = house.gates[0]
    const device = createAuthenticator()
    const make = async (flags: number) => {
      const options = await joining.creation(secret, SITE)
      if (!options) throw new Error('expected what a browser needs')
      return { passkey: device.create(options, SITE, { flags }), name: 'a phone' }
    }
    expect(await joining.begin(secret, await make(1), SITE, FROM)).toEqual({ kind: 'not taken' })
    const result = await joining.begin(secret, await make(5), SITE, FROM)
    expect(result).toMatchObject({ kind: 'in', recoveryCodes: { length: 10 } })
    if (result.kind !== 'in') return
    expect(await portal.who(result.token)).toMatchObject({ email: BEN, role: 'viewer', proof: 'passkey' })
  })

  it('takes one of several who follow a link at once', async () => {
    const secret = await invite(BEN)
    const results = await Promise.all(([0, 1, 0, 1] as const).map((gate) => begin(secret, gate)))
    // At each gateway one password is set at a time by a link.
    expect(results.map(({ kind }) => kind).sort()).toEqual(['busy', 'busy', 'in', 'no link'])
  })

  it('is gone for who followed it while somebody else did', async () => {
    const secret = await invite(BEN)
    const outside = AsyncLocalStorage.snapshot()
    let isTaken = false
    const takeOnce = async () => {
      if (isTaken) return
      isTaken = true
      expect(await outside(() => begin(secret, 1))).toMatchObject({ kind: 'in' })
    }
    // On PostgreSQL somebody joins between two statements of a read. On SQLite nothing can.
    const between = (tx: Tx): Tx => ({
      ...tx,
      async run<Row extends object>(text: string, values: Parameters<Tx['run']>[1]) {
        const rows = await tx.run<Row>(text, values)
        await takeOnce()
        return rows
      },
    })
    if (engine !== 'PostgreSQL') await takeOnce()
    const { joining } = house.gateOn({
      ...house.database,
      read: (work) => house.database.read((tx) => work(between(tx))),
    })
    expect(await joining.begin(secret, { password: PASSWORD }, SITE, FROM)).toEqual({ kind: 'no link' })
  })

  it('is open for three days', async () => {
    const [early, late] = [await invite(BEN), await invite(CLEO)]
    house.pass(3 * DAYS - 1)
    expect(await begin(early)).toMatchObject({ kind: 'in' })
    house.pass(1)
    expect(await house.gates[0].joining.invited(late)).toBeUndefined()
    expect(await begin(late)).toEqual({ kind: 'no link' })
  })

  it('is closed by taking the link back, and by a newer one', async () => {
    const withdrawn = await invite(BEN)
    expect(await house.people[1].withdraw(ownerIn(account), BEN)).toBe(true)
    expect(await begin(withdrawn)).toEqual({ kind: 'no link' })
    const older = await invite(BEN, 'owner')
    const newer = await invite(BEN, 'viewer')
    expect(await begin(older)).toEqual({ kind: 'no link' })
    expect(await begin(newer)).toMatchObject({ kind: 'in' })
    expect(await roles()).toMatchObject({ [BEN]: 'viewer' })
  })

  it('leads to a new account nobody who claimed the address of its owner before', async () => {
    await joined('boss@bigcorp.example', 'viewer')
    const { accountId } = await house.account('Boss@BigCorp.example', null)
    expect(await roles(accountId)).toEqual({})
    const claimed = await house.signIn('boss@bigcorp.example')
    expect(await house.gates[0].portal.accounts(claimed.personId)).toMatchObject([
      { accountId: account.accountId },
    ])
    await expect(house.account('boss@bigcorp.example')).rejects.toThrow('already an account')
    await joined('ceo@bigcorp.example', 'viewer')
    await expect(house.account('ceo@bigcorp.example')).rejects.toThrow('leave the password out')
  })

  it('leads to no new account that is made at the moment in which its owner’s address is claimed', async () => {
    const email = 'boss@bigcorp.example'
    await house.gates[0].joining.creation(await invite(email), SITE)
    const passkey = { id: 'a-passkey-of-a-claimer', publicKey: 'key', counter: 0 }
    const { accountId } = await duringWrite(
      engine,
      house.database,
      async (tx) => {
        const id = (await findPerson(tx, email))?.id ?? ''
        await lockPerson(tx, id)
        await addPasskey(tx, { kind: 'person', id }, passkey, NOW)
      },
      () => house.account(email, null),
    )
    expect(await roles(accountId)).toEqual({})
  })

  it('is over with the right to invite of the owner who made the link', async () => {
    const [ben, dan] = [await joined(BEN, 'owner'), await joined('dan@acme.example', 'owner')]
    const bens = await invite('ben.private@mail.example', 'owner', ownerIn(ben))
    const dans = await invite('dan.private@mail.example', 'owner', ownerIn(dan))
    const adas = await invite('eve@acme.example')
    const [people, others] = house.people
    expect(await people.setRole(ownerIn(account), ben.personId, 'sender')).toBe('changed')
    expect(await people.remove(ownerIn(account), dan.personId)).toBe('changed')
    expect([await begin(bens), await begin(dans)]).toEqual([{ kind: 'no link' }, { kind: 'no link' }])
    for (const one of [ben, dan])
      expect(await others.invite(ownerIn(one), 'more@mail.example', 'owner')).toBe('not allowed')
    expect((await others.list(account.accountId)).invited).toMatchObject([{ email: 'eve@acme.example' }])
    expect((await house.audit()).filter((action) => action === 'person.withdraw')).toHaveLength(2)
    expect(await begin(adas)).toMatchObject({ kind: 'in' })
  })

  it('is over too when the owner makes the link at the moment in which they are removed', async () => {
    const ben = await joined(BEN, 'owner')
    const { accountId } = account
    const made = await duringWrite(
      engine,
      house.database,
      async (tx) => {
        await lockRoles(tx, accountId)
        await endMembership(tx, { accountId, personId: ben.personId }, NOW)
      },
      () => house.people[1].invite(ownerIn(ben), 'ben.private@mail.example', 'owner'),
    )
    expect(made).toBe('not allowed')
  })

  it('is no way to ask who has a sign-in in another account', async () => {
    const known = await house.account(CLEO)
    const device = createAuthenticator()
    const { factors, joining } = house.gates[0]
    const cleo = await house.signIn(CLEO)
    const passkey = device.create(await factors.creation(cleo, SITE), SITE)
    await house.add(cleo, { passkey, name: 'a phone' })
    const options = async (email: string) => joining.creation(await invite(email), SITE)
    const [asked, other] = [await options(CLEO), await options(BEN)]
    expect(asked?.excludeCredentials).toEqual(other?.excludeCredentials)
    const idOf = (id = '') => Buffer.from(id, 'base64url').toString()
    expect(idOf(asked?.user.id)).not.toContain(known.personId)
    expect(idOf(asked?.user.id)).toMatch(/^person:/)
  })

  it('asks somebody with a sign-in to use it, as that address', async () => {
    await house.account(CLEO)
    const secret = await invite(CLEO)
    const { joining, portal } = house.gates[0]
    expect(await joining.invited(secret)).toMatchObject({ next: 'sign in' })
    expect(await begin(secret)).toEqual({ kind: 'sign in' })
    const ada = await house.signIn(ADA)
    expect(await joining.accept(secret, ada)).toBe(false)
    const cleo = await house.signIn(CLEO)
    const tries = await Promise.all(house.gates.map((gate) => gate.joining.accept(secret, cleo)))
    expect(tries.sort()).toEqual([false, true])
    const accounts = await portal.accounts(cleo.personId)
    expect(accounts.map(({ role }) => role).sort()).toEqual(['owner', 'sender'])
  })

  it('gives no way in to an address that is in another account, but from the operator', async () => {
    const other = await house.account(CLEO)
    await house.people[0].reset({ ...other, actor: 'operator:ama' }, other.personId)
    await expect(house.signIn(CLEO)).rejects.toThrow('wrong')
    expect(await begin(await invite(CLEO))).toEqual({ kind: 'no link' })
    await expect(house.signIn(CLEO)).rejects.toThrow('wrong')
    const operators = await invite(CLEO, 'viewer', { ...account, actor: 'operator:ama' })
    expect(await begin(operators)).toMatchObject({ kind: 'in', accounts: 2 })
  })

  it('leaves an account its last owner', async () => {
    const by = ownerIn(account)
    const [people] = house.people
    expect(await people.remove(by, account.personId)).toBe('last owner')
    expect(await people.setRole(by, account.personId, 'viewer')).toBe('last owner')
    const ben = await joined(BEN)
    expect(await people.setRole(by, ben.personId, 'owner')).toBe('changed')
    expect(await people.setRole(by, account.personId, 'viewer')).toBe('changed')
    expect(await people.remove(by, ben.personId)).toBe('last owner')
    expect(await people.remove(by, 'nobody')).toBe('gone')
  })

  it('leaves one of several owners who are removed at once', async () => {
    const owners = [account.personId]
    for (let n = 0; n < 7; n++) owners.push((await joined(`owner${n}@acme.example`, 'owner')).personId)
    const results = await Promise.all(
      owners.map((personId, n) => house.people[n % 2 === 0 ? 0 : 1].remove(ownerIn(account), personId)),
    )
    expect(results.sort()).toEqual([...Array.from({ length: 7 }, () => 'changed'), 'last owner'])
    expect(Object.values(await roles())).toEqual(['owner'])
  })

  it('is undone at once: the sessions and the assistants go with who leaves', async () => {
    const ben = await joined(BEN)
    for (const [id, personId] of Object.entries({ bens: ben.personId, adas: account.personId }))
      await house.database.write(({ run }) =>
        run(
          `INSERT INTO connections (id, account_id, wallet_id, person_id, grant_id, client_id, client_name,
             redirect_host, can_send, daily_spend, daily_messages, created_at) VALUES ($1, $2, $3, $4, $5, 'c', 'c', 'c', 1, 1, 1, 1)`,
          [id, account.accountId, ben.wallet.id, personId, id],
        ),
      )
    const { token } = await house.signIn(ADA)
    const { portal } = house.gates[1]
    expect(await portal.active([token, ben.token, 'wp_nobody'])).toEqual(new Set([token, ben.token]))
    expect(await house.people[0].remove(ownerIn(account), ben.personId)).toBe('changed')
    expect(await portal.who(ben.token)).toBeUndefined()
    expect(await portal.active([token, ben.token])).toEqual(new Set([token]))
    await expect(house.signIn(BEN)).rejects.toThrow('wrong')
    const connections = await house.database.read(({ run }) =>
      run<{ id: string; endedAt: number }>('SELECT id, ended_at AS "endedAt" FROM connections', []),
    )
    expect(connections.filter(({ endedAt }) => endedAt > 0)).toMatchObject([{ id: 'bens' }])
    expect(await house.audit()).toEqual(expect.arrayContaining(['person.remove', 'connection.end']))
  })

  it('again begins anew for who is in no account', async () => {
    const ben = await joined(BEN, 'owner')
    const device = createAuthenticator()
    const { factors, joining, portal, proofs } = house.gates[0]
    const passkey = device.create(await factors.creation(ben, SITE), SITE)
    await factors.add(ben, { passkey, name: 'a phone' }, SITE)
    await house.people[0].remove(ownerIn(account), ben.personId)
    const secret = await invite(BEN, 'viewer')
    expect(await joining.invited(secret)).toMatchObject({ next: 'begin' })
    expect(await begin(secret)).toMatchObject({ kind: 'in', state: 'in' })
    expect(await roles()).toEqual({ [ADA]: 'owner', [BEN]: 'viewer' })
    expect(await portal.who(ben.token)).toBeUndefined()
    const answer = device.get(await proofs.request(undefined, SITE), SITE)
    expect(await proofs.signIn(answer, SITE, FROM)).toEqual({ kind: 'wrong' })
  })

  it('again brings the new role, and the old sessions stay ended, for who is in another account', async () => {
    const ben = await joined(BEN)
    const cleo = await house.account(CLEO)
    const elsewhere = await invite(BEN, 'viewer', ownerIn(cleo))
    const { joining, portal } = house.gates[0]
    expect(await joining.accept(elsewhere, ben)).toBe(true)
    await house.people[0].remove(ownerIn(account), ben.personId)
    const self = await house.signIn(BEN)
    expect(self.accountId).toBe(cleo.accountId)
    expect(await joining.accept(await invite(BEN, 'viewer'), self)).toBe(true)
    expect(await roles()).toEqual({ [ADA]: 'owner', [BEN]: 'viewer' })
    expect(await portal.who(ben.token)).toBeUndefined()
  })

  it('of two accounts lets a person choose, and keep the one when the other is left', async () => {
    const cleo = await house.account(CLEO)
    const self = await house.signIn(CLEO)
    await house.gates[0].joining.accept(await invite(CLEO), self)
    const { portal } = house.gates[0]
    const signedIn = await portal.signIn({ email: CLEO, password: PASSWORD, ...FROM })
    expect(signedIn).toMatchObject({ kind: 'in', accounts: 2 })
    const ben = await house.account(BEN)
    expect(await portal.choose(self.token, ben.accountId)).toBeUndefined()
    expect(await portal.choose(self.token, account.accountId)).toBe('in')
    expect(await house.gates[1].portal.who(self.token)).toMatchObject({
      ...account,
      personId: cleo.personId,
      role: 'sender',
    })
    await house.people[0].remove(ownerIn(account), cleo.personId)
    expect(await house.gates[1].portal.who(self.token)).toBeUndefined()
    expect(await house.signIn(CLEO)).toMatchObject({ accountId: cleo.accountId, state: 'in' })
  })

  it('of a suspended account opens the other one, and none when it is the only one', async () => {
    const cleo = await house.account(CLEO)
    const self = await house.signIn(CLEO)
    await house.gates[0].joining.accept(await invite(CLEO), self)
    await house.operator.setStatus(ADA, 'suspended')
    expect(await house.gates[0].portal.choose(self.token, account.accountId)).toBeUndefined()
    expect(await house.signIn(CLEO)).toMatchObject({ accountId: cleo.accountId })
    await expect(house.signIn(ADA)).rejects.toThrow('suspended')
    const ben = await begin(await invite(BEN))
    expect(ben).toMatchObject({ kind: 'suspended' })
  })
})
