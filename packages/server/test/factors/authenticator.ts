import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import type { Site } from '../../src/sign-in/factors/index.ts'

/** Fields of an answer that differ from an honest browser's. */
export interface Lies {
  challenge?: string
  origin?: string
  /** Whose digest is signed as the site. */
  rpId?: string
  type?: string
  /** Whether a frame of another site asked. */
  crossOrigin?: boolean
  /** Present, verified: 5 is both. */
  flags?: number
  counter?: number
  /** The credential that the answer names. */
  id?: string
  /** Changes what was signed after it was signed. */
  forged?: boolean
}

/** A passkey of a browser, on a P-256 key. */
export interface Authenticator {
  id: string
  /** Answers the options of a registration. */
  create(options: { challenge: string }, site: Site, lies?: Lies): string
  /** Answers the options of a sign-in. */
  get(options: { challenge: string }, site: Site, lies?: Lies): string
}

const PRESENT_AND_VERIFIED = 5
const HAS_CREDENTIAL = 0x40

export function createAuthenticator(): Authenticator {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const rawId = randomBytes(16)
  const id = rawId.toString('base64url')
  let counter = 0

  function authData(site: Site, lies: Lies, more = 0): Buffer {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(lies.counter ?? counter)
    const flags = Buffer.from([(lies.flags ?? PRESENT_AND_VERIFIED) | more])
    return Buffer.concat([sha256(lies.rpId ?? site.id), flags, count])
  }

  return {
    id,
    create(options, site, lies = {}) {
      const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
      const key = Buffer.concat([
        Buffer.from('a50102032620012158', 'hex'),
        Buffer.from([32]),
        Buffer.from(x, 'base64url'),
        Buffer.from('225820', 'hex'),
        Buffer.from(y, 'base64url'),
      ])
      const length = Buffer.from([0, rawId.length])
      const data = Buffer.concat([authData(site, lies, HAS_CREDENTIAL), Buffer.alloc(16), length, rawId, key])
      const size = Buffer.alloc(2)
      size.writeUInt16BE(data.length)
      const attestation = Buffer.concat([
        Buffer.from([0xa3]),
        word('fmt'),
        word('none'),
        word('attStmt'),
        Buffer.from([0xa0]),
        word('authData'),
        Buffer.from([0x59]),
        size,
        data,
      ])
      return answer(lies.id ?? id, {
        clientDataJSON: clientData('webauthn.create', options, site, lies).toString('base64url'),
        attestationObject: attestation.toString('base64url'),
      })
    },
    get(options, site, lies = {}) {
      counter += 1
      const client = clientData('webauthn.get', options, site, lies)
      const data = authData(site, lies)
      const signature = sign('sha256', Buffer.concat([data, createHash('sha256').update(client).digest()]), {
        key: privateKey,
        dsaEncoding: 'der',
      })
      const sent = lies.forged ? Buffer.concat([data.subarray(0, -1), Buffer.from([200])]) : data
      return answer(lies.id ?? id, {
        clientDataJSON: client.toString('base64url'),
        authenticatorData: sent.toString('base64url'),
        signature: signature.toString('base64url'),
      })
    },
  }
}

function clientData(type: string, { challenge }: { challenge: string }, site: Site, lies: Lies): Buffer {
  const { crossOrigin = false, origin = site.origin } = lies
  const said = { type: lies.type ?? type, challenge: lies.challenge ?? challenge }
  return Buffer.from(JSON.stringify({ ...said, origin, crossOrigin }))
}

function answer(id: string, response: Record<string, string>): string {
  return JSON.stringify({ id, rawId: id, type: 'public-key', clientExtensionResults: {}, response })
}

/** A short text in CBOR. */
function word(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)])
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
