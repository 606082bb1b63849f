import { ESM, type ShortMessage, TAG } from '../codec/pdu.ts'
import { decodeText, isUcs2 } from '../text.ts'

export interface PartOf {
  reference: number
  /** Counted from 1. */
  number: number
  of: number
}

const LATIN1 = 0x03

/** The text of a submission without its header, and which part of a message it is. */
export function readText(message: ShortMessage): { text: string; part: PartOf | undefined } {
  const { body, dataCoding, esmClass } = message
  // A header that is longer than the message is none.
  const length = esmClass & ESM.header ? (body[0] ?? 0) + 1 : 0
  const header = length <= body.length ? body.subarray(0, length) : Buffer.alloc(0)
  const alphabet = isUcs2(dataCoding) ? 'ucs2' : dataCoding === LATIN1 ? 'latin1' : 'gsm'
  const text = decodeText(body.subarray(header.length), alphabet)
  return { text, part: partInHeader(header) ?? partInFields(message) }
}

/** Looks for the information element of concatenation, with a reference of 8 or of 16 bits. */
function partInHeader(header: Buffer): PartOf | undefined {
  for (let at = 1; at + 2 <= header.length; at += 2 + (header[at + 1] ?? 0)) {
    const value = header.subarray(at + 2, at + 2 + (header[at + 1] ?? 0))
    if (header[at] === 0x00 && value.length === 3) {
      return { reference: value.readUInt8(0), of: value.readUInt8(1), number: value.readUInt8(2) }
    }
    if (header[at] === 0x08 && value.length === 4) {
      return { reference: value.readUInt16BE(0), of: value.readUInt8(2), number: value.readUInt8(3) }
    }
  }
  return undefined
}

function partInFields({ tlvs }: ShortMessage): PartOf | undefined {
  const reference = tlvs.get(TAG.sarMsgRefNum)
  const of = tlvs.get(TAG.sarTotalSegments)?.[0]
  const number = tlvs.get(TAG.sarSegmentSeqnum)?.[0]
  if (reference?.length !== 2 || of === undefined || number === undefined) return undefined
  return { reference: reference.readUInt16BE(0), of, number }
}
