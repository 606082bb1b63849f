import type { SmppSettings } from '../carriers/smpp-settings.ts'
import type { Address } from './address.ts'
import type { Fields, Given, Reader } from './field-reader.ts'
import { keepHidden } from './secrets.ts'

/** Settings of an SMPP carrier that a URL's query or a file may name; the rest is in the URL before the query. */
export const SMPP_FIELDS = [
  ...(['systemType', 'version', 'bind', 'binds', 'window', 'tps', 'alphabet', 'long', 'ids'] as const),
  ...(['receipts', 'unanswered', 'query', 'flash', 'serviceType', 'numbers', 'statuses'] as const),
  ...(['enquireMs', 'responseMs', 'reconnectMs'] as const),
]
export type SmppField = (typeof SMPP_FIELDS)[number]

const DEFAULT_PORT = { smpp: 2775, smpps: 3550 }
const MEANINGS = ['later', 'not_taken', 'rejected', 'uncertain'] as const
const LARGEST_STATUS = 0xffffffff

type Numbers = SmppSettings['numbers']
type NumberKind = keyof Numbers

const NUMBERS: Numbers = {
  alphanumeric: { ton: 5, npi: 0 },
  short: { ton: 3, npi: 0 },
  international: { ton: 1, npi: 1 },
  recipient: { ton: 1, npi: 1 },
}
const NUMBER_KINDS = ['alphanumeric', 'short', 'international', 'recipient'] as const

/** Puts the settings together; what is wrong has been complained about. */
export function readSmpp(
  reader: Reader,
  name: string,
  address: Address,
  password: string,
  field: Fields<SmppField>,
): SmppSettings {
  const tls = address.scheme === 'smpps'
  const settings: SmppSettings = {
    kind: 'smpp',
    name,
    host: address.host,
    port: address.port ?? DEFAULT_PORT[tls ? 'smpps' : 'smpp'],
    tls,
    systemId: address.user,
    password,
    systemType: reader.text(field('systemType'), 'up to 12 ASCII characters', /^[ -~]{0,12}$/) ?? '',
    version: reader.oneOf(field('version'), ['3.4', '5.0']) ?? '3.4',
    bind: reader.oneOf(field('bind'), ['transceiver', 'pair']) ?? 'transceiver',
    binds: reader.whole(field('binds'), 1, 100) ?? 1,
    window: reader.whole(field('window'), 1, 1_000) ?? 10,
    tps: reader.whole(field('tps'), 0, 100_000) ?? 0,
    alphabet: reader.oneOf(field('alphabet'), ['gsm', 'latin1', 'ucs2']) ?? 'gsm',
    long: reader.oneOf(field('long'), ['udh', 'payload', 'sar']) ?? 'udh',
    ids: reader.oneOf(field('ids'), ['same', 'hex-then-decimal', 'decimal-then-hex']) ?? 'same',
    receipts: reader.oneOf(field('receipts'), ['each', 'one']) ?? 'each',
    unanswered: reader.oneOf(field('unanswered'), ['hold', 'again']) ?? 'hold',
    query: reader.flag(field('query')) ?? false,
    flash: reader.flag(field('flash')) ?? false,
    serviceType: reader.text(field('serviceType'), 'up to 5 ASCII characters', /^[ -~]{0,5}$/) ?? '',
    numbers: readNumbers(reader, field('numbers')),
    statuses: readStatuses(reader, field('statuses')),
    enquireMs: reader.whole(field('enquireMs'), 1_000, 600_000) ?? 30_000,
    responseMs: reader.whole(field('responseMs'), 1_000, 45_000) ?? 15_000,
    reconnectMs: reader.whole(field('reconnectMs'), 100, 600_000) ?? 1_000,
  }
  return keepHidden(settings, 'password')
}

function readNumbers(reader: Reader, given: Given | undefined): Numbers {
  const kinds = reader.fields(given, NUMBER_KINDS)
  const read = (kind: NumberKind) => {
    const type = reader.fields(kinds?.(kind), ['ton', 'npi'])
    return {
      ton: reader.whole(type?.('ton'), 0, 255) ?? NUMBERS[kind].ton,
      npi: reader.whole(type?.('npi'), 0, 255) ?? NUMBERS[kind].npi,
    }
  }
  return {
    alphanumeric: read('alphanumeric'),
    short: read('short'),
    international: read('international'),
    recipient: read('recipient'),
  }
}

function readStatuses(reader: Reader, given: Given | undefined): SmppSettings['statuses'] {
  const statuses = new Map<number, (typeof MEANINGS)[number]>()
  const expected = 'status codes with their meaning, such as { "0x00000400": "later" }'
  for (const [code, meaning] of reader.entries(given, expected) ?? []) {
    const number = /^(?:0x[0-9a-f]{1,8}|\d{1,10})$/i.test(code) ? Number(code) : Number.NaN
    if (!(number > 0 && number <= LARGEST_STATUS)) {
      const options = { got: JSON.stringify(code), atName: true }
      reader.complain(meaning, 'a status code such as 0x00000400 or 1024', options)
    } else if (statuses.has(number)) {
      const options = { got: `${code} again`, atName: true }
      reader.complain(meaning, 'each status code once', options)
    }
    const read = reader.oneOf(meaning, MEANINGS)
    if (read !== undefined) statuses.set(number, read)
  }
  return statuses
}
