import type { Config } from '../config.ts'
import type { Connection, ReadOnlyDatabase } from '../store/database.ts'
import { fileOf } from '../store/open.ts'
import { findSecrets, formerSecrets } from '../store/sandbox-secret.ts'
import { sealedValues } from '../store/sealed-values.ts'
import { createSealer } from '../store/sealing.ts'
import { ok, type Verdict, warn } from './finding.ts'

/** Whether everything that is sealed opens, the keys of the authorization server among it. */
export function checkSecret(database: ReadOnlyDatabase, { secret, database: url }: Config): Promise<Verdict> {
  const file = fileOf(url)
  return database.read(async (connection) => {
    const secrets = secret === undefined ? await findSecrets(connection, file) : ([secret] as const)
    if (!secrets) return withoutSecret(connection, file)
    const { open } = createSealer(...secrets)
    const sealed = await sealedValues(connection)
    sealed.forEach(open)
    return ok(`opens everything that is sealed (${sealed.length})`)
  })
}

async function withoutSecret(connection: Connection, file: string | undefined): Promise<Verdict> {
  const former = await formerSecrets(connection, file)
  return former.length === 0
    ? ok('none yet: the gateway makes one when it starts')
    : warn('the one of earlier versions, which is published: the gateway makes another when it starts')
}
