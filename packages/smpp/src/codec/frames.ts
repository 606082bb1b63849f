import { HEADER_LENGTH } from './pdu.ts'

/** A message_payload has at most 64 KiB. A peer that announces more does not speak the protocol. */
const LARGEST_PDU = 70_000

/** The length that a PDU announces is impossible, so where the next one begins is unknown. */
export class BrokenStream extends Error {
  override readonly name = 'BrokenStream'
}

/** Cuts a stream into PDUs. Keeps at most one that is unfinished. */
export class Frames {
  readonly #take: (frame: Buffer) => void
  #kept: Buffer[] = []
  #keptLength = 0
  /** How many octets are needed before there is something to do. */
  #needed = 4

  /** `take` is called for each PDU. A frame is valid during the call alone: what is kept of it must be copied. */
  constructor(take: (frame: Buffer) => void) {
    this.#take = take
  }

  read(bytes: Buffer): void {
    if (this.#keptLength + bytes.length < this.#needed) {
      this.#keep(bytes)
      return
    }
    let stream = this.#keptLength === 0 ? bytes : Buffer.concat([...this.#kept, bytes])
    this.#kept = []
    this.#keptLength = 0
    this.#needed = 4
    while (stream.length >= 4) {
      const length = stream.readUInt32BE(0)
      if (length < HEADER_LENGTH || length > LARGEST_PDU) {
        throw new BrokenStream(`expected a PDU of ${HEADER_LENGTH} to ${LARGEST_PDU} octets, got ${length}`)
      }
      this.#needed = length
      if (stream.length < length) break
      this.#take(stream.subarray(0, length))
      stream = stream.subarray(length)
      this.#needed = 4
    }
    if (stream.length > 0) this.#keep(stream)
  }

  /** Copies, because a few octets would keep the whole chunk that they came in. */
  #keep(bytes: Buffer): void {
    this.#kept.push(Buffer.from(bytes))
    this.#keptLength += bytes.length
  }
}
