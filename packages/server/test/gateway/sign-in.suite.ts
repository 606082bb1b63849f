import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Database } from '../../src/store/database.ts'
import { type EngineName, useStore } from '../store/engine.ts'
import { EMAIL, MINUTE, openReception, PASSWORD, type Reception, WRONG } from './portal.ts'

/** What is promised of signing in, whatever the engine. */
export function signInSuite(engine: EngineName): void {
  describe(`signing in on ${engine}`, () => {
    const store = useStore(engine)
    let at: Reception
    let another: Database
    beforeAll(() => {
      another = store.another()
    })
    beforeEach(() => {
      at = openReception({ database: store.database, another })
    })

    it('lets a person in by e-mail, however it is written, and password, and knows the person again', async () => {
      const accountId = await at.account(EMAIL)
      const result = await at.signIn({ email: ` ${EMAIL.toUpperCase()} ` })
      if (result.kind !== 'in') throw new Error(`expected to be in, got ${result.kind}`)
      expect(result).toMatchObject({ accountId, expiresAt: at.clock.now() + 12 * 60 * MINUTE })
      const person = await at.portals[1].who(result.token)
      expect(person).toEqual({
        accountId,
        email: EMAIL,
        name: 'Ama',
        wallet: { id: expect.any(String), currency: 'GHS' },
      })
      expect(await at.auditRows()).toEqual([
        { action: 'portal.sign-in', accountId, detail: { address: '192.0.2.1' } },
      ])
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
        { password: PASSWORD.padEnd(1_025, '!') },
        { password: '' },
      ]
      for (const changes of refused) expect(await at.signIn(changes)).toEqual({ kind: 'wrong' })
    })
  })
}
