import { hkdfSync } from 'node:crypto'
import type { Tx } from '../database/database.ts'
import { type Boxes, openWith, type SealedAt } from './box.ts'
import { bindMark, type Mark, wrongSecret } from './mark.ts'

/** Encrypts values that must be read again, such as signing secrets. The database alone does not reveal them. */
export interface Sealer {
  /** Seals a value for one row, in the transaction that stores it, with the secret that is in force there. */
  seal(tx: Tx, plain: string, at: SealedAt): Promise<string>
  open(sealed: string, at: SealedAt): string
}

/** A key for another purpose. It is the same in all gateways on a database, and stays when the secret is rotated. */
export type KeyFor = (purpose: string) => string

export function createSealer(boxes: Boxes): Sealer {
  return {
    seal: async (tx, plain, at) => (await bindMark(tx, boxes)).box.seal(plain, at),
    open(sealed, at) {
      const found = openWith(boxes, sealed, at)
      if (found === undefined) throw wrongSecret()
      return found.plain
    },
  }
}

export function createKeyFor({ plain }: Pick<Mark, 'plain'>): KeyFor {
  return (purpose) => Buffer.from(hkdfSync('sha256', plain, 'wigwag', purpose, 32)).toString('base64url')
}
