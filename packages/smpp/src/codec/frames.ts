import { HEADER_LENGTH } from './pdu.ts'

/** A message_payload has at most 64 KiB. A peer that announces more does not speak the protocol. */
const LARGEST_PDU = 70_000

/** The length that a PDU announces is impossible, so where the next one begins is unknown. */
export class BrokenStream extends Error {
  override readonly name = 'BrokenStream'
}

/**
 * Cuts a stream into PDUs, and calls `take` for each. Keeps at most one unfinished PDU. A frame is valid during the call
 * alone: what is kept of it must be copied.
 */
export function createFrames(take: (frame: Buffer) => void): (bytes: Buffer) => void {
  let kept: Buffer[] = []
  let keptLength = 0
  /** How many octets are needed before there is something to do. */
  let needed = 4

  return (bytes) => {
    if (keptLength + bytes.length < needed) return keep(bytes)
    let stream = keptLength === 0 ? bytes : Buffer.concat([...kept, bytes])
    kept = []
    keptLength = 0
    needed = 4
    while (stream.length >= 4) {
      const length = stream.readUInt32BE(0)
      if (length < HEADER_LENGTH || length > LARGEST_PDU) {
        throw new BrokenStream(`expected a PDU of ${HEADER_LENGTH} to ${LARGEST_PDU} octets, got ${length}`)
      }
      needed = length
      if (stream.length < length) break
      take(stream.subarray(0, length))
      stream = stream.subarray(length)
      needed = 4
    }
    if (stream.length > 0) keep(stream)
  }

  /** Copies, because a few octets would keep the whole chunk that they came in. */
  function keep(bytes: Buffer): void {
    kept.push(Buffer.from(bytes))
    keptLength += bytes.length
  }
}
