import { randomBytes } from 'node:crypto'
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import { isLoopback } from '@wigwag/contract'
import { eq } from 'drizzle-orm'
import { type EpochMs, epochMs } from '../../kernel/ids.ts'
import type { Clock } from '../../kernel/process/clock.ts'
import { loadedOnce } from '../../kernel/process/loaded-once.ts'
import { MINUTE_MS } from '../../kernel/time/spans.ts'
import type { Database, Tx } from '../../store/database.ts'
import { insertRows } from '../../store/rows.ts'
import type { ChallengePurpose, OwnerKind } from '../../store/schema/schema.ts'
import { digestOf } from '../../store/secrets/tokens.ts'
import { deleteSlice } from '../../store/slices.ts'
import { isOf, type Owner } from './owner.ts'

/** The site that passkeys are made for and good at. */
export interface Site {
  /** Its host name, without a port. */
  id: string
  origin: string
  name: string
}

/** The site at an address. */
export function siteOf(url: string, name: string): Site {
  const { hostname, origin } = new URL(url)
  return { id: hostname, origin, name }
}

/** Whether browsers offer passkeys at an address: over https, or on this machine under its name. */
export function takesPasskeys(url: string): boolean {
  const place = new URL(url)
  if (/^[\d.]+$|:/.test(place.hostname)) return false
  return place.protocol === 'https:' || isLoopback(place)
}

/** A passkey that was just made. It is not stored yet. */
export interface NewPasskey {
  id: string
  publicKey: string
  counter: number
}

/** Elliptic curves and RSA with SHA-256: what browsers and their machines have. */
const ALGORITHMS = [-7, -8, -257]
const LONGEST_ANSWER = 16 * 1_024
/** The form of a challenge and of the id of a passkey, in base64url: of at most 1,023 bytes. */
const CODED = /^[\w-]{1,1364}$/

/** Read when the first person comes with a passkey: a fifth of a second that a start can do without. */
const library = loadedOnce(() => import('@simplewebauthn/server'))

/** Registers passkeys and checks what they sign. A passkey always asks its person: user verification is required. */
export class Passkeys {
  readonly #database: Database
  readonly #clock: Pick<Clock, 'now'>

  constructor({ database, clock }: { database: Database; clock: Pick<Clock, 'now'> }) {
    this.#database = database
    this.#clock = clock
  }

  /** Options for a browser to make a passkey. */
  async creation(owner: Owner, name: string, site: Site): Promise<PublicKeyCredentialCreationOptionsJSON> {
    const { generateRegistrationOptions } = await library()
    const known = await this.#database.read((tx) => passkeysOf(tx, owner))
    return generateRegistrationOptions({
      rpID: site.id,
      rpName: site.name,
      userName: name,
      userDisplayName: name,
      userID: new TextEncoder().encode(`${owner.kind}:${owner.id}`),
      challenge: bytesOf(await this.#issue({ purpose: 'register', owner })),
      excludeCredentials: known.map(({ id }) => ({ id })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      supportedAlgorithmIDs: ALGORITHMS,
    })
  }

  /** Reads what the browser made; undefined when it is not for that challenge, owner and site. */
  async created(owner: Owner, answer: string, site: Site): Promise<NewPasskey | undefined> {
    const response = read<RegistrationResponseJSON>(answer)
    const said = response && saidIn(response)
    if (!response || !said) return undefined
    const { challenge, isFramed } = said
    if (!(await this.#take({ purpose: 'register', owner }, challenge)) || isFramed) return undefined
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
  }

  /** Options for a browser to use a passkey. An owner without an id stands for all of the kind. */
  async request(asked: ChallengeUse, site: Site): Promise<PublicKeyCredentialRequestOptionsJSON> {
    const { generateAuthenticationOptions } = await library()
    const known = asked.owner.id === '' ? [] : await this.#database.read((tx) => passkeysOf(tx, asked.owner))
    return generateAuthenticationOptions({
      rpID: site.id,
      challenge: bytesOf(await this.#issue(asked)),
      allowCredentials: known.map(({ id }) => ({ id })),
      userVerification: 'required',
    })
  }

  /** Whose passkey signed; undefined when it is nobody's, or not for that challenge and site. */
  async signed(asked: ChallengeUse, answer: string, site: Site): Promise<Owner | undefined> {
    const response = read<AuthenticationResponseJSON>(answer)
    const said = response && saidIn(response)
    if (!response || !said || !isCoded(response.id)) return undefined
    const { challenge, isFramed } = said
    if (!(await this.#take(asked, challenge)) || isFramed) return undefined
    const passkey = await this.#database.read((tx) => findPasskey(tx, response.id))
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
    const isThere = await this.#database.write((tx) => markUsed(tx, passkey.id, counter, this.#clock.now()))
    return isThere ? { kind: passkey.ownerKind, id: passkey.ownerId } : undefined
  }

  #issue(asked: ChallengeUse): Promise<string> {
    return this.#database.write((tx) => issueChallenge(tx, asked, this.#clock.now()))
  }

  #take(asked: ChallengeUse, challenge: string): Promise<boolean> {
    return this.#database.write((tx) => takeChallenge(tx, challenge, asked, this.#clock.now()))
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

/** Parses a browser's answer, and checks nothing in it. Undefined when it is no JSON object or too long. */
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
 * The signed challenge, and whether the browser was in a frame of another site. The signature covers both.
 * The library accepts framed answers; we don't, because our pages are in no frames.
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

const CHALLENGE_MS = 5 * MINUTE_MS

/** The purpose and the owner of a challenge. The owner's id is empty while the person is not known. */
interface ChallengeUse {
  purpose: ChallengePurpose
  owner: { kind: OwnerKind; id: string }
}

/** A challenge for a passkey to sign. */
async function issueChallenge(tx: Tx, { purpose, owner }: ChallengeUse, now: EpochMs): Promise<string> {
  const challenge = randomBytes(32).toString('base64url')
  await insertRows(tx, tx.t.challenges, [
    {
      challengeHash: digestOf(challenge),
      purpose,
      ownerKind: owner.kind,
      ownerId: owner.id,
      expiresAt: epochMs(now + CHALLENGE_MS),
    },
  ])
  return challenge
}

/** Uses a challenge up. True for exactly one of several concurrent callers, and only for what it was made for. */
async function takeChallenge(
  { run }: Tx,
  challenge: string,
  { purpose, owner }: ChallengeUse,
  now: EpochMs,
): Promise<boolean> {
  const taken = await run(
    `DELETE FROM challenges WHERE challenge_hash = $1 AND purpose = $2 AND owner_kind = $3 AND owner_id = $4
       AND expires_at > $5 RETURNING challenge_hash`,
    [digestOf(challenge), purpose, owner.kind, owner.id, now],
  )
  return taken.length > 0
}

/** Deletes a slice of the challenges that are over. Returns whether there may be more. */
export function pruneChallenges(tx: Tx, now: EpochMs): Promise<boolean> {
  return deleteSlice(tx, {
    table: 'challenges',
    key: 'challenge_hash',
    where: 'expires_at <= $1',
    values: [now],
    orderBy: 'expires_at',
  })
}
