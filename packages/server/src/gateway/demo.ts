import type { Clock } from '../clock.ts'
import type { Micros } from '../domain/money.ts'
import { sampleRates } from '../domain/rates.ts'
import { listAccounts } from '../store/accounts.ts'
import type { Database } from '../store/database.ts'
import { replaceRates } from '../store/rates.ts'
import type { Sealer } from '../store/sealing.ts'
import { claimSetting, readSetting } from '../store/settings.ts'
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
 * stay the same across restarts. Several processes may start on one empty database: one of them does it.
 */
export async function seedDemo({
  database,
  clock,
  sealer,
  operator,
  balance,
}: DemoOptions): Promise<AccountSecrets | undefined> {
  const version = `sample-${clock.now()}`
  await database.write(async (connection) => {
    if (!(await claimSetting(connection, 'rates_version', version))) return
    await replaceRates(connection, SAMPLE_CURRENCIES.flatMap(sampleRates), { sample: true, version })
  })
  const request = { name: 'Demo', email: 'demo@wigwag.dev', currency: 'GHS', balance, senders: [DEMO_SENDER] }
  try {
    return await operator.createAccount(request, async (connection, secrets) => {
      const ours = await claimSetting(connection, 'demo', sealer.seal(JSON.stringify(secrets)))
      if (!ours || (await listAccounts(connection)).length > 0) throw new NotEmpty()
    })
  } catch (error) {
    if (!(error instanceof NotEmpty)) throw error
  }
  const sealed = await database.read((connection) => readSetting(connection, 'demo'))
  return sealed === undefined ? undefined : readSecrets(sealer.open(sealed))
}

/** There is a demo account already, or there are accounts of other people. */
class NotEmpty extends Error {}

function readSecrets(json: string): AccountSecrets {
  return JSON.parse(json) as AccountSecrets
}
