import type { Database, Tx } from '../database/database.ts'
import { removeSetting, writeSetting } from '../database/settings.ts'
import { type Boxes, openWith } from './box.ts'
import { bindMark, lockMark, MARK } from './mark.ts'
import { replaceSealed, SEALED_PLACES, type SealedPlace, sealedPage } from './sealed-values.ts'

export interface Resealed {
  /** How many values are sealed with the secret now. */
  total: number
  /** How many of them this call has sealed again. */
  resealed: number
  /** What to do about each value that no secret opens. */
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
