import { describe, expect, it, onTestFinished } from 'vitest'
import { insertKeys } from '../../src/accounts/keys.ts'
import { SigningKeys } from '../../src/callbacks/signing.ts'
import { epochMs } from '../../src/kernel/ids.ts'
import type { Database } from '../../src/store/database.ts'
import { migrate } from '../../src/store/schema/migrate.ts'
import { BoxSealer, boxesOf } from '../../src/store/secrets/sealing.ts'
import { createMovedClock } from '../../src/testing/clock.ts'
import { open } from '../support/engine.ts'
import { makeWallets, NOW } from '../support/rows-of.ts'

const ACCOUNT = 'account-a'

/** The secrets of an account, and how often the database was read for them. */
async function openSecrets() {
  const database = open(':memory:')
  onTestFinished(() => database.close())
  await migrate(database)
  await makeWallets(database, { a: 1 })
  const sealer = new BoxSealer(boxesOf(['a secret of tests']))
  const putSecret = (id: string, plain: string) =>
    database.write(async (tx) => {
      await tx.run('DELETE FROM keys', [])
      const stored = await sealer.seal(tx, plain, { table: 'keys', key: id })
      const key = { id, accountId: ACCOUNT, ownerId: ACCOUNT, kind: 'callback' as const, stored, ending: '' }
      await insertKeys(tx, [{ ...key, createdAt: NOW, usedAt: 0, endsAt: 0 }])
    })
  let reads = 0
  const read: Database['read'] = (work) => {
    reads++
    return database.read(work)
  }
  const clock = createMovedClock(NOW)
  const keys = new SigningKeys({ database: { ...database, read }, clock }, { sealer, uses: { note() {} } })
  return {
    putSecret,
    /** As the text that a secret has them in. */
    secretsOf: async (accountId: string) =>
      (await keys.of(accountId)).map((key) => `whsec_${key.export().toString('base64')}`),
    reads: () => reads,
    pass: (ms: number) => clock.moveTo(epochMs(clock.now() + ms)),
  }
}

describe('the secrets that sign callbacks', () => {
  it('are read once for callbacks that come due together', async () => {
    const { putSecret, secretsOf, reads } = await openSecrets()
    await putSecret('1', 'whsec_b25l')
    const all = await Promise.all([secretsOf(ACCOUNT), secretsOf(ACCOUNT), secretsOf(ACCOUNT)])
    expect(all).toEqual([['whsec_b25l'], ['whsec_b25l'], ['whsec_b25l']])
    expect(reads()).toBe(1)
  })

  it('are new a second after they were replaced', async () => {
    const { putSecret, secretsOf, pass } = await openSecrets()
    await putSecret('1', 'whsec_b25l')
    await secretsOf(ACCOUNT)
    await putSecret('2', 'whsec_dHdv')
    pass(999)
    expect(await secretsOf(ACCOUNT)).toEqual(['whsec_b25l'])
    pass(1)
    expect(await secretsOf(ACCOUNT)).toEqual(['whsec_dHdv'])
  })

  it('are read again after a read that failed', async () => {
    const { putSecret, secretsOf } = await openSecrets()
    await expect(Promise.all([secretsOf(ACCOUNT), secretsOf(ACCOUNT)])).rejects.toThrow(
      'there is no account account-a',
    )
    await putSecret('1', 'whsec_b25l')
    expect(await secretsOf(ACCOUNT)).toEqual(['whsec_b25l'])
  })
})
