import { randomBytes, type ScryptOptions, scryptSync, timingSafeEqual } from 'node:crypto'
import { isGuessable, isMostlyName } from './guessable.ts'

/** scrypt's parameters. Doubling `n` doubles time and memory. */
export interface Cost {
  n: number
  r: number
  p: number
}

/** Makes each guess cost 128 MiB and a noticeable part of a second. */
const COST: Cost = { n: 2 ** 17, r: 8, p: 1 }
const SALT_BYTES = 16
const HASH_BYTES = 32
const STORED = /^scrypt\$(\d{1,8})\$(\d{1,3})\$(\d{1,3})\$([\w-]{16,86})\$([\w-]{43})$/

export const SHORTEST_PASSWORD = 12
export const LONGEST_PASSWORD = 1_024

/**
 * Hashes a password for storage, as `scrypt$131072$8$1$<salt>$<hash>`. Blocks the calling thread: a gateway hashes in
 * threads of its own.
 */
export function hashPasswordHere(password: string, cost: Cost = COST): string {
  const salt = randomBytes(SALT_BYTES)
  return storedText(cost, salt, derive(password, salt, cost))
}

/** Checked when an account or its password does not exist, so that it takes as long. No known password matches. */
export const NOBODYS_PASSWORD = storedText(COST, Buffer.alloc(SALT_BYTES), Buffer.alloc(HASH_BYTES))

/** Whether a stored password was hashed at this cost. */
export function hasCost(stored: string, { n, r, p }: Cost): boolean {
  return stored.startsWith(`scrypt$${n}$${r}$${p}$`)
}

/** Why a password can't be set; undefined when it can. Names are the person's address, and those of the account and the service. */
export function passwordMistake(password: string, names: readonly string[]): string | undefined {
  if (isTooLong(password) || [...password].length < SHORTEST_PASSWORD)
    return `Expected a password of ${SHORTEST_PASSWORD} to ${LONGEST_PASSWORD.toLocaleString('en')} characters.`
  if (isGuessable(password))
    return `Expected a password that is hard to guess; this one is common, or repeats something short. ${BETTER}`
  if (isMostlyName(password, [...names, SERVICE]))
    return `Expected a password that is hard to guess; this one is little more than a name. ${BETTER}`
  return undefined
}

const SERVICE = 'Wigwag'
const BETTER = 'Take four words that have nothing to do with each other, or let a password manager make one.'

/** Whether a password is longer than any that could have been set. */
export function isTooLong(password: string): boolean {
  return password.length > LONGEST_PASSWORD && [...password].length > LONGEST_PASSWORD
}

/**
 * Whether a password matches a stored one. The cost comes from the stored text, so that it can be raised later. Blocks
 * the calling thread.
 */
export function verifyPasswordHere(password: string, stored: string): boolean {
  const { cost, salt, hash } = read(stored)
  return timingSafeEqual(derive(password, salt, cost), hash)
}

function read(stored: string): { cost: Cost; salt: Buffer; hash: Buffer } {
  const [, n, r, p, salt = '', hash = ''] = STORED.exec(stored) ?? []
  if (n === undefined) throw new Error('expected a stored password of the form scrypt$N$r$p$salt$hash')
  return {
    cost: { n: Number(n), r: Number(r), p: Number(p) },
    salt: Buffer.from(salt, 'base64url'),
    hash: Buffer.from(hash, 'base64url'),
  }
}

function storedText({ n, r, p }: Cost, salt: Buffer, hash: Buffer): string {
  return ['scrypt', n, r, p, salt.toString('base64url'), hash.toString('base64url')].join('$')
}

function derive(password: string, salt: Buffer, cost: Cost): Buffer {
  return scryptSync(plain(password), salt, HASH_BYTES, optionsOf(cost))
}

function optionsOf({ n, r, p }: Cost): ScryptOptions {
  return { N: n, r, p, maxmem: 256 * n * r }
}

/** Two keyboards may encode the same password differently; normalization makes them equal. */
function plain(password: string): string {
  return password.normalize('NFKC')
}
