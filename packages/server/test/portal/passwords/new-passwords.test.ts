import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { kindsOf } from '../guesses.ts'
import { FROM, hashed, openHouse, PASSWORD, SITE } from '../house.ts'

const NEW = 'another horse battery'
const EMAILS = ['ama@acme.example', 'ben@acme.example', 'cleo@acme.example'] as const

describe('new passwords', () => {
  it('are hashed in the queue of those that are checked: two at a time, while 20 wait and the rest is told to come back', async () => {
    const { promise, resolve: goOn } = Promise.withResolvers<void>()
    const house = await openHouse('SQLite in memory', async (password) => {
      await promise
      return hashed(password)
    })
    for (const email of EMAILS) await house.account(email)
    const [ama, ben, cleo] = await Promise.all(EMAILS.map((email) => house.signIn(email)))
    if (!ama || !ben || !cleo) throw new Error('expected all to be in')
    const { factors, portal } = house.gates[0]
    const set = [factors.setPassword(ama, NEW), factors.setPassword(ben, NEW)]
    expect(await factors.setPassword(ama, NEW)).toEqual({ kind: 'busy' })
    const signIn = (index: number) =>
      portal.signIn({ email: `${index}@acme.example`, password: PASSWORD, ...FROM })
    const waiting = Array.from({ length: 20 }, (_, index) => signIn(index))
    expect(await signIn(20)).toEqual({ kind: 'busy' })
    expect(await factors.setPassword(cleo, NEW)).toEqual({ kind: 'busy' })
    goOn()
    expect(kindsOf(await Promise.all(waiting))).toEqual({ wrong: 20 })
    expect(await Promise.all(set)).toEqual([{ kind: 'set' }, { kind: 'set' }])
    expect(await factors.setPassword(cleo, NEW)).toEqual({ kind: 'set' })
  })

  it('leave the way free for the next one when hashing fails', async () => {
    let broken = true
    const house = await openHouse('SQLite in memory', async (password) => {
      await turn()
      if (broken) throw new Error('on purpose')
      return hashed(password)
    })
    const account = await house.account(EMAILS[0])
    const self = await house.signIn(EMAILS[0])
    const { factors, joining } = house.gates[0]
    const invite = await house.people[0].invite({ ...account, actor: 'operator:ama' }, EMAILS[1], 'viewer')
    if (typeof invite === 'string') throw new Error(invite)
    const begin = () => joining.begin(invite.secret, { password: NEW }, SITE, FROM)
    await expect(factors.setPassword(self, NEW)).rejects.toThrow('on purpose')
    await expect(begin()).rejects.toThrow('on purpose')
    broken = false
    expect(await factors.setPassword(self, NEW)).toEqual({ kind: 'set' })
    expect(await begin()).toMatchObject({ kind: 'in' })
  })
})
