import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { eq } from 'drizzle-orm'
import type { Tx } from '../database/database.ts'
import { readSetting } from '../database/settings.ts'

/** Encrypts values that must be read again, such as signing secrets. The database alone does not reveal them. */
export interface Sealer {
  seal(plain: string): string
  open(sealed: string): string
  /** A key for another purpose, derived from the same secret. */
  keyFor(purpose: string): string
}

/** Sealed values do not open with the current secret. */
export class WrongSecret extends Error {
  override readonly name = 'WrongSecret'
}

const NONCE = 12
const TAG = 16

/** Authenticated encryption with a key derived from the installation's secret. Former secrets still open old values. */
export function createSealer(secret: string, ...former: string[]): Sealer {
  const key = keyOf(secret, 'sealing')
  const keys = [key, ...former.map((each) => keyOf(each, 'sealing'))]
  return {
    seal(plain) {
      const nonce = randomBytes(NONCE)
      const cipher = createCipheriv('aes-256-gcm', key, nonce)
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
      return `v1.${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')}`
    },
    open(sealed) {
      const bytes = Buffer.from(sealed.replace(/^v1\./, ''), 'base64url')
      const plain = keys.map((each) => opened(bytes, each)).find((text) => text !== undefined)
      if (plain === undefined) {
        throw new WrongSecret(
          'a sealed value does not open: WIGWAG_SECRET, or in a sandbox the file next to the database, is not the ' +
            'secret that it was sealed with',
        )
      }
      return plain
    },
    keyFor: (purpose) => Buffer.from(keyOf(secret, purpose)).toString('base64url'),
  }
}

function keyOf(secret: string, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, 'wigwag', purpose, 32))
}

/** The opened value; undefined when it was sealed with another key. */
function opened(bytes: Buffer, key: Uint8Array): string | undefined {
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE))
  decipher.setAuthTag(bytes.subarray(NONCE, NONCE + TAG))
  try {
    return decipher.update(bytes.subarray(NONCE + TAG), undefined, 'utf8') + decipher.final('utf8')
  } catch {
    return undefined
  }
}

/** All sealed values in the database. */
export async function sealedValues(tx: Tx): Promise<string[]> {
  const { db, t } = tx
  const callbackKeys = await db
    .select({ sealed: t.keys.stored })
    .from(t.keys)
    .where(eq(t.keys.kind, 'callback'))
  const oauthKeys = await db.select({ sealed: t.oauthKeys.sealed }).from(t.oauthKeys)
  const connectors = await db.select({ sealed: t.connectors.secret }).from(t.connectors)
  const demo = await readSetting(tx, 'demo')
  const sealed = [...callbackKeys, ...oauthKeys, ...connectors].map((row) => row.sealed)
  return demo === undefined ? sealed : [...sealed, demo]
}
