import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** Codes of six digits that change every half minute (RFC 6238), as generator apps make them. */

const STEP_MS = 30_000
const DIGITS = 6
/** The clocks may be half a minute apart. */
const STEPS_APART = 1
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
/** The length that RFC 4226 recommends for HMAC-SHA-1, which apps expect. */
const SECRET_BYTES = 20

/** A new secret in base32, as apps take it. */
export function newTotpSecret(): string {
  const bits = [...randomBytes(SECRET_BYTES)].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{5}/g) ?? []).map((five) => LETTERS[Number.parseInt(five, 2)]).join('')
}

/** Whether a text has the form of a secret that was made here. */
export function isTotpSecret(text: string): boolean {
  return /^[A-Z2-7]{32}$/.test(text)
}

/** The number of a code's half minute. */
export function stepAt(now: number): number {
  return Math.floor(now / STEP_MS)
}

export function codeOf(secret: string, step: number, digits = DIGITS): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', decoded(secret)).update(counter).digest()
  const number = mac.readUInt32BE((mac.at(-1) ?? 0) & 0xf) & 0x7fff_ffff
  return String(number % 10 ** digits).padStart(digits, '0')
}

/** The step of a code, if it is right about now and newer than the last that was used. */
export function matchingStep(
  secret: string,
  code: string,
  now: number,
  lastStep: number,
): number | undefined {
  const given = Buffer.from(code)
  let found: number | undefined
  for (let step = stepAt(now) - STEPS_APART; step <= stepAt(now) + STEPS_APART; step++) {
    const right = Buffer.from(codeOf(secret, step))
    if (given.length === right.length && timingSafeEqual(given, right) && step > lastStep) found ??= step
  }
  return found
}

/** The address that generator apps open. */
export function otpauthUrl(secret: string, name: string, issuer: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(name)}`
  return `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(issuer)}`
}

function decoded(secret: string): Buffer {
  const bits = [...secret].map((letter) => LETTERS.indexOf(letter).toString(2).padStart(5, '0')).join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}
