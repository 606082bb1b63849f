import { randomBytes } from 'node:crypto'
import type { Clock } from '../clock.ts'
import type { Micros } from '../domain/money.ts'
import { sampleRates } from '../domain/rates.ts'
import { findAccount, listAccounts, setPasswordHash } from '../store/accounts.ts'
import type { Database } from '../store/database.ts'
import { replaceRates } from '../store/rates.ts'
import type { Sealer } from '../store/sealing.ts'
import { claimSetting, readSetting, replaceSetting } from '../store/settings.ts'
import type { AccountSecrets, Operator } from './operator.ts'
import { type Cost, hasCost, hashPassword } from './password.ts'

export const DEMO_SENDER = 'WIGWAG'
export const DEMO_EMAIL = 'demo@wigwag.dev'
const SAMPLE_CURRENCIES = ['GHS', 'EUR', 'USD']
/** The password is random, so nothing is there to guess, and the gateway starts without waiting for its hash. */
const DEMO_COST: Cost = { n: 2 ** 10, r: 8, p: 1 }
/** Crockford's base 32: nothing in it is taken for something else, and a byte chooses evenly. */
const PASSWORD_LETTERS = '0123456789abcdefghjkmnpqrstvwxyz'
const PASSWORD_LENGTH = 16

export interface DemoOptions {
  database: Database
  clock: Clock
  sealer: Sealer
  operator: Operator
  balance: Micros
}

/** The credentials of the demo account, and its password unless an operator has set another one. */
export interface DemoSecrets extends AccountSecrets {
  password?: string
}

/**
 * Gives an empty sandbox an account to try things with, and sample rates. The credentials are made up once and
 * stay the same across restarts. Several processes may start on one empty database: one of them does it.
 */
export async function seedDemo(options: DemoOptions): Promise<DemoSecrets | undefined> {
  const { database, clock } = options
  const version = `sample-${clock.now()}`
  await database.write(async (connection) => {
    if (!(await claimSetting(connection, 'rates_version', version))) return
    await replaceRates(connection, SAMPLE_CURRENCIES.flatMap(sampleRates), { sample: true, version })
  })
  return (await knownDemo(options)) ?? (await makeDemo(options)) ?? (await knownDemo(options))
}

/** Undefined when there is a demo account already, or there are accounts of other people. */
async function makeDemo({ sealer, operator, balance }: DemoOptions): Promise<DemoSecrets | undefined> {
  const password = newPassword()
  const passwordHash = await hashPassword(password, DEMO_COST)
  const account = { name: 'Demo', email: DEMO_EMAIL, passwordHash, currency: 'GHS', balance }
  try {
    const secrets = await operator.createAccount(
      { ...account, senders: [DEMO_SENDER] },
      async (connection, made) => {
        const ours = await claimSetting(
          connection,
          'demo',
          sealer.seal(JSON.stringify({ ...made, password })),
        )
        if (!ours || (await listAccounts(connection)).length > 0) throw new NotEmpty()
      },
    )
    return { ...secrets, password }
  } catch (error) {
    if (error instanceof NotEmpty) return undefined
    throw error
  }
}

class NotEmpty extends Error {}

/** The demo account that was made at an earlier start. Some were made before they had a password, and get one. */
async function knownDemo(options: DemoOptions): Promise<DemoSecrets | undefined> {
  const { database } = options
  const before = await readDemo(options)
  if (!before) return undefined
  const { password, ...secrets } = before.demo
  const account = await database.read((connection) => findAccount(connection, secrets.accountId))
  if (account?.passwordHash === null) return givePassword(options, before.sealed, secrets)
  const ours = account !== undefined && hasCost(account.passwordHash, DEMO_COST)
  if (!ours) return secrets
  // Another gateway that starts at this moment may have given it one between the two looks.
  return password === undefined ? (await readDemo(options))?.demo : before.demo
}

async function readDemo({
  database,
  sealer,
}: DemoOptions): Promise<{ sealed: string; demo: DemoSecrets } | undefined> {
  const sealed = await database.read((connection) => readSetting(connection, 'demo'))
  return sealed === undefined ? undefined : { sealed, demo: readSecrets(sealer.open(sealed)) }
}

async function givePassword(
  options: DemoOptions,
  sealed: string,
  secrets: AccountSecrets,
): Promise<DemoSecrets | undefined> {
  const { database, sealer } = options
  const password = newPassword()
  const passwordHash = await hashPassword(password, DEMO_COST)
  const demo = { ...secrets, password }
  const replaced = { from: sealed, to: sealer.seal(JSON.stringify(demo)) }
  const done = await database.write(async (connection) => {
    if (!(await replaceSetting(connection, 'demo', replaced))) return false
    await setPasswordHash(connection, secrets.accountId, passwordHash)
    return true
  })
  return done ? demo : knownDemo(options)
}

function newPassword(): string {
  return Array.from(randomBytes(PASSWORD_LENGTH), (byte) => PASSWORD_LETTERS.charAt(byte % 32)).join('')
}

function readSecrets(json: string): DemoSecrets {
  return JSON.parse(json) as DemoSecrets
}
