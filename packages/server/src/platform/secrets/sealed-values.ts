import type { Tx } from '../database/database.ts'
import type { SealedAt } from './box.ts'

/** A column with sealed values. `hint` says what to do about one that no secret opens. */
export interface SealedPlace {
  table: SealedAt['table']
  key: string
  column: string
  where?: string
  hint(key: string): string
}

export interface SealedValue {
  at: SealedAt
  sealed: string
}

/** Everything that is sealed, except the marks of the secret. */
export const SEALED_PLACES: readonly SealedPlace[] = [
  {
    ...{ table: 'keys', key: 'id', column: 'stored', where: "kind = 'callback'" },
    hint: (key) =>
      `the callback secret ${key}: give its account another with wigwag account rotate-callback-secret`,
  },
  {
    ...{ table: 'oauth_keys', key: 'id', column: 'sealed' },
    hint: (key) => `the sign-in key ${key}: delete its row of oauth_keys, and run wigwag keys rotate`,
  },
  {
    ...{ table: 'connectors', key: 'id', column: 'secret' },
    hint: (key) =>
      `the secret of the connector ${key}: wigwag connector remove it, and add its address again`,
  },
  {
    ...{ table: 'settings', key: 'name', column: 'value', where: "name = 'demo'" },
    hint: () => 'the credentials of the demo account: delete the setting demo',
  },
  {
    ...{ table: 'code_generators', key: 'id', column: 'sealed' },
    hint: (key) =>
      `the code generator ${key}: end its operator with wigwag operator end, and add the same name again`,
  },
]

/** A page of the sealed values of one place, in the order of their keys, after one of them. */
export async function sealedPage(
  { run }: Tx,
  { table, key, column, where = '1 = 1' }: SealedPlace,
  { after, most }: { after: string; most: number },
): Promise<SealedValue[]> {
  const rows = await run<{ key: string; sealed: string }>(
    `SELECT ${key} AS key, ${column} AS sealed FROM ${table}
     WHERE ${where} AND ${key} > $1 ORDER BY ${key} LIMIT $2`,
    [after, most],
  )
  return rows.map(({ key, sealed }) => ({ at: { table, key }, sealed }))
}

/** Replaces a sealed value if it is still the one that was read. True if it was. */
export async function replaceSealed(
  { run }: Tx,
  { table, key, column }: SealedPlace,
  { at, sealed }: SealedValue,
  next: string,
): Promise<boolean> {
  const rows = await run(
    `UPDATE ${table} SET ${column} = $1 WHERE ${key} = $2 AND ${column} = $3 RETURNING ${key}`,
    [next, at.key, sealed],
  )
  return rows.length > 0
}

/** All sealed values, each with its place. */
export async function sealedValues(tx: Tx): Promise<(SealedValue & { place: SealedPlace })[]> {
  const found: (SealedValue & { place: SealedPlace })[] = []
  for (const place of SEALED_PLACES) {
    const page = await sealedPage(tx, place, { after: '', most: Number.MAX_SAFE_INTEGER })
    found.push(...page.map((value) => ({ ...value, place })))
  }
  return found
}
