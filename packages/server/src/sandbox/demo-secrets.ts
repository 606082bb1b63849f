import {
  type AccountSecrets,
  digestOf,
  type KeyKind,
  type KeyRow,
  type OnRotated,
} from '../accounts/index.ts'
import type { Database } from '../platform/database/database.ts'
import { readSetting, replaceSetting } from '../platform/database/settings.ts'
import type { SealedAt } from '../platform/secrets/box.ts'
import type { Sealer } from '../platform/secrets/sealing.ts'

/** The demo account's credentials, and its password unless an operator has changed it. */
export interface DemoSecrets extends AccountSecrets {
  password?: string
}

/** Where the demo account's credentials are sealed. */
export const DEMO_ROW: SealedAt = { table: 'settings', key: 'demo' }

interface DemoParts {
  database: Database
  sealer: Sealer
}

/** The demo account's credentials as they are now: another process may have replaced one. */
export async function readDemoSecrets({ database, sealer }: DemoParts): Promise<DemoSecrets | undefined> {
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
