import type { Clock } from '../clock.ts'
import type { Micros } from '../domain/money.ts'
import { sampleRates } from '../domain/rates.ts'
import { listAccounts } from '../store/accounts.ts'
import type { Database } from '../store/database.ts'
import { ratesVersion, replaceRates } from '../store/rates.ts'
import type { Sealer } from '../store/sealing.ts'
import { readSetting, writeSetting } from '../store/settings.ts'
import type { AccountSecrets, Operator } from './operator.ts'

export const DEMO_SENDER = 'WIGWAG'
const SAMPLE_CURRENCIES = ['GHS', 'EUR', 'USD']

export interface DemoOptions {
  database: Database
  clock: Clock
  sealer: Sealer
  operator: Operator
  balance: Micros
}

/**
 * Gives an empty sandbox an account to try things with, and sample rates. The credentials are made up once and
 * stay the same across restarts.
 */
export async function seedDemo({
  database,
  clock,
  sealer,
  operator,
  balance,
}: DemoOptions): Promise<AccountSecrets | undefined> {
  await database.write(async (connection) => {
    if ((await ratesVersion(connection)) !== '') return
    const rates = SAMPLE_CURRENCIES.flatMap(sampleRates)
    await replaceRates(connection, rates, { sample: true, version: `sample-${clock.now()}` })
  })
  const sealed = await database.read((connection) => readSetting(connection, 'demo'))
  if (sealed) return readSecrets(sealer.open(sealed))
  if ((await database.read(listAccounts)).length > 0) return undefined
  const secrets = await operator.createAccount({
    name: 'Demo',
    email: 'demo@wigwag.dev',
    currency: 'GHS',
    balance,
    senders: [DEMO_SENDER],
  })
  await database.write((connection) => writeSetting(connection, 'demo', sealer.seal(JSON.stringify(secrets))))
  return secrets
}

function readSecrets(json: string): AccountSecrets {
  return JSON.parse(json) as AccountSecrets
}
