import { Writer } from './bytes.ts'
import {
  type Address,
  type Bind,
  type BindKind,
  COMMAND,
  HEADER_LENGTH,
  RESPONSE,
  type ShortMessage,
  TAG,
} from './pdu.ts'

const writer = new Writer()

const BIND_COMMAND: Record<BindKind, number> = {
  receiver: COMMAND.bindReceiver,
  transmitter: COMMAND.bindTransmitter,
  transceiver: COMMAND.bindTransceiver,
}

/** The standard allows 15 and 8 characters; carriers give out longer ones and expect them whole. */
const LONGEST_CREDENTIAL = 64
const LONGEST_ID = 64
const LONGEST_ADDRESS = 20
/** The most bytes that the fixed fields of any PDU take. */
const FIXED = 320

/** The longest text of one submission, without message_payload. */
const LONGEST_BODY = 254

function begin(room: number, command: number, status: number, sequence: number): Writer {
  return writer.begin(room).u32(0).u32(command).u32(status).u32(sequence)
}

/** A PDU without a body. */
export function encodeBare(command: number, sequence: number, status = 0): Buffer {
  return begin(HEADER_LENGTH, command, status, sequence).end()
}

export function encodeBind(bind: Bind, sequence: number): Buffer {
  return begin(FIXED, BIND_COMMAND[bind.kind], 0, sequence)
    .cString(bind.systemId, 'system_id', LONGEST_CREDENTIAL)
    .cString(bind.password, 'password', LONGEST_CREDENTIAL)
    .cString(bind.systemType, 'system_type', 12)
    .u8(bind.version)
    .u8(0) // addr_ton
    .u8(0) // addr_npi
    .cString('', 'address_range', 40)
    .end()
}

export function encodeBindResponse(
  kind: BindKind,
  sequence: number,
  status: number,
  { systemId, version }: { systemId: string; version: number },
): Buffer {
  const pdu = begin(FIXED, BIND_COMMAND[kind] + RESPONSE, status, sequence)
  if (status !== 0) return pdu.end()
  return pdu
    .cString(systemId, 'system_id', LONGEST_CREDENTIAL)
    .tlv(TAG.scInterfaceVersion, Uint8Array.of(version))
    .end()
}

/** A submit_sm or a deliver_sm. Throws when a field is longer than the protocol allows. */
export function encodeMessage(command: number, message: ShortMessage, sequence: number): Buffer {
  const { body, tlvs } = message
  if (body.length > LONGEST_BODY) {
    throw new RangeError(`short_message: expected at most ${LONGEST_BODY} octets, got ${body.length}`)
  }
  let room = FIXED + body.length
  for (const value of tlvs.values()) room += 4 + value.length
  const pdu = begin(room, command, 0, sequence).cString(message.serviceType, 'service_type', 5)
  writeAddress(pdu, message.source, 'source_addr')
  writeAddress(pdu, message.destination, 'destination_addr')
  pdu
    .u8(message.esmClass)
    .u8(message.protocolId)
    .u8(0) // priority_flag
    .cString('', 'schedule_delivery_time', 16)
    .cString(message.validity, 'validity_period', 16)
    .u8(message.registeredDelivery)
    .u8(0) // replace_if_present_flag
    .u8(message.dataCoding)
    .u8(0) // sm_default_msg_id
    .u8(body.length)
    .octets(body)
  for (const [tag, value] of tlvs) pdu.tlv(tag, value)
  return pdu.end()
}

/** The answer to a submit_sm, a deliver_sm or a data_sm. */
export function encodeMessageResponse(
  request: number,
  sequence: number,
  status: number,
  { messageId = '', congestion }: { messageId?: string; congestion?: number | undefined } = {},
): Buffer {
  const pdu = begin(FIXED, request + RESPONSE, status, sequence).cString(messageId, 'message_id', LONGEST_ID)
  if (congestion !== undefined) pdu.tlv(TAG.congestionState, Uint8Array.of(congestion))
  return pdu.end()
}

export function encodeQuery(messageId: string, source: Address, sequence: number): Buffer {
  const pdu = begin(FIXED, COMMAND.querySm, 0, sequence).cString(messageId, 'message_id', LONGEST_ID)
  return writeAddress(pdu, source, 'source_addr').end()
}

export function encodeQueryResponse(
  sequence: number,
  status: number,
  { messageId, finalDate, state }: { messageId: string; finalDate: string; state: number },
): Buffer {
  return begin(FIXED, COMMAND.querySm + RESPONSE, status, sequence)
    .cString(messageId, 'message_id', LONGEST_ID)
    .cString(finalDate, 'final_date', 16)
    .u8(state)
    .u8(0) // error_code
    .end()
}

function writeAddress(pdu: Writer, { ton, npi, digits }: Address, name: string): Writer {
  return pdu.u8(ton).u8(npi).cString(digits, name, LONGEST_ADDRESS)
}
