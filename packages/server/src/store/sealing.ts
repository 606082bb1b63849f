import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** Keeps what must be read again, such as signing secrets, unreadable to whoever only has the database. */
export interface Sealer {
  seal(plain: string): string
  open(sealed: string): string
}

const NONCE = 12
const TAG = 16

/** Authenticated encryption under a key made from the installation's secret. */
export function createSealer(secret: string): Sealer {
  const key = new Uint8Array(hkdfSync('sha256', secret, 'wigwag', 'sealing', 32))
  return {
    seal(plain) {
      const nonce = randomBytes(NONCE)
      const cipher = createCipheriv('aes-256-gcm', key, nonce)
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
      return `v1.${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')}`
    },
    open(sealed) {
      const bytes = Buffer.from(sealed.replace(/^v1\./, ''), 'base64url')
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE))
      decipher.setAuthTag(bytes.subarray(NONCE, NONCE + TAG))
      try {
        return decipher.update(bytes.subarray(NONCE + TAG), undefined, 'utf8') + decipher.final('utf8')
      } catch (error) {
        throw new Error(
          'a sealed value does not open: is WIGWAG_SECRET the one that this database was made with?',
          {
            cause: error,
          },
        )
      }
    },
  }
}
