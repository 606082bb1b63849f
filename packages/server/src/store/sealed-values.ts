import type { Connection } from './database.ts'
import { readSetting } from './settings.ts'

/** Everything that the database holds sealed. */
export async function sealedValues(connection: Connection): Promise<string[]> {
  const { db, t } = connection
  const { callbackSecret, callbackSecretPrevious } = t.accounts
  const accounts = await db.select({ callbackSecret, callbackSecretPrevious }).from(t.accounts)
  const keys = await db.select({ sealed: t.oauthKeys.sealed }).from(t.oauthKeys)
  const connectors = await db.select({ sealed: t.connectors.secret }).from(t.connectors)
  const demo = await readSetting(connection, 'demo')
  return [
    ...accounts.flatMap((account) => [account.callbackSecret, account.callbackSecretPrevious]),
    ...[...keys, ...connectors].map(({ sealed }) => sealed),
    demo,
  ].filter((value) => typeof value === 'string')
}
