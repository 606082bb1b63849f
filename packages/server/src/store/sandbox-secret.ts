import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import type { Connection, Database } from './database.ts'
import { sealedValues } from './sealed-values.ts'
import { createSealer, WrongSecret } from './sealing.ts'
import { claimSetting, readSetting, writeSetting } from './settings.ts'

/** The first one seals; the others only open what was sealed with them. */
export type Secrets = readonly [seals: string, ...opens: string[]]

/** What every sandbox sealed with before each had a secret. It was published, so nothing new is sealed with it. */
const PUBLISHED = 'the sandbox has no secrets'

/** Where the secrets of a sandbox are kept, one a line. */
interface Keeping {
  find(connection: Connection): Promise<string | undefined>
  /** Whether they are to be made in this transaction. Of several processes at once, exactly one is told so. */
  claim(connection: Connection): Promise<boolean>
  keep(connection: Connection, text: string): Promise<void>
  /** What an operator can do when they are missing. */
  hint: string
}

/** Where the secrets of an SQLite file are kept. */
export function secretFileOf(file: string): string {
  return `${file}.secret`
}

/**
 * The secrets of a sandbox whose operator has named none; the first process to ask makes them. They are kept in a file
 * beside an SQLite database, and in a row of any other: gateways on several machines share a PostgreSQL.
 */
export async function sandboxSecrets(
  database: Database,
  file: string | undefined,
  newSecret: () => string,
): Promise<Secrets> {
  const found = await database.read((connection) => findSecrets(connection, file))
  if (found) return found
  const keeping = keepingFor(file)
  const made = await database.write(async (connection) => {
    if (!(await keeping.claim(connection))) return undefined
    const secrets: Secrets = [newSecret(), ...(await formerSecrets(connection, file))]
    await keeping.keep(connection, `${secrets.join('\n')}\n`)
    return secrets
  })
  return made ?? sandboxSecrets(database, file, newSecret)
}

/** The secrets that a sandbox has; undefined when none were made for it. */
export async function findSecrets(
  connection: Connection,
  file: string | undefined,
): Promise<Secrets | undefined> {
  const { find, hint } = keepingFor(file)
  const text = await find(connection)
  if (text === undefined) return undefined
  const [seals, ...opens] = text.split('\n').filter((line) => line !== '')
  if (seals === undefined) throw new WrongSecret(`the secret of this database is empty: ${hint}`)
  return [seals, ...opens]
}

/** What a database was sealed with before it had secrets: nothing, when it holds nothing sealed. */
export async function formerSecrets(connection: Connection, file: string | undefined): Promise<string[]> {
  const sealed = await sealedValues(connection)
  if (sealed.length === 0) return []
  const { open } = createSealer(PUBLISHED)
  try {
    sealed.forEach(open)
    return [PUBLISHED]
  } catch (cause) {
    const { hint } = keepingFor(file)
    throw new WrongSecret(`what this database has sealed does not open without its secret: ${hint}`, {
      cause,
    })
  }
}

function keepingFor(file: string | undefined): Keeping {
  return file === undefined ? IN_A_ROW : inFile(secretFileOf(file))
}

const IN_A_ROW: Keeping = {
  find: (connection) => readSetting(connection, 'sandbox_secret'),
  claim: (connection) => claimSetting(connection, 'sandbox_secret', ''),
  keep: (connection, text) => writeSetting(connection, 'sandbox_secret', text),
  hint: 'set WIGWAG_SECRET to the one that it was made with',
}

/** A transaction on SQLite is alone, so what it finds missing is made by no one else. */
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
    hint: `put ${path} back, or set WIGWAG_SECRET to the one that it was made with`,
  }
}
