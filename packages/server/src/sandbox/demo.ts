import { randomBytes } from 'node:crypto'
import type { Micros } from '@wigwag/contract'
import {
  type AccountSecrets,
  type Accounts,
  digestOf,
  type KeyKind,
  type KeyRow,
  listAccounts,
  type OnRotated,
} from '../accounts/index.ts'
import { findPerson } from '../accounts/people/index.ts'
import { sampleRates } from '../kernel/money/rates.ts'
import type { Clock } from '../kernel/process/clock.ts'
import { replaceRates } from '../money/index.ts'
import { type Cost, hasCost, hashPasswordHere } from '../sign-in/portal/index.ts'
import type { Database } from '../store/database.ts'
import type { SealedAt, Sealer } from '../store/secrets/sealing.ts'
import { claimSetting, readSetting, replaceSetting } from '../store/settings.ts'

export const DEMO_SENDER = 'WIGWAG'
export const DEMO_EMAIL = 'demo@wigwag.dev'
const SAMPLE_CURRENCIES = ['GHS', 'EUR', 'USD']
/** A low cost, so that the gateway starts quickly. The password is random and long enough not to be guessed. */
const DEMO_COST: Cost = { n: 2 ** 10, r: 8, p: 1 }
/** Crockford's base 32: no letters that look alike, and a random byte picks each one equally often. */
const PASSWORD_LETTERS = '0123456789abcdefghjkmnpqrstvwxyz'
const PASSWORD_LENGTH = 16

/** The demo account's credentials, and its password unless an operator has changed it. */
export interface DemoSecrets extends AccountSecrets {
  password?: string
}

/** Where the demo account's credentials are sealed. */
const DEMO_ROW: SealedAt = { table: 'settings', key: 'demo' }

/** A demo account is made from these. */
interface Demo {
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
export async function seedDemo(parts: Demo): Promise<DemoSecrets | undefined> {
  const { database, clock } = parts
  const version = `sample-${clock.now()}`
  await database.write(async (tx) => {
    if (!(await claimSetting(tx, 'rates_version', version))) return
    await replaceRates(tx, SAMPLE_CURRENCIES.flatMap(sampleRates), { sample: true, version })
  })
  return (await knownDemo(parts)) ?? (await makeDemo(parts)) ?? (await knownDemo(parts))
}

/** Undefined when there is any account already. */
async function makeDemo({ sealer, operator, balance }: Demo): Promise<DemoSecrets | undefined> {
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
async function knownDemo(parts: Demo): Promise<DemoSecrets | undefined> {
  const demo = await readDemoSecrets(parts)
  if (demo === undefined) return undefined
  const { password, ...secrets } = demo
  // By the address that they sign in with: the account's own may have been changed.
  const owner = await parts.database.read((tx) => findPerson(tx, DEMO_EMAIL))
  return hasCost(owner?.passwordHash ?? '', DEMO_COST) ? demo : secrets
}

function newPassword(): string {
  return Array.from(randomBytes(PASSWORD_LENGTH), (byte) => PASSWORD_LETTERS.charAt(byte % 32)).join('')
}

/** The demo account's credentials as they are now: another process may have replaced one. */
export async function readDemoSecrets({
  database,
  sealer,
}: Pick<Demo, 'database' | 'sealer'>): Promise<DemoSecrets | undefined> {
  const sealed = await database.read((tx) => readSetting(tx, 'demo'))
  return sealed === undefined ? undefined : parsed(sealer.open(sealed, DEMO_ROW))
}

const FIELD = {
  client: 'clientSecret',
  wallet: 'walletToken',
  callback: 'callbackSecret',
} as const satisfies Record<KeyKind, keyof AccountSecrets>

/** Keeps the demo account's stored credentials true while its keys are replaced. */
export function followDemo(sealer: Sealer): OnRotated {
  return async (tx, replaced, secret) => {
    const sealed = await readSetting(tx, 'demo')
    if (sealed === undefined) return
    const demo = parsed(sealer.open(sealed, DEMO_ROW))
    const field = FIELD[replaced.kind]
    if (demo.accountId !== replaced.accountId || !isOf(replaced, demo[field], sealer)) return
    const to = await sealer.seal(tx, JSON.stringify({ ...demo, [field]: secret }), DEMO_ROW)
    if (!(await replaceSetting(tx, 'demo', { from: sealed, to })))
      throw new Error("the demo account's credentials changed while a key of theirs was replaced")
  }
}

function isOf({ id, kind, stored }: KeyRow, secret: string, sealer: Sealer): boolean {
  return kind === 'callback'
    ? sealer.open(stored, { table: 'keys', key: id }) === secret
    : stored === digestOf(secret)
}

function parsed(json: string): DemoSecrets {
  return JSON.parse(json) as DemoSecrets
}
