import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import { eq } from 'drizzle-orm'
import type { EpochMs } from '../domain/ids.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database, Tx } from '../platform/database/database.ts'
import { insertRows } from '../platform/database/rows.ts'
import { loadedOnce } from '../platform/loaded-once.ts'
import { type ChallengeUse, issueChallenge, takeChallenge } from './challenges.ts'
import { isOf, type Owner } from './owner.ts'
import type { Site } from './site.ts'

/** A passkey that was just made. It is not stored yet. */
export interface NewPasskey {
  id: string
  publicKey: string
  counter: number
}

/** Registers passkeys and checks what they sign. A passkey always asks its person: user verification is required. */
export interface Passkeys {
  /** What a browser needs to make one. */
  creation(owner: Owner, name: string, site: Site): Promise<PublicKeyCredentialCreationOptionsJSON>
  /** Reads what the browser made; undefined when it is not for that challenge, owner and site. */
  created(owner: Owner, answer: string, site: Site): Promise<NewPasskey | undefined>
  /** What a browser needs to use one. An owner without an id is anybody of the kind. */
  request(asked: ChallengeUse, site: Site): Promise<PublicKeyCredentialRequestOptionsJSON>
  /** Whose passkey signed; undefined when it is nobody's, or not for that challenge and site. */
  signed(asked: ChallengeUse, answer: string, site: Site): Promise<Owner | undefined>
}

/** Elliptic curves and RSA with SHA-256: what browsers and their machines have. */
const ALGORITHMS = [-7, -8, -257]
const LONGEST_ANSWER = 16 * 1_024
/** The form of a challenge and of the id of a passkey, in base64url: of at most 1,023 bytes. */
const CODED = /^[\w-]{1,1364}$/

/** Read when the first person comes with a passkey: a fifth of a second that a start can do without. */
const library = loadedOnce(() => import('@simplewebauthn/server'))

export function createPasskeys({
  database,
  clock,
}: {
  database: Database
  clock: Pick<Clock, 'now'>
}): Passkeys {
  const issue = (asked: ChallengeUse) => database.write((tx) => issueChallenge(tx, asked, clock.now()))
  const take = (asked: ChallengeUse, challenge: string) =>
    database.write((tx) => takeChallenge(tx, challenge, asked, clock.now()))

  return {
    async creation(owner, name, site) {
      const { generateRegistrationOptions } = await library()
      const known = await database.read((tx) => passkeysOf(tx, owner))
      return generateRegistrationOptions({
        rpID: site.id,
        rpName: site.name,
        userName: name,
        userDisplayName: name,
        userID: new TextEncoder().encode(`${owner.kind}:${owner.id}`),
        challenge: bytesOf(await issue({ purpose: 'register', owner })),
        excludeCredentials: known.map(({ id }) => ({ id })),
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        supportedAlgorithmIDs: ALGORITHMS,
      })
    },

    async created(owner, answer, site) {
      const response = read<RegistrationResponseJSON>(answer)
      const said = response && saidIn(response)
      if (!response || !said) return undefined
      const { challenge, isFramed } = said
      if (!(await take({ purpose: 'register', owner }, challenge)) || isFramed) return undefined
      const { verifyRegistrationResponse } = await library()
      const { verified, registrationInfo } = await verifyRegistrationResponse({
        response,
        expectedChallenge: challenge,
        expectedOrigin: site.origin,
        expectedRPID: site.id,
        requireUserVerification: true,
        supportedAlgorithmIDs: ALGORITHMS,
      }).catch(() => ({ verified: false, registrationInfo: undefined }))
      if (!verified || !registrationInfo) return undefined
      const { id, publicKey, counter } = registrationInfo.credential
      return { id, publicKey: Buffer.from(publicKey).toString('base64url'), counter }
    },

    async request(asked, site) {
      const { generateAuthenticationOptions } = await library()
      const known = asked.owner.id === '' ? [] : await database.read((tx) => passkeysOf(tx, asked.owner))
      return generateAuthenticationOptions({
        rpID: site.id,
        challenge: bytesOf(await issue(asked)),
        allowCredentials: known.map(({ id }) => ({ id })),
        userVerification: 'required',
      })
    },

    async signed(asked, answer, site) {
      const response = read<AuthenticationResponseJSON>(answer)
      const said = response && saidIn(response)
      if (!response || !said || !isCoded(response.id)) return undefined
      const { challenge, isFramed } = said
      if (!(await take(asked, challenge)) || isFramed) return undefined
      const passkey = await database.read((tx) => findPasskey(tx, response.id))
      if (!passkey || passkey.ownerKind !== asked.owner.kind) return undefined
      if (asked.owner.id !== '' && asked.owner.id !== passkey.ownerId) return undefined
      const { verifyAuthenticationResponse } = await library()
      const { verified, authenticationInfo } = await verifyAuthenticationResponse({
        response,
        expectedChallenge: challenge,
        expectedOrigin: site.origin,
        expectedRPID: site.id,
        requireUserVerification: true,
        credential: {
          id: passkey.id,
          publicKey: new Uint8Array(Buffer.from(passkey.publicKey, 'base64url')),
          counter: passkey.counter,
        },
      }).catch(() => ({ verified: false, authenticationInfo: undefined }))
      if (!verified || !authenticationInfo) return undefined
      const counter = authenticationInfo.newCounter
      const isThere = await database.write((tx) => markUsed(tx, passkey.id, counter, clock.now()))
      return isThere ? { kind: passkey.ownerKind, id: passkey.ownerId } : undefined
    },
  }
}

