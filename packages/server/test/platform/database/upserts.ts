import { eq } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { sendersOf, setSenderStatus } from '../../../src/accounts/senders.ts'
import { putRecord } from '../../../src/assistants/oauth/records.ts'
import { epochMs } from '../../../src/kernel/ids.ts'
import { claimSetting, readSetting, writeSetting } from '../../../src/store/settings.ts'
import type { Store } from '../../support/engine.ts'
import { makeWallets, NOW } from '../../support/rows-of.ts'

const LATER = epochMs(NOW + 1)

/** Statements that insert a row or, when there is one, change it. */
export function upserts(store: Store): void {
  describe('a row that may exist', () => {
    it('is written over when it is a setting, unless the setting is only claimed', async () => {
      const found = await store.database.write(async (tx) => {
        const claims = [await claimSetting(tx, 'demo', 'first'), await claimSetting(tx, 'demo', 'second')]
        const claimed = await readSetting(tx, 'demo')
        await writeSetting(tx, 'demo', 'third')
        await writeSetting(tx, 'rates_version', 'new')
        return [claims, claimed, await readSetting(tx, 'demo'), await readSetting(tx, 'rates_version')]
      })
      expect(found).toEqual([[true, false], 'first', 'third', 'new'])
    })

    it('keeps its time when the status of a sender changes', async () => {
      await makeWallets(store.database, { one: 1 })
      const row = { accountId: 'account-one', sender: 'WIGWAG' }
      const found = await store.database.write(async (tx) => {
        await setSenderStatus(tx, { ...row, status: 'pending' }, NOW)
        await setSenderStatus(tx, { ...row, sender: 'OTHER', status: 'pending' }, NOW)
        await setSenderStatus(tx, { ...row, status: 'approved' }, LATER)
        return sendersOf(tx, row.accountId)
      })
      expect(found).toEqual([
        { ...row, sender: 'OTHER', status: 'pending', reason: null, createdAt: NOW },
        { ...row, status: 'approved', reason: null, createdAt: NOW },
      ])
    })

    it('keeps when it was made and used when a record of the authorization server is put again', async () => {
      const key = { model: 'RefreshToken', id: 'put-twice' }
      const again = { ...key, payload: '{"again":true}', grantId: 'grant', expiresAt: 7 }
      const found = await store.database.write(async (tx) => {
        const { oauthRecords } = tx.t
        await putRecord(tx, { ...key, payload: '{}', grantId: null, expiresAt: 0 }, NOW)
        await tx.db.update(oauthRecords).set({ consumedAt: 5 }).where(eq(oauthRecords.id, key.id))
        await putRecord(tx, again, LATER)
        return tx.db.select().from(oauthRecords)
      })
      expect(found).toEqual([{ ...again, createdAt: NOW, consumedAt: 5 }])
    })
  })
}
