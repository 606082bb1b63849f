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
export function createTicketMaker(random: (size: number) => Uint8Array): (now: number) => Ticket {
  let pool = new Uint8Array(0)
  let next = 0
  let ms = -1
  let counter = MAX_COUNTER
  let head = ''

  function startMillisecond(to: number): void {
    if (!(to >= 0 && to <= MAX_MS)) throw new RangeError(`expected a time that fits 48 bits, got ${to}`)
    ms = to
    counter = (((pool[next] ?? 0) & 0x07) << 8) | (pool[next + 1] ?? 0)
    const hex = ms.toString(16).padStart(12, '0')
    head = `${hex.slice(0, 8)}-${hex.slice(8)}-7`
  }

  function hexByte(offset: number): string {
    return HEX[pool[next + offset] ?? 0] ?? ''
  }

  return function makeTicket(now) {
    if (next + BYTES_PER_TICKET > pool.length) {
      pool = new Uint8Array(random(POOL))
      next = 0
      // Too few bytes would leave zeros in the random part of tickets.
      if (pool.length < POOL) throw new RangeError(`expected ${POOL} random bytes, got ${pool.length}`)
    }
    const whole = Math.floor(now)
    // Negated so that NaN also gets here and is refused.
    if (!(whole <= ms)) startMillisecond(whole)
    else if (counter < MAX_COUNTER) counter++
    else startMillisecond(ms + 1)

    const variant = HEX[0x80 | ((pool[next + 2] ?? 0) & 0x3f)]
    const ticket =
      `${head}${(counter >> 8).toString(16)}${HEX[counter & 0xff]}-${variant}${hexByte(3)}-` +
      `${hexByte(4)}${hexByte(5)}${hexByte(6)}${hexByte(7)}${hexByte(8)}${hexByte(9)}`
    next += BYTES_PER_TICKET
    return ticket as Ticket
  }
}
