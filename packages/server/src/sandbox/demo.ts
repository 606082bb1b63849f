import { randomBytes } from 'node:crypto'
import type { Micros } from '@wigwag/contract'
import { type Accounts, findAccount, listAccounts } from '../accounts/index.ts'
import { sampleRates } from '../domain/money/rates.ts'
import { replaceRates } from '../money/index.ts'
import { findPerson } from '../people/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database } from '../platform/database/database.ts'
import { claimSetting } from '../platform/database/settings.ts'
import type { Sealer } from '../platform/secrets/sealing.ts'
import { type Cost, hasCost, hashPasswordHere } from '../portal/index.ts'
import { DEMO_ROW, type DemoSecrets, readDemoSecrets } from './demo-secrets.ts'

export const DEMO_SENDER = 'WIGWAG'
export const DEMO_EMAIL = 'demo@wigwag.dev'
const SAMPLE_CURRENCIES = ['GHS', 'EUR', 'USD']
/** A low cost, so that the gateway starts quickly. The password is random and long enough not to be guessed. */
const DEMO_COST: Cost = { n: 2 ** 10, r: 8, p: 1 }
/** Crockford's base 32: no letters that look alike, and a random byte picks each one equally often. */
const PASSWORD_LETTERS = '0123456789abcdefghjkmnpqrstvwxyz'
const PASSWORD_LENGTH = 16

export interface DemoOptions {
  database: Database
  clock: Clock
  sealer: Sealer
  operator: Accounts
  balance: Micros
}

/**
 * Gives an empty sandbox a demo account and sample rates. The credentials stay the same across restarts. If several
 * processes start on one empty database, exactly one creates them.
 */
export async function seedDemo(options: DemoOptions): Promise<DemoSecrets | undefined> {
  const { database, clock } = options
  const version = `sample-${clock.now()}`
  await database.write(async (tx) => {
    if (!(await claimSetting(tx, 'rates_version', version))) return
    await replaceRates(tx, SAMPLE_CURRENCIES.flatMap(sampleRates), { sample: true, version })
  })
  return (await knownDemo(options)) ?? (await makeDemo(options)) ?? (await knownDemo(options))
}

/** Undefined when there is any account already. */
async function makeDemo({ sealer, operator, balance }: DemoOptions): Promise<DemoSecrets | undefined> {
  const password = newPassword()
  const passwordHash = hashPasswordHere(password, DEMO_COST)
  const account = { name: 'Demo', email: DEMO_EMAIL, passwordHash, currency: 'GHS', balance }
  try {
    const secrets = await operator.createAccount({ ...account, senders: [DEMO_SENDER] }, async (tx, made) => {
      const sealed = await sealer.seal(tx, JSON.stringify({ ...made, password }), DEMO_ROW)
      const ours = await claimSetting(tx, 'demo', sealed)
      if (!ours || (await listAccounts(tx)).length > 0) throw new NotEmpty()
    })
    return { ...secrets, password }
  } catch (error) {
    if (error instanceof NotEmpty) return undefined
    throw error
  }
}

class NotEmpty extends Error {}

/** The demo account of an earlier start, without its password if an operator has set another one. */
async function knownDemo(options: DemoOptions): Promise<DemoSecrets | undefined> {
  const demo = await readDemoSecrets(options)
  if (demo === undefined) return undefined
  const { password, ...secrets } = demo
  const owner = await options.database.read(async (tx) => {
    const account = await findAccount(tx, secrets.accountId)
    return account && findPerson(tx, account.email)
  })
  return hasCost(owner?.passwordHash ?? '', DEMO_COST) ? demo : secrets
}

function newPassword(): string {
  return Array.from(randomBytes(PASSWORD_LENGTH), (byte) => PASSWORD_LETTERS.charAt(byte % 32)).join('')
}
