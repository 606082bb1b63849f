import { partsOf } from '../../domain/text/segments.ts'
import {
  type Address,
  type Alphabet,
  canWrite,
  ESM,
  encodeText,
  type ShortMessage,
  TAG,
} from '../../smpp/index.ts'
import type { Submission } from '../carrier.ts'
import type { SmppSettings } from './smpp-settings.ts'

const UCS2 = 0x08
/** Added to a data_coding: class 0, shown at once and not stored. */
const FLASH = 0x10
const LONGEST_SHORT_NUMBER = 8
const MINUTE_MS = 60_000

/** The short messages that make up a message, one for each part. */
export function shortMessagesOf(message: Submission, now: number, settings: SmppSettings): ShortMessage[] {
  const alphabet = alphabetFor(message, settings)
  const common = {
    serviceType: settings.serviceType,
    source: sourceOf(message.sender, settings),
    destination: { ...settings.numbers.recipient, digits: message.recipient },
    esmClass: 0,
    protocolId: 0,
    validity: relativeTime(message.expiresAt - now),
    registeredDelivery: 1,
    dataCoding: (alphabet === 'ucs2' ? UCS2 : 0) + (settings.flash ? FLASH : 0),
    tlvs: new Map<number, Buffer>(),
  }
  const parts = partsOf(message.content, alphabet === 'ucs2' ? 'UCS-2' : 'GSM-7')
  const bodies = parts.map((part) => encodeText(part, alphabet))
  const [only] = bodies
  if (bodies.length === 1 && only) return [{ ...common, body: only }]
  if (settings.long === 'payload') {
    const payload = Buffer.concat(bodies)
    return [{ ...common, body: Buffer.alloc(0), tlvs: new Map([[TAG.messagePayload, payload]]) }]
  }
  const { reference } = message
  return bodies.map((body, index) =>
    settings.long === 'udh'
      ? { ...common, esmClass: ESM.header, body: withHeader(body, reference, bodies.length, index + 1) }
      : { ...common, body, tlvs: sarFields(reference, bodies.length, index + 1) },
  )
}

/** The address of a sender, by its kind. */
export function sourceOf(sender: string, { numbers }: SmppSettings): Address {
  if (!/^\d+$/.test(sender)) return { ...numbers.alphanumeric, digits: sender }
  const kind = sender.length <= LONGEST_SHORT_NUMBER ? 'short' : 'international'
  return { ...numbers[kind], digits: sender }
}

function alphabetFor({ content, encoding }: Submission, { alphabet }: SmppSettings): Alphabet {
  return encoding === 'GSM-7' && canWrite(content, alphabet) ? alphabet : 'ucs2'
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
