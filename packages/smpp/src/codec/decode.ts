import { Reader } from './bytes.ts'
import {
  type Address,
  type Bind,
  type BindKind,
  COMMAND,
  HEADER_LENGTH,
  type Header,
  type Pdu,
  RESPONSE,
  type ShortMessage,
  TAG,
} from './pdu.ts'

const BIND_KINDS = new Map<number, BindKind>([
  [COMMAND.bindReceiver, 'receiver'],
  [COMMAND.bindTransmitter, 'transmitter'],
  [COMMAND.bindTransceiver, 'transceiver'],
])

/** Reads the header of a frame, which has at least 16 octets. */
export function headerOf(frame: Buffer): Header {
  return { command: frame.readUInt32BE(4), status: frame.readUInt32BE(8), sequence: frame.readUInt32BE(12) }
}

/** Reads a frame. Throws `TornPdu` when its body is too short. */
export function decode(frame: Buffer): Pdu {
  const { command, status, sequence } = headerOf(frame)
  const body = new Reader(frame.subarray(HEADER_LENGTH))
  const head = { status, sequence }
  return command >= RESPONSE
    ? { ...head, ...readResponse(command - RESPONSE, command, body) }
    : { ...head, ...readRequest(command, body) }
}

type Content = Pdu extends infer Each ? (Each extends Pdu ? Omit<Each, 'status' | 'sequence'> : never) : never

function readRequest(command: number, body: Reader): Content {
  const bindKind = BIND_KINDS.get(command)
  if (bindKind) return { kind: 'bind', bind: readBind(body, bindKind) }
  switch (command) {
    case COMMAND.submitSm:
      return { kind: 'submit_sm', message: readMessage(body) }
    case COMMAND.deliverSm:
      return { kind: 'deliver_sm', message: readMessage(body) }
    case COMMAND.dataSm:
      return { kind: 'data_sm', message: readData(body) }
    case COMMAND.querySm:
      return { kind: 'query_sm', messageId: body.cString(), source: readAddress(body) }
    case COMMAND.enquireLink:
      return { kind: 'enquire_link' }
    case COMMAND.unbind:
      return { kind: 'unbind' }
    case COMMAND.alertNotification:
      return { kind: 'alert' }
    default:
      return { kind: 'unknown', command }
  }
}

function readResponse(request: number, command: number, body: Reader): Content {
  if (BIND_KINDS.has(request)) return readBindResponse(body)
  switch (request) {
    case COMMAND.submitSm:
      return { kind: 'submit_sm_resp', ...readMessageResponse(body) }
    case COMMAND.deliverSm:
      return { kind: 'deliver_sm_resp', ...readMessageResponse(body) }
    case COMMAND.dataSm:
      return { kind: 'data_sm_resp', ...readMessageResponse(body) }
    case COMMAND.querySm:
      return readQueryResponse(body)
    case COMMAND.enquireLink:
      return { kind: 'enquire_link_resp' }
    case COMMAND.unbind:
      return { kind: 'unbind_resp' }
    case 0:
      return { kind: 'generic_nack' }
    default:
      return { kind: 'unknown', command }
  }
}

function readBind(body: Reader, kind: BindKind): Bind {
  const systemId = body.cString()
  const password = body.cString()
  const systemType = body.cString()
  return { kind, systemId, password, systemType, version: body.u8() }
}

/** A refusal may come without a body. */
function readBindResponse(body: Reader): Content {
  const systemId = body.cString()
  return { kind: 'bind_resp', systemId, version: body.tlvs().tlvs.get(TAG.scInterfaceVersion)?.[0] }
}

function readAddress(body: Reader): Address {
  return { ton: body.u8(), npi: body.u8(), digits: body.cString() }
}

function readMessage(body: Reader): ShortMessage {
  const serviceType = body.cString()
  const source = readAddress(body)
  const destination = readAddress(body)
  const esmClass = body.u8()
  const protocolId = body.u8()
  body.u8() // priority_flag
  body.cString() // schedule_delivery_time
  const validity = body.cString()
  const registeredDelivery = body.u8()
  body.u8() // replace_if_present_flag
  const dataCoding = body.u8()
  body.u8() // sm_default_msg_id
  const short = body.octets(body.u8())
  const { tlvs, torn } = body.tlvs()
  return {
    serviceType,
    source,
    destination,
    esmClass,
    protocolId,
    validity,
    registeredDelivery,
    dataCoding,
    body: short.length > 0 ? short : (tlvs.get(TAG.messagePayload) ?? short),
    tlvs,
    ...(torn && { torn }),
  }
}

function readData(body: Reader): ShortMessage {
  const serviceType = body.cString()
  const source = readAddress(body)
  const destination = readAddress(body)
  const esmClass = body.u8()
  const registeredDelivery = body.u8()
  const dataCoding = body.u8()
  const { tlvs, torn } = body.tlvs()
  return {
    serviceType,
    source,
    destination,
    esmClass,
    protocolId: 0,
    validity: '',
    registeredDelivery,
    dataCoding,
    body: tlvs.get(TAG.messagePayload) ?? Buffer.alloc(0),
    tlvs,
    ...(torn && { torn }),
  }
}

function readMessageResponse(body: Reader) {
  const messageId = body.cString()
  return { messageId, congestion: body.tlvs().tlvs.get(TAG.congestionState)?.[0] }
}

/** A refusal may come without a body. */
function readQueryResponse(body: Reader): Content {
  const messageId = body.cString()
  body.cString() // final_date
  const [state, error] = body.left >= 2 ? [body.u8(), body.u8()] : [0, 0]
  return { kind: 'query_sm_resp', messageId, state, error }
}
