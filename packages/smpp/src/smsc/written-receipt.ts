import { ESM, type ShortMessage, TAG } from '../codec/pdu.ts'
import type { MessageState } from '../receipt.ts'

export const STATES: Record<MessageState, { number: number; word: string }> = {
  enroute: { number: 1, word: 'ENROUTE' },
  delivered: { number: 2, word: 'DELIVRD' },
  expired: { number: 3, word: 'EXPIRED' },
  deleted: { number: 4, word: 'DELETED' },
  undeliverable: { number: 5, word: 'UNDELIV' },
  accepted: { number: 6, word: 'ACCEPTD' },
  unknown: { number: 7, word: 'UNKNOWN' },
  rejected: { number: 8, word: 'REJECTD' },
  skipped: { number: 9, word: 'SKIPPED' },
}

export interface ReceiptToWrite {
  message: Pick<ShortMessage, 'source' | 'destination'>
  id: string
  state: MessageState
  form: 'text' | 'tlv' | 'both'
  submittedAt: number
  doneAt: number
  /** The beginning of the message. */
  excerpt: string
}

/** The deliver_sm of a receipt: its source and destination are those of the message, exchanged. */
export function writeReceipt(receipt: ReceiptToWrite): ShortMessage {
  const { message, form } = receipt
  return {
    serviceType: '',
    source: message.destination,
    destination: message.source,
    esmClass: ESM.receipt,
    protocolId: 0,
    validity: '',
    registeredDelivery: 0,
    dataCoding: 0,
    body: Buffer.from(form === 'tlv' ? '' : textOf(receipt), 'latin1'),
    tlvs: form === 'text' ? new Map() : fieldsOf(receipt),
  }
}

/** As in appendix B of SMPP 3.4. */
function textOf({ id, state, submittedAt, doneAt, excerpt }: ReceiptToWrite): string {
  const arrived = state === 'delivered' ? '001' : '000'
  const error = state === 'delivered' ? '000' : '001'
  const dates = `submit date:${minuteOf(submittedAt)} done date:${minuteOf(doneAt)}`
  const plain = excerpt.replace(/[^ -~]/g, '?').slice(0, 20)
  return `id:${id} sub:001 dlvrd:${arrived} ${dates} stat:${STATES[state].word} err:${error} text:${plain}`
}

function fieldsOf({ id, state }: ReceiptToWrite): Map<number, Buffer> {
  return new Map([
    [TAG.receiptedMessageId, Buffer.from(`${id}\0`, 'latin1')],
    [TAG.messageState, Buffer.of(STATES[state].number)],
  ])
}

/** YYMMDDhhmm. */
function minuteOf(time: number): string {
  return new Date(time).toISOString().replace(/\D/g, '').slice(2, 12)
}
