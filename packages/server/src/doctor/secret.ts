import { counted } from '@wigwag/contract'
import type { Config } from '../config.ts'
import { fail, ok, type Verdict, warn } from '../domain/finding.ts'
import type { ReadOnlyDatabase } from '../platform/database/database.ts'
import { fileOf } from '../platform/database/open.ts'
import { boxesOf, openWith } from '../platform/secrets/box.ts'
import { readMark } from '../platform/secrets/mark.ts'
import { findSecret, requireUnsealed } from '../platform/secrets/sandbox-secret.ts'
import { sealedValues } from '../platform/secrets/sealed-values.ts'

/** The most values listed. */
const MOST = 20

/** Checks that every sealed value opens, including the keys of the authorization server. */
export function checkSecret(database: ReadOnlyDatabase, config: Config): Promise<Verdict | Verdict[]> {
  const { secret, previousSecret, database: url } = config
  const file = fileOf(url)
  return database.read(async (tx) => {
    const current = secret ?? (await findSecret(tx, file))
    if (current === undefined) {
      await requireUnsealed(tx, file)
      return ok('none yet: the gateway creates one when it starts')
    }
    const boxes = boxesOf(previousSecret === undefined ? [current] : [current, previousSecret])
    await readMark(tx, boxes)
    const values = await sealedValues(tx)
    const opening = values.map(({ sealed, at }) => openWith(boxes, sealed, at)?.box)
    const stuck = values.filter((_, index) => opening[index] === undefined)
    if (stuck.length > 0) {
      return stuck.slice(0, MOST).map(({ place, at }) => fail(`no secret opens ${place.hint(at.key)}`))
    }
    const old = opening.filter((box) => box !== boxes[0]).length
    if (previousSecret === undefined) return ok(`opens everything that is sealed (${values.length})`)
    if (old === 0) return warn('WIGWAG_SECRET_PREVIOUS is not needed any more: remove it from every gateway')
    return warn(
      `${counted(old, 'value is', 'values are')} sealed with WIGWAG_SECRET_PREVIOUS: when every gateway has both secrets, run wigwag secret reseal`,
    )
  })
}
