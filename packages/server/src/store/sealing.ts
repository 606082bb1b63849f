import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** Keeps what must be read again, such as signing secrets, unreadable to whoever only has the database. */
export interface Sealer {
  seal(plain: string): string
  open(sealed: string): string
  /** A key for another purpose, made from the same secret. */
  keyFor(purpose: string): string
}

/** What is sealed does not open with the secret that there is. */
export class WrongSecret extends Error {
  override readonly name = 'WrongSecret'
}

const NONCE = 12
const TAG = 16

/** Authenticated encryption under a key made from the installation's secret. Former secrets still open. */
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
          'a sealed value does not open: WIGWAG_SECRET, or in a sandbox the file beside the database, is not the secret ' +
            'that it was sealed with',
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

/** Undefined when another key sealed it. */
function opened(bytes: Buffer, key: Uint8Array): string | undefined {
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE))
  decipher.setAuthTag(bytes.subarray(NONCE, NONCE + TAG))
  try {
    return decipher.update(bytes.subarray(NONCE + TAG), undefined, 'utf8') + decipher.final('utf8')
  } catch {
    return undefined
  }
}
