/** A message's public identifier: a UUID in lower case. */
export type Ticket = string & { readonly __brand: 'Ticket' }

/** A point in time: whole milliseconds since 1970-01-01T00:00:00Z. */
export type EpochMs = number & { readonly __brand: 'EpochMs' }

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

const MAX_MS = 2 ** 48 - 1
const MAX_COUNTER = 0xfff
const BYTES_PER_TICKET = 10
const POOL = 512 * BYTES_PER_TICKET

/** Checks and brands a time. Throws when it is not a valid number of milliseconds. */
export function epochMs(n: number): EpochMs {
  if (!Number.isSafeInteger(n) || n < 0)
    throw new RangeError(`expected whole milliseconds since 1970, got ${n}`)
  return n as EpochMs
}

/** Accepts any UUID version in any case. Tickets are stored in lower case, so look them up in lower case. */
export function isTicket(text: string): text is Ticket {
  return UUID.test(text)
}

/** Tickets made at this time or later sort after it, earlier ones before it. */
export function firstTicketAt(at: EpochMs): string {
  const hex = at.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-`
}

/** When a ticket was made. Undefined for a UUID that does not begin with its time. */
export function timeOfTicket(ticket: Ticket): EpochMs | undefined {
  if (ticket[14] !== '7') return undefined
  return epochMs(Number.parseInt(ticket.slice(0, 8) + ticket.slice(9, 13), 16))
}

/**
 * Makes UUIDv7 tickets (RFC 9562). Each sorts after the previous one, also within one millisecond and when the clock
 * goes back. The 12 bits after the version are a counter (§6.2, method 1) that starts in its lower half. When it
 * overflows, the next millisecond is used early.
 *
 * Random bytes are fetched in bulk, because one call per ticket would cost more than the ticket.
 */
export class TicketMaker {
  readonly #random: (size: number) => Uint8Array
  #pool = new Uint8Array(0)
  #next = 0
  #ms = -1
  #counter = MAX_COUNTER
  #head = ''

  constructor(random: (size: number) => Uint8Array) {
    this.#random = random
  }

  readonly make = (now: number): Ticket => {
    if (this.#next + BYTES_PER_TICKET > this.#pool.length) this.#refill()
    const whole = Math.floor(now)
    // Negated so that NaN also gets here and is refused.
    if (!(whole <= this.#ms)) this.#startMillisecond(whole)
    else if (this.#counter < MAX_COUNTER) this.#counter++
    else this.#startMillisecond(this.#ms + 1)

    const counter = this.#counter
    const pool = this.#pool
    const next = this.#next
    const variant = HEX[0x80 | ((pool[next + 2] ?? 0) & 0x3f)]
    const ticket =
      `${this.#head}${(counter >> 8).toString(16)}${HEX[counter & 0xff]}-${variant}${hexByte(pool, next + 3)}-` +
      `${hexByte(pool, next + 4)}${hexByte(pool, next + 5)}${hexByte(pool, next + 6)}` +
      `${hexByte(pool, next + 7)}${hexByte(pool, next + 8)}${hexByte(pool, next + 9)}`
    this.#next += BYTES_PER_TICKET
    return ticket as Ticket
  }

  #refill(): void {
    this.#pool = new Uint8Array(this.#random(POOL))
    this.#next = 0
    // Too few bytes would leave zeros in the random part of tickets.
    if (this.#pool.length < POOL)
      throw new RangeError(`expected ${POOL} random bytes, got ${this.#pool.length}`)
  }

  #startMillisecond(to: number): void {
    if (!(to >= 0 && to <= MAX_MS)) throw new RangeError(`expected a time that fits 48 bits, got ${to}`)
    this.#ms = to
    this.#counter = (((this.#pool[this.#next] ?? 0) & 0x07) << 8) | (this.#pool[this.#next + 1] ?? 0)
    const hex = to.toString(16).padStart(12, '0')
    this.#head = `${hex.slice(0, 8)}-${hex.slice(8)}-7`
  }
}

function hexByte(pool: Uint8Array, at: number): string {
  return HEX[pool[at] ?? 0] ?? ''
}
