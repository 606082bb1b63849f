import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import type { Database, Tx } from '../database/database.ts'
import { claimSetting, readSetting, writeSetting } from '../database/settings.ts'
import { createBox } from './box.ts'
import { WrongSecret } from './mark.ts'
import { sealedValues } from './sealed-values.ts'

/** The first one seals. The others only open values that were sealed with them. */
export type Secrets = readonly [seals: string, ...opens: string[]]

/** The secret of every sandbox before each had a separate one. It is public, so it only opens old values. */
const PUBLISHED = 'the sandbox has no secrets'

/** The storage of a sandbox's secrets, one per line. */
interface Keeping {
  find(tx: Tx): Promise<string | undefined>
  /** Whether this transaction should create the secrets. True for exactly one of several concurrent processes. */
  claim(tx: Tx): Promise<boolean>
  keep(tx: Tx, text: string): Promise<void>
  /** How the operator can fix missing secrets. */
  hint: string
}

/** The path of the secrets file of an SQLite database. */
export function secretFileOf(file: string): string {
  return `${file}.secret`
}

/**
 * The secrets of a sandbox whose operator has set none. The first process to ask creates them: in a file next to an
 * SQLite database, else in a row, because gateways on several machines may share a PostgreSQL database.
 */
export async function sandboxSecrets(
  database: Database,
  file: string | undefined,
  newSecret: () => string,
): Promise<Secrets> {
  const found = await database.read((tx) => findSecrets(tx, file))
  if (found) return found
  const keeping = keepingFor(file)
  const made = await database.write(async (tx) => {
    if (!(await keeping.claim(tx))) return undefined
    const secrets: Secrets = [newSecret(), ...(await formerSecrets(tx, file))]
    await keeping.keep(tx, `${secrets.join('\n')}\n`)
    return secrets
  })
  return made ?? sandboxSecrets(database, file, newSecret)
}

/** The secrets of a sandbox; undefined when none were created. */
export async function findSecrets(tx: Tx, file: string | undefined): Promise<Secrets | undefined> {
  const { find, hint } = keepingFor(file)
  const text = await find(tx)
  if (text === undefined) return undefined
  const [seals, ...opens] = text.split('\n').filter((line) => line !== '')
  if (seals === undefined) throw new WrongSecret(`the secret of this database is empty: ${hint}`)
  return [seals, ...opens]
}

/** The published secret, if the database holds values sealed before it had secrets; else empty. */
export async function formerSecrets(tx: Tx, file: string | undefined): Promise<string[]> {
  const marked = (await readSetting(tx, 'secret_mark')) !== undefined
  const values = await sealedValues(tx)
  if (!marked && values.length === 0) return []
  const { open } = createBox(PUBLISHED)
  if (!marked && values.every(({ sealed, at }) => open(sealed, at) !== undefined)) return [PUBLISHED]
  const { hint } = keepingFor(file)
  throw new WrongSecret(`the sealed values in this database do not open without its secret: ${hint}`)
}

function keepingFor(file: string | undefined): Keeping {
  return file === undefined ? IN_A_ROW : inFile(secretFileOf(file))
}

const IN_A_ROW: Keeping = {
  find: (tx) => readSetting(tx, 'sandbox_secret'),
  claim: (tx) => claimSetting(tx, 'sandbox_secret', ''),
  keep: (tx, text) => writeSetting(tx, 'sandbox_secret', text),
  hint: 'set WIGWAG_SECRET to the one that it was created with',
}

/** SQLite runs one write transaction at a time, so no other process creates the secrets meanwhile. */
function inFile(path: string): Keeping {
  return {
    async find() {
      return existsSync(path) ? readFileSync(path, 'utf8') : undefined
    },
    claim: async () => !existsSync(path),
    async keep(_, text) {
      const draft = `${path}.new`
      const handle = openSync(draft, 'w', 0o600)
      writeSync(handle, text)
      fsyncSync(handle)
      closeSync(handle)
      renameSync(draft, path)
    },
    hint: `put ${path} back, or set WIGWAG_SECRET to the one that it was created with`,
  }
}
