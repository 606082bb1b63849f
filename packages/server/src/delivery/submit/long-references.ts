import type { Ticket } from '../../kernel/ids.ts'
import type { OutgoingMessage } from '../../kernel/message.ts'

/** A shorter message has one part with every carrier, also as UCS-2. */
const LONGEST_SINGLE = 70
/** How many phones are remembered, the latest ones. */
const MOST_PHONES = 10_000

/**
 * Counts the references of messages that may have several parts. A phone puts parts together by their sender and this
 * reference, so it is counted for each phone, with 16 bits, of which a header in the text uses the lower 8: one with 16
 * would leave 152 characters for a part, and a part is charged as 153. Each process counts by itself, from a random
 * number for each phone. So of two messages that two processes send to one phone, 1 in 256 pairs has the same reference.
 */
export class LongReferences {
  readonly #mostPhones: number
  readonly #last = new Map<string, number>()

  constructor(mostPhones = MOST_PHONES) {
    this.#mostPhones = mostPhones
  }

  /** Undefined for a message that has one part with every carrier. */
  next({ id, to, content }: Pick<OutgoingMessage, 'id' | 'to' | 'content'>): number | undefined {
    if (content.length <= LONGEST_SINGLE) return undefined
    const last = this.#last
    const phone = to.digits
    const before = last.get(phone)
    const reference = before === undefined ? randomReference(id) : (before + 1) & 0xffff
    // The latest are at the end.
    last.delete(phone)
    last.set(phone, reference)
    for (const oldest of last.keys()) {
      if (last.size <= this.#mostPhones) break
      last.delete(oldest)
    }
    return reference
  }
}

/** The end of a ticket is random. */
export function randomReference(ticket: Ticket): number {
  return Number.parseInt(ticket.slice(-4), 16)
}
