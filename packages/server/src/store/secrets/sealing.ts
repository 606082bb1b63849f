import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import type { Tx } from '../database.ts'
import { claimSetting, readSetting } from '../settings.ts'

/** The row that holds a sealed value. */
export interface SealedAt {
  table: 'keys' | 'oauth_keys' | 'connectors' | 'settings' | 'code_generators'
  key: string
}

const NONCE = 12
const TAG = 16

/** Authenticated encryption with a key derived from one secret. A value opens only in the row that it was sealed for. */
export class Box {
  /** Names the secret without telling it. */
  readonly name: string
  readonly #key: Uint8Array

  constructor(secret: string) {
    this.#key = new Uint8Array(hkdfSync('sha256', secret, 'wigwag', 'sealing', 32))
    this.name = Buffer.from(hkdfSync('sha256', secret, 'wigwag', 'naming', 9)).toString('base64url')
  }

  seal(plain: string, at: SealedAt): string {
    const nonce = randomBytes(NONCE)
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce)
    cipher.setAAD(nameOf(at))
    const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
    return `v1.${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')}`
  }

  /** The plain text; undefined when it was sealed with another secret, or for another row. */
  open(sealed: string, at: SealedAt): string | undefined {
    const bytes = Buffer.from(sealed.replace(/^v1\./, ''), 'base64url')
    if (bytes.length < NONCE + TAG) return undefined
    const decipher = createDecipheriv('aes-256-gcm', this.#key, bytes.subarray(0, NONCE))
    decipher.setAAD(nameOf(at))
    decipher.setAuthTag(bytes.subarray(NONCE, NONCE + TAG))
    try {
      return decipher.update(bytes.subarray(NONCE + TAG), undefined, 'utf8') + decipher.final('utf8')
    } catch {
      return undefined
    }
  }
}

function nameOf({ table, key }: SealedAt): Buffer {
  return Buffer.from(`${table}/${key}`)
}

/** The secrets of an installation as boxes: the first is the current one, the others open what they sealed. */
export type Boxes = readonly [Box, ...Box[]]

export function boxesOf([first, ...others]: readonly [string, ...string[]]): Boxes {
  return [new Box(first), ...others.map((other) => new Box(other))]
}

/** The box that opens a value, and what was in it. */
export function openWith(
  boxes: readonly Box[],
  sealed: string,
  at: SealedAt,
): { box: Box; plain: string } | undefined {
  for (const box of boxes) {
    const plain = box.open(sealed, at)
    if (plain !== undefined) return { box, plain }
  }
  return undefined
}

/** Encrypts values that must be read again, such as signing secrets. The database alone does not reveal them. */
export interface Sealer {
  /** Seals a value for one row, in the transaction that stores it, with the secret that is in force there. */
  seal(tx: Tx, plain: string, at: SealedAt): Promise<string>
  open(sealed: string, at: SealedAt): string
}

/** Seals with the secrets of the installation, the first of which is the current one. */
export class BoxSealer implements Sealer {
  readonly #boxes: Boxes

  constructor(boxes: Boxes) {
    this.#boxes = boxes
  }

  async seal(tx: Tx, plain: string, at: SealedAt): Promise<string> {
    return (await bindMark(tx, this.#boxes)).box.seal(plain, at)
  }

  open(sealed: string, at: SealedAt): string {
    const found = openWith(this.#boxes, sealed, at)
    if (found === undefined) throw wrongSecret()
    return found.plain
  }
}

/** A key for another purpose. It is the same in all gateways on a database, and stays when the secret is rotated. */
export type KeyFor = (purpose: string) => string

export function keyOf({ plain }: Pick<Mark, 'plain'>, purpose: string): string {
  return Buffer.from(hkdfSync('sha256', plain, 'wigwag', purpose, 32)).toString('base64url')
}

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

function wrongSecret(): WrongSecret {
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
