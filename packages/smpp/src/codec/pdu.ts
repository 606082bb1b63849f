/** Added to a request's command to make its response's. */
export const RESPONSE = 0x8000_0000

export const COMMAND = {
  genericNack: RESPONSE,
  bindReceiver: 0x01,
  bindTransmitter: 0x02,
  querySm: 0x03,
  submitSm: 0x04,
  deliverSm: 0x05,
  unbind: 0x06,
  bindTransceiver: 0x09,
  enquireLink: 0x15,
  alertNotification: 0x102,
  dataSm: 0x103,
} as const

/** Optional fields, SMPP 3.4 §5.3.2; `congestionState` is of 5.0. */
export const TAG = {
  receiptedMessageId: 0x001e,
  sarMsgRefNum: 0x020c,
  sarTotalSegments: 0x020e,
  sarSegmentSeqnum: 0x020f,
  scInterfaceVersion: 0x0210,
  networkErrorCode: 0x0423,
  messagePayload: 0x0424,
  messageState: 0x0427,
  congestionState: 0x0428,
} as const

/** Bits of esm_class. */
export const ESM = { kind: 0x3c, receipt: 0x04, intermediate: 0x20, header: 0x40 } as const

export const HEADER_LENGTH = 16

export interface Header {
  command: number
  status: number
  sequence: number
}

export type BindKind = 'transceiver' | 'transmitter' | 'receiver'

export interface Bind {
  kind: BindKind
  systemId: string
  password: string
  systemType: string
  /** 0x34 or 0x50. */
  version: number
}

export interface Address {
  ton: number
  npi: number
  digits: string
}

/** The content of submit_sm, deliver_sm and data_sm. */
export interface ShortMessage {
  serviceType: string
  source: Address
  destination: Address
  esmClass: number
  protocolId: number
  /** Absolute or relative, as in SMPP 3.4 §7.1.1; empty for the carrier's own. */
  validity: string
  registeredDelivery: number
  dataCoding: number
  /** From short_message, else from message_payload. */
  body: Buffer
  tlvs: ReadonlyMap<number, Buffer>
  /** Whether the last optional field was cut off. */
  torn?: true
}

export type Pdu = { sequence: number; status: number } & (
  | { kind: 'bind'; bind: Bind }
  | { kind: 'bind_resp'; systemId: string; version: number | undefined }
  | { kind: 'submit_sm' | 'deliver_sm' | 'data_sm'; message: ShortMessage }
  | {
      kind: 'submit_sm_resp' | 'deliver_sm_resp' | 'data_sm_resp'
      messageId: string
      congestion: number | undefined
    }
  | { kind: 'query_sm'; messageId: string; source: Address }
  | { kind: 'query_sm_resp'; messageId: string; state: number; error: number }
  | { kind: 'enquire_link' | 'enquire_link_resp' | 'unbind' | 'unbind_resp' | 'generic_nack' | 'alert' }
  | { kind: 'unknown'; command: number }
)
