import { randomBytes } from 'node:crypto'
import type { Tx } from '../database/database.ts'
import { claimSetting, readSetting } from '../database/settings.ts'
import { type Box, type Boxes, openWith, type SealedAt } from './box.ts'

/**
 * The mark is a random value, sealed with the secret in force: whether a secret is right, and which one seals, is
 * decided by what opens it. It stays the same when the secret is rotated.
 */
export interface Mark {
  /** Seals what is stored. */
  box: Box
  plain: string
}

/** The place that every mark is sealed for: the current one, and the previous one during a rotation. */
export const MARK: SealedAt = { table: 'settings', key: 'secret_mark' }

/** The gateway's secret is not the one that the database was sealed with. The message says what to do. */
export class WrongSecret extends Error {
  override readonly name = 'WrongSecret'
}

export function wrongSecret(): WrongSecret {
  return new WrongSecret(
    'this database was sealed with another secret than WIGWAG_SECRET (or, in a sandbox without it, the file beside the database): put that secret back, or set WIGWAG_SECRET_PREVIOUS to it to move to the new one',
  )
}

function notFinished(): WrongSecret {
  return new WrongSecret(
    'some values are still sealed with the secret before this one: set WIGWAG_SECRET_PREVIOUS to it, and run wigwag secret reseal to the end',
  )
}

/** The mark of the database; undefined until a secret is bound. Throws {@link WrongSecret}. */
export async function readMark(tx: Tx, boxes: Boxes): Promise<Mark | undefined> {
  const before = await readSetting(tx, 'secret_mark_before')
  const sealed = await readSetting(tx, 'secret_mark')
  if (sealed === undefined) return undefined
  const mark = markIn(boxes, sealed)
  if (before !== undefined && openWith(boxes, before, MARK) === undefined) throw notFinished()
  return mark
}

/**
 * The mark, which this creates where there is none: from then on the database is bound to this secret. Locks the mark until
 * the transaction ends, so that nothing is sealed with a secret that another process is replacing.
 */
export async function bindMark(tx: Tx, boxes: Boxes): Promise<Mark> {
  const known = await lockMark(tx)
  if (known !== undefined) return markIn(boxes, known)
  const plain = randomBytes(32).toString('base64url')
  await claimSetting(tx, 'secret_mark', boxes[0].seal(plain, MARK))
  return bindMark(tx, boxes)
}

/** The sealed mark, locked until the transaction ends. */
export async function lockMark({ run, locks }: Tx): Promise<string | undefined> {
  const [row] = await run<{ value: string }>(
    `SELECT value FROM settings WHERE name = 'secret_mark' ${locks.forUpdate}`,
    [],
  )
  return row?.value
}

function markIn(boxes: Boxes, sealed: string): Mark {
  const found = openWith(boxes, sealed, MARK)
  if (found === undefined) throw wrongSecret()
  return found
}
