import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import type { Database, Tx } from '../database.ts'
import { claimSetting, readSetting, writeSetting } from '../settings.ts'
import { WrongSecret } from './sealing.ts'

/** The storage of a sandbox's secret. */
interface Keeping {
  find(tx: Tx): Promise<string | undefined>
  /** Whether this transaction should create the secret. True for exactly one of several concurrent processes. */
  claim(tx: Tx): Promise<boolean>
  keep(tx: Tx, text: string): Promise<void>
  /** Advice for the operator when the secret is missing. */
  hint: string
}

/** The path of the file with the secret of an SQLite database. */
export function secretFileOf(file: string): string {
  return `${file}.secret`
}

/**
 * The secret of a sandbox whose operator has set none. The first process to ask creates it: in a file next to an SQLite
 * database, else in a row, because gateways on several machines may share a PostgreSQL database.
 */
export async function sandboxSecret(
  database: Database,
  file: string | undefined,
  newSecret: () => string,
): Promise<string> {
  const found = await database.read((tx) => findSecret(tx, file))
  if (found !== undefined) return found
  const keeping = keepingFor(file)
  const made = await database.write(async (tx) => {
    if (!(await keeping.claim(tx))) return undefined
    await requireUnsealed(tx, file)
    const secret = newSecret()
    await keeping.keep(tx, `${secret}\n`)
    return secret
  })
  return made ?? sandboxSecret(database, file, newSecret)
}

/** The secret of a sandbox; undefined when none was created. */
export async function findSecret(tx: Tx, file: string | undefined): Promise<string | undefined> {
  const { find, hint } = keepingFor(file)
  const secret = (await find(tx))?.trim()
  if (secret === '') throw new WrongSecret(`the secret of this database is empty: ${hint}`)
  return secret
}

/** Throws {@link WrongSecret} when values were sealed with a secret that is not there any more. */
export async function requireUnsealed(tx: Tx, file: string | undefined): Promise<void> {
  if ((await readSetting(tx, 'secret_mark')) === undefined) return
  throw new WrongSecret(
    `the sealed values in this database do not open without its secret: ${keepingFor(file).hint}`,
  )
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

/** SQLite runs one write transaction at a time, so no other process creates the secret meanwhile. */
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