export function addPasskey(
  tx: Tx,
  owner: Owner,
  { name = '', ...passkey }: NewPasskey & { name?: string },
  now: EpochMs,
): Promise<void> {
  const { kind: ownerKind, id: ownerId } = owner
  return insertRows(tx, tx.t.passkeys, [{ ...passkey, name, ownerKind, ownerId, createdAt: now, usedAt: 0 }])
}

function passkeysOf({ db, t }: Tx, owner: Owner) {
  return db.select().from(t.passkeys).where(isOf(t.passkeys, owner))
}

async function findPasskey({ db, t }: Tx, id: string) {
  const [passkey] = await db.select().from(t.passkeys).where(eq(t.passkeys.id, id))
  return passkey
}

/** False when the passkey was removed meanwhile. */
async function markUsed({ run }: Tx, id: string, counter: number, now: EpochMs): Promise<boolean> {
  const marked = await run('UPDATE passkeys SET counter = $1, used_at = $2 WHERE id = $3 RETURNING id', [
    counter,
    now,
    id,
  ])
  return marked.length > 0
}

/** What a browser sent, not yet checked. Undefined when it is no JSON object. */
function read<T extends object>(answer: string): T | undefined {
  if (answer.length > LONGEST_ANSWER) return undefined
  try {
    const value: unknown = JSON.parse(answer)
    return typeof value === 'object' && value !== null ? (value as T) : undefined
  } catch {
    return undefined
  }
}

/**
 * The challenge that was signed, and whether a page in a frame of another site asked, as the browser says. What it
 * says is checked with the signature. Our pages are in no frames, and the library lets those answers through.
 */
function saidIn({
  response,
}: {
  response?: { clientDataJSON?: unknown }
}): { challenge: string; isFramed: boolean } | undefined {
  const text = response?.clientDataJSON
  if (typeof text !== 'string') return undefined
  const data = read<{ challenge?: unknown; crossOrigin?: unknown }>(
    Buffer.from(text, 'base64url').toString('utf8'),
  )
  if (!isCoded(data?.challenge)) return undefined
  return { challenge: data.challenge, isFramed: data.crossOrigin !== undefined && data.crossOrigin !== false }
}

function isCoded(value: unknown): value is string {
  return typeof value === 'string' && CODED.test(value)
}

function bytesOf(challenge: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(challenge, 'base64url'))
}
