import type { Database, Tx } from '../database.ts'
import { removeSetting, writeSetting } from '../settings.ts'
import { type Boxes, bindMark, lockMark, MARK, openWith, type SealedAt } from './sealing.ts'

export interface Resealed {
  /** How many values are sealed with the secret now. */
  total: number
  /** How many of them this call has sealed again. */
  resealed: number
  /** Advice for each value that no secret opens. */
  stuck: readonly string[]
}

/** How many values one transaction seals: gateways wait for it. */
const AT_ONCE = 200

/**
 * Seals everything with the first of the secrets. From its first transaction on, all processes seal with it; then what
 * is there follows, in slices. May be killed and run again at any moment.
 */
export async function reseal(database: Database, boxes: Boxes): Promise<Resealed> {
  await database.write((tx) => putInForce(tx, boxes))
  const done = { total: 0, resealed: 0, stuck: [] as string[] }
  for (const place of SEALED_PLACES) {
    let after: string | undefined = ''
    while (after !== undefined) {
      const slice = await resealSlice(database, boxes, place, after)
      done.total += slice.total
      done.resealed += slice.resealed
      done.stuck.push(...slice.stuck)
      after = slice.last
    }
  }
  await database.write((tx) => removeSetting(tx, 'secret_mark_before'))
  return done
}

/** Seals the mark with the first secret. The mark as it was stays beside it until everything is sealed again. */
async function putInForce(tx: Tx, boxes: Boxes): Promise<void> {
  const { box, plain } = await bindMark(tx, boxes)
  const before = await lockMark(tx)
  if (box === boxes[0] || before === undefined) return
  await writeSetting(tx, 'secret_mark_before', before)
  await writeSetting(tx, 'secret_mark', boxes[0].seal(plain, MARK))
}

function resealSlice(database: Database, boxes: Boxes, place: SealedPlace, after: string) {
  return database.write(async (tx) => {
    const page = await sealedPage(tx, place, { after, most: AT_ONCE })
    const slice = { total: 0, resealed: 0, stuck: [] as string[], last: page.at(-1)?.at.key }
    for (const value of page) {
      const found = openWith(boxes, value.sealed, value.at)
      if (found === undefined) slice.stuck.push(place.hint(value.at.key))
      else slice.total++
      if (found === undefined || found.box === boxes[0]) continue
      if (await replaceSealed(tx, place, value, boxes[0].seal(found.plain, value.at))) slice.resealed++
    }
    return slice
  })
}

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
const SEALED_PLACES: readonly SealedPlace[] = [
  {
    table: 'keys',
    key: 'id',
    column: 'stored',
    where: "kind = 'callback'",
    hint: (key) =>
      `the callback secret ${key}: give its account another with wigwag account rotate-callback-secret`,
  },
  {
    table: 'oauth_keys',
    key: 'id',
    column: 'sealed',
    hint: (key) => `the sign-in key ${key}: delete its row of oauth_keys, and run wigwag keys rotate`,
  },
  {
    table: 'connectors',
    key: 'id',
    column: 'secret',
    hint: (key) =>
      `the secret of the connector ${key}: wigwag connector remove it, and add its address again`,
  },
  {
    table: 'settings',
    key: 'name',
    column: 'value',
    where: "name = 'demo'",
    hint: () => 'the credentials of the demo account: delete the setting demo',
  },
  {
    table: 'code_generators',
    key: 'id',
    column: 'sealed',
    hint: (key) =>
      `the code generator ${key}: end its operator with wigwag operator end, and add the same name again`,
  },
]

/** A page of the sealed values of one place, in the order of their keys, after one of them. */
async function sealedPage(
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
async function replaceSealed(
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
