import { hash } from 'node:crypto'
import type { Database } from '../../../src/store/database.ts'

/** Records of the authorization server whose ids are secrets, of which the store has digests. */
type Model = 'AccessToken' | 'AuthorizationCode' | 'RefreshToken' | 'Interaction'

const idOf = (secret: string) => hash('sha256', secret, 'base64url')

/** Lets a code or a token be too old by a second. */
export async function expire(database: Database, model: Model, secret: string): Promise<void> {
  const id = idOf(secret)
  await database.write(async ({ run }) => {
    const [row] = await run<{ payload: string }>(
      'SELECT payload FROM oauth_records WHERE model = $1 AND id = $2',
      [model, id],
    )
    if (!row) throw new Error(`there is no ${model} of that name`)
    const exp = Math.floor(Date.now() / 1_000) - 1
    await run('UPDATE oauth_records SET payload = $1, expires_at = $2 WHERE model = $3 AND id = $4', [
      JSON.stringify({ ...JSON.parse(row.payload), exp }),
      exp * 1_000,
      model,
      id,
    ])
  })
}

/** Every row of every table, as text. */
export function everyRow({ read }: Database): Promise<string[]> {
  return read(async ({ run }) => {
    const found: string[] = []
    const tables = await run<{ name: string }>(`SELECT name FROM sqlite_master WHERE type = 'table'`, [])
    for (const { name } of tables) {
      const rows = await run<Record<string, unknown>>(`SELECT * FROM "${name}"`, [])
      found.push(...rows.map((row) => `${name}: ${JSON.stringify(row)}`))
    }
    return found
  })
}
