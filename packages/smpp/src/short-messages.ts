import { partsOf, segmentsOf } from '@wigwag/contract'
import { type Address, ESM, type ShortMessage, TAG } from './codec/pdu.ts'
import { type Alphabet, canWrite, encodeText } from './text.ts'

/** How a long message is split: with a header in the text, whole in message_payload, or with sar_* fields. */
export type LongForm = 'udh' | 'payload' | 'sar'

/** A text on its way to a phone. */
export interface Outgoing {
  source: Address
  destination: Address
  text: string
  alphabet: Alphabet
  long: LongForm
  /** From 0 to 65,535: tells the parts of a long message from those of another to the same phone. */
  reference: number
  serviceType: string
  /** Shown on the screen at once, and not stored. */
  flash: boolean
  /** How long the carrier may try, in milliseconds; its own time when left out. */
  validForMs?: number | undefined
}

const UCS2 = 0x08
/** Added to a data_coding: class 0. */
const FLASH = 0x10
const LONGEST_SHORT_NUMBER = 8
const MINUTE_MS = 60_000

/** The short messages that make up a text, one for each part. */
export function shortMessagesOf(outgoing: Outgoing): ShortMessage[] {
  const { source, destination, text, alphabet, long, reference, serviceType, flash, validForMs } = outgoing
  const common = {
    serviceType,
    source,
    destination,
    esmClass: 0,
    protocolId: 0,
    validity: validForMs === undefined ? '' : relativeTime(validForMs),
    registeredDelivery: 1,
    dataCoding: (alphabet === 'ucs2' ? UCS2 : 0) + (flash ? FLASH : 0),
    tlvs: new Map<number, Buffer>(),
  }
  const parts = partsOf(text, alphabet === 'ucs2' ? 'UCS-2' : 'GSM-7')
  const bodies = parts.map((part) => encodeText(part, alphabet))
  const [only] = bodies
  if (bodies.length === 1 && only) return [{ ...common, body: only }]
  if (long === 'payload') {
    const payload = Buffer.concat(bodies)
    return [{ ...common, body: Buffer.alloc(0), tlvs: new Map([[TAG.messagePayload, payload]]) }]
  }
  return bodies.map((body, index) =>
    long === 'udh'
      ? { ...common, esmClass: ESM.header, body: withHeader(body, reference, bodies.length, index + 1) }
      : { ...common, body, tlvs: sarFields(reference, bodies.length, index + 1) },
  )
}

/** The preferred alphabet where it can write a text in as many parts as GSM-7 needs, else UCS-2. */
export function alphabetOf(text: string, preferred: Alphabet): Alphabet {
  return segmentsOf(text).encoding === 'GSM-7' && canWrite(text, preferred) ? preferred : 'ucs2'
}

export type SenderKind = 'alphanumeric' | 'short' | 'international'

/** A sender is a word, a short code of up to eight digits, or a number. */
export function senderKindOf(sender: string): SenderKind {
  if (!/^\d+$/.test(sender)) return 'alphanumeric'
  return sender.length <= LONGEST_SHORT_NUMBER ? 'short' : 'international'
}

/** A reference of 8 bits leaves 153 characters, which is what a part is charged as; one of 16 bits leaves 152. */
function withHeader(body: Buffer, reference: number, of: number, number: number): Buffer {
  return Buffer.concat([Buffer.of(5, 0, 3, reference & 0xff, of, number), body])
}

function sarFields(reference: number, of: number, number: number): Map<number, Buffer> {
  return new Map([
    [TAG.sarMsgRefNum, Buffer.of(reference >> 8, reference & 0xff)],
    [TAG.sarTotalSegments, Buffer.of(of)],
    [TAG.sarSegmentSeqnum, Buffer.of(number)],
  ])
}

/** YYMMDDhhmmss000R, rounded up to a whole minute, and a month of 30 days at most. */
function relativeTime(ms: number): string {
  const minutes = Math.min(Math.max(1, Math.ceil(ms / MINUTE_MS)), 30 * 24 * 60)
  const fields = [Math.floor(minutes / 1_440), Math.floor(minutes / 60) % 24, minutes % 60]
  return `0000${fields.map((field) => String(field).padStart(2, '0')).join('')}00000R`
}
