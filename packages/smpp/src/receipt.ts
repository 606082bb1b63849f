import { ESM, type ShortMessage, TAG } from './codec/pdu.ts'
import { decodeText, isUcs2 } from './text.ts'

export type MessageState =
  | 'enroute'
  | 'delivered'
  | 'expired'
  | 'deleted'
  | 'undeliverable'
  | 'accepted'
  | 'unknown'
  | 'rejected'
  | 'skipped'

/** message_state, SMPP 3.4 §5.2.28; 5.0 adds 0 (scheduled) and 9. */
const BY_NUMBER: readonly MessageState[] = [
  ...(['enroute', 'enroute', 'delivered', 'expired', 'deleted', 'undeliverable'] as const),
  ...(['accepted', 'unknown', 'rejected', 'skipped'] as const),
]

/** The seven letters of appendix B begin each of them; the rest of the word differs from carrier to carrier. */
const BY_WORD: readonly (readonly [RegExp, MessageState])[] = [
  [/^(ENROUTE|EN_ROUTE|BUFFE?RE?D|SCHEDUL)/, 'enroute'],
  [/^(DELIVR|DELIVERE?D)/, 'delivered'],
  [/^EXPIRE?D/, 'expired'],
  [/^(DELETED|CANCEL)/, 'deleted'],
  [/^(UNDELIV|FAILED|BLOCKED)/, 'undeliverable'],
  [/^ACCEPT/, 'accepted'],
  [/^UNKNOWN/, 'unknown'],
  [/^REJECT/, 'rejected'],
  [/^SKIPPED/, 'skipped'],
]

export interface DeliveryReceipt {
  /** As the carrier wrote it. */
  id: string
  state: MessageState
  /** The network's error code as the carrier wrote it; each has its own list. Empty when there is none. */
  error: string
}

/** The meaning of a deliver_sm or a data_sm. */
export type Inbound =
  | { kind: 'receipt'; receipt: DeliveryReceipt }
  /** Tells how far a message has come, and ends nothing. */
  | { kind: 'progress' }
  /** From a phone. */
  | { kind: 'message' }
  /** A receipt without an id or a state. */
  | { kind: 'unreadable'; why: string }

/**
 * A receipt is what esm_class calls one, or has a receipted_message_id: some peers set one of the two. A text that
 * merely looks like a receipt is not treated as one, because a phone could send it. Optional fields win over the text.
 */
export function readInbound(message: ShortMessage): Inbound {
  const { esmClass, tlvs } = message
  if ((esmClass & ESM.kind) === ESM.intermediate) return { kind: 'progress' }
  const tagged = readString(tlvs.get(TAG.receiptedMessageId))
  if ((esmClass & ESM.kind) !== ESM.receipt && tagged === '') return { kind: 'message' }
  const fields = textOf(message)
  const id = tagged || field(fields, 'id')
  if (id === '') return { kind: 'unreadable', why: 'a receipt without an id' }
  const word = field(fields, 'stat')
  const state = stateOf(tlvs.get(TAG.messageState)?.[0]) ?? stateOf(word)
  if (state === undefined) return { kind: 'unreadable', why: 'a receipt without a state' }
  const error = networkError(tlvs.get(TAG.networkErrorCode)) || field(fields, 'err').slice(0, 20)
  return { kind: 'receipt', receipt: { id, state, error } }
}

/** Reads a message_state, or the word in its place. */
export function stateOf(given: number | string | undefined): MessageState | undefined {
  if (typeof given === 'number') return BY_NUMBER[given]
  if (given === undefined || given === '') return undefined
  if (/^\d$/.test(given)) return BY_NUMBER[Number(given)]
  const word = given.toUpperCase()
  return BY_WORD.find(([pattern]) => pattern.test(word))?.[1]
}

/** The fields of appendix B, without the excerpt of the message at their end, which may look like fields. */
function textOf({ body, dataCoding }: ShortMessage): string {
  const text = decodeText(body, isWide(body, dataCoding) ? 'ucs2' : 'latin1')
  const excerpt = /\btext:/i.exec(text)
  return excerpt ? text.slice(0, excerpt.index) : text
}

/** Some peers send UCS-2, others only declare it. */
function isWide(body: Buffer, dataCoding: number): boolean {
  return isUcs2(dataCoding) && body[0] === 0
}

const FIELDS = { id: /\bid: ?([^\s,;]+)/i, stat: /\bstat: ?(\w+)/i, err: /\berr: ?([\w.-]+)/i }

function field(text: string, name: keyof typeof FIELDS): string {
  return FIELDS[name].exec(text)?.[1] ?? ''
}

function readString(octets: Buffer | undefined): string {
  if (octets === undefined) return ''
  const nul = octets.indexOf(0)
  return octets.toString('latin1', 0, nul < 0 ? octets.length : nul).trim()
}

/** One octet for the kind of network, two for its code. */
function networkError(octets: Buffer | undefined): string {
  if (octets === undefined || octets.length < 3) return ''
  return String(octets.readUInt16BE(1)).padStart(3, '0')
}
