import type { HttpTemplate } from './http/template.ts'

/** Passwords and secrets in it are kept hidden. */
export type CarrierSettings = SmppSettings | HttpSettings | SimulatorSettings

/**
 * Makes a property invisible to printing, inspecting, JSON and copying by spreading, so that a secret is not shown by
 * accident.
 */
export function keepHidden<T extends object>(settings: T, property: keyof T): T {
  return Object.defineProperty(settings, property, { enumerable: false })
}

/** How a carrier is reached over SMPP, and the ways in which carriers differ. */
export interface SmppSettings {
  kind: 'smpp'
  name: string
  host: string
  port: number
  tls: boolean
  systemId: string
  password: string
  systemType: string
  version: '3.4' | '5.0'
  /** One connection for both directions, or one for each. */
  bind: 'transceiver' | 'pair'
  /** How many such connections. */
  binds: number
  /** Submissions without an answer at a time, for each connection. */
  window: number
  /** PDUs a second, for the whole carrier; 0 for no limit. */
  tps: number
  /** The carrier's meaning of data_coding 0. Text outside of that alphabet goes as UCS-2. */
  alphabet: 'gsm' | 'latin1' | 'ucs2'
  /** How a long message is split: with a header in the text, whole in message_payload, or with sar_* fields. */
  long: 'udh' | 'payload' | 'sar'
  /** How the ids of receipts are written, compared with those of answers. */
  ids: 'same' | 'hex-then-decimal' | 'decimal-then-hex'
  receipts: 'each' | 'one'
  unanswered: 'hold' | 'again'
  /** Whether it answers query_sm. */
  query: boolean
  /** Shown on the screen at once, and not stored. */
  flash: boolean
  serviceType: string
  /** Type of number and numbering plan, by kind of sender, and of recipients. */
  numbers: Record<'alphanumeric' | 'short' | 'international' | 'recipient', { ton: number; npi: number }>
  /** The carrier's meanings of status codes, where they differ from the standard. */
  statuses: ReadonlyMap<number, 'later' | 'not_taken' | 'rejected' | 'uncertain'>
  enquireMs: number
  responseMs: number
  reconnectMs: number
}

/** How a carrier is reached over HTTP. */
export interface HttpSettings {
  kind: 'http'
  name: string
  /** Without a user name, and without a slash at the end. */
  url: string
  user: string
  secret: string
  /** Part of the address for receipts; undefined when the template reads none. */
  receiptsSecret: string | undefined
  template: HttpTemplate
  /** Requests without a reply at a time. */
  window: number
  /** Requests a second; 0 for no limit. */
  tps: number
  timeoutMs: number
  unanswered: 'hold' | 'again'
}

/** A carrier without phones. */
export interface SimulatorSettings {
  kind: 'simulator'
  name: string
}
