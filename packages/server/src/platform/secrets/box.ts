import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** The row that holds a sealed value. */
export interface SealedAt {
  table: 'keys' | 'oauth_keys' | 'connectors' | 'settings' | 'code_generators'
  key: string
}

/** Authenticated encryption with a key derived from one secret. A value opens only in the row that it was sealed for. */
export interface Box {
  /** Names the secret without telling it. */
  readonly name: string
  seal(plain: string, at: SealedAt): string
  /** The plain text; undefined when it was sealed with another secret, or for another row. */
  open(sealed: string, at: SealedAt): string | undefined
}

const NONCE = 12
const TAG = 16

export function createBox(secret: string): Box {
  const key = new Uint8Array(hkdfSync('sha256', secret, 'wigwag', 'sealing', 32))
  return {
    name: Buffer.from(hkdfSync('sha256', secret, 'wigwag', 'naming', 9)).toString('base64url'),
    seal(plain, at) {
      const nonce = randomBytes(NONCE)
      const cipher = createCipheriv('aes-256-gcm', key, nonce)
      cipher.setAAD(nameOf(at))
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
      return `v1.${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')}`
    },
    open(sealed, at) {
      const bytes = Buffer.from(sealed.replace(/^v1\./, ''), 'base64url')
      if (bytes.length < NONCE + TAG) return undefined
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE))
      decipher.setAAD(nameOf(at))
      decipher.setAuthTag(bytes.subarray(NONCE, NONCE + TAG))
      try {
        return decipher.update(bytes.subarray(NONCE + TAG), undefined, 'utf8') + decipher.final('utf8')
      } catch {
        return undefined
      }
    },
  }
}

function nameOf({ table, key }: SealedAt): Buffer {
  return Buffer.from(`${table}/${key}`)
}

/** The secrets of an installation as boxes: the first is the current one, the others open what they sealed. */
export type Boxes = readonly [Box, ...Box[]]

export function boxesOf([first, ...others]: readonly [string, ...string[]]): Boxes {
  return [createBox(first), ...others.map(createBox)]
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
