import type { HttpTemplate } from '../carriers/http/template.ts'
import {
  type CarrierSettings,
  type HttpSettings,
  keepHidden,
  type SmppSettings,
} from '../carriers/settings.ts'
import { type Address, queryFields, readAddress } from './document.ts'
import type { Fields, Given, Reader } from './field-reader.ts'
import { needsSecret } from './http-template.ts'
import type { Secrets } from './secrets.ts'

/** Settings of an SMPP carrier that a URL's query or a file may name; the rest is in the URL before the query. */
export const SMPP_FIELDS = [
  ...(['systemType', 'version', 'bind', 'binds', 'window', 'tps', 'alphabet', 'long', 'ids'] as const),
  ...(['receipts', 'unanswered', 'query', 'flash', 'serviceType', 'numbers', 'statuses'] as const),
  ...(['enquireMs', 'responseMs', 'reconnectMs'] as const),
]
type SmppField = (typeof SMPP_FIELDS)[number]

const HTTP_FIELDS = [
  'url',
  'passwordEnv',
  'passwordFile',
  'template',
  'receiptsSecretEnv',
  'receiptsSecretFile',
  'window',
  'tps',
  'timeoutMs',
  'unanswered',
] as const
const IN_FILE = ['url', 'passwordEnv', 'passwordFile', ...SMPP_FIELDS] as const
const A_URL =
  'a URL such as smpp://user@host:2775, https://host/path or simulator:, with special characters percent-encoded'
const NO_PASSWORDS: Record<string, string> = {
  password:
    'passwordEnv, the name of an environment variable with the password, or passwordFile, the path of a file that has it, because this file gets copied',
}
/** It is part of an address, and must be as hard to guess as a password. */
const RECEIPTS_SECRET = /^[A-Za-z0-9_-]{16,}$/

interface Reading {
  reader: Reader
  secrets: Secrets
  /** Reads the template that a path names; undefined when it can't be used, which has been complained about. */
  templateAt(given: Given, path: string): HttpTemplate | undefined
}

/** Reads one carrier of the file; undefined when its kind can't be told. */
export function readCarrier(parts: Reading, name: string, given: Given): CarrierSettings | undefined {
  const { reader } = parts
  const url = urlOf(reader, given)
  if (url?.value === 'simulator' || url?.value === 'simulator:') {
    reader.fields(given, ['url'])
    return { kind: 'simulator', name }
  }
  const address = url && readCarrierAddress(reader, url)
  if (url === undefined || address === undefined) return undefined
  if (address.password !== undefined) {
    const expected =
      'no password in the file: name an environment variable that holds it in passwordEnv, or a file in passwordFile'
    reader.complain(url, expected, { got: undefined })
  }
  return address.scheme.startsWith('smpp')
    ? smppCarrier(parts, name, given, url, address)
    : httpCarrier(parts, name, given, url, address)
}

function urlOf(reader: Reader, given: Given): Given | undefined {
  const { value } = given
  if (typeof value !== 'object' || value?.kind !== 'fields') {
    reader.complain(given, 'an object with url')
    return undefined
  }
  return reader.required(given, 'url', value.fields.get('url'), A_URL)
}

function readCarrierAddress(reader: Reader, url: Given): Address | undefined {
  const address = typeof url.value === 'string' ? readAddress(url.value) : undefined
  if (address !== undefined && /^(?:smpps?|https?)$/.test(address.scheme) && address.host !== '')
    return address
  // Not shown: it may hold a password.
  reader.complain(url, A_URL, { got: undefined })
  return undefined
}

function smppCarrier(
  { reader, secrets }: Reading,
  name: string,
  given: Given,
  url: Given,
  address: Address,
): CarrierSettings | undefined {
  const inFile = reader.fields(given, IN_FILE, NO_PASSWORDS)
  const inUrl = smppQuery(reader, address, url.place, `${url.field}?`)
  for (const field of SMPP_FIELDS) {
    const twice = inFile?.(field) === undefined ? undefined : inUrl?.(field)
    if (twice !== undefined) reader.complain(twice, `${field} once`, { got: 'it in the URL and beside it' })
  }
  checkSmppAddress(reader, url, address)
  const places = { env: inFile?.('passwordEnv'), file: inFile?.('passwordFile') }
  const expected =
    'the name of an environment variable with the password, or passwordFile with the path of a file that has it'
  reader.required(given, 'passwordEnv', places.env ?? places.file, expected)
  const password = secrets.read(name, places) ?? ''
  return readSmpp(reader, name, address, password, (field) => inUrl?.(field) ?? inFile?.(field))
}

/** The settings in a URL's query. */
export function smppQuery(reader: Reader, address: Address, place: string, prefix: string) {
  for (const name of new Set(address.query.keys())) {
    const times = address.query.getAll(name).length
    const given = { place, namePlace: place, field: prefix + name, value: null }
    if (times > 1) reader.complain(given, 'it once', { got: `it ${times} times` })
  }
  return reader.fields(queryFields(address.query, place, prefix), SMPP_FIELDS)
}

export function checkSmppAddress(reader: Reader, url: Given, address: Address): void {
  if (address.user === '') reader.complain(url, 'a user name before the host', { got: 'none' })
  const path = address.plain.split('//')[1]?.includes('/')
  if (path) reader.complain(url, 'nothing between the port and the query', { got: 'a path' })
}

function httpCarrier(
  parts: Reading,
  name: string,
  given: Given,
  url: Given,
  address: Address,
): CarrierSettings | undefined {
  const { reader } = parts
  const field = reader.fields(given, HTTP_FIELDS, NO_PASSWORDS)
  if (field === undefined) return undefined
  if (address.query.size > 0) {
    const expected = 'no query: settings go beside the url, parameters of the provider into its template'
    reader.complain(url, expected, { got: undefined })
  }
  const path = reader.required(
    given,
    'template',
    field('template'),
    'the path of a template, such as south.json',
  )
  const file = reader.text(path, 'the path of a template, such as south.json', /./)
  const template = path && file !== undefined ? parts.templateAt(path, file) : undefined
  const secret = httpSecret(parts, name, given, field, template)
  const settings: HttpSettings | undefined = template && {
    kind: 'http',
    name,
    url: address.plain,
    user: address.user,
    secret,
    receiptsSecret: receiptsSecret(parts, name, given, field, template),
    template,
    window: reader.whole(field('window'), 1, 1_000) ?? 10,
    tps: reader.whole(field('tps'), 0, 100_000) ?? 0,
    timeoutMs: reader.whole(field('timeoutMs'), 1_000, 45_000) ?? 15_000,
    unanswered: reader.oneOf(field('unanswered'), ['hold', 'again']) ?? 'hold',
  }
  return settings && keepHidden(keepHidden(settings, 'secret'), 'receiptsSecret')
}

type HttpField = (typeof HTTP_FIELDS)[number]

function httpSecret(
  { reader, secrets }: Reading,
  name: string,
  given: Given,
  field: Fields<HttpField>,
  template: HttpTemplate | undefined,
): string {
  const places = { env: field('passwordEnv'), file: field('passwordFile') }
  if (template !== undefined && needsSecret(template)) {
    const expected =
      'the name of an environment variable, or passwordFile with the path of a file, because the template uses {secret} or {basic}'
    reader.required(given, 'passwordEnv', places.env ?? places.file, expected)
  }
  return secrets.read(name, places) ?? ''
}

function receiptsSecret(
  { reader, secrets }: Reading,
  name: string,
  given: Given,
  field: Fields<HttpField>,
  template: HttpTemplate,
): string | undefined {
  const places = { env: field('receiptsSecretEnv'), file: field('receiptsSecretFile') }
  const named = places.env ?? places.file
  if (template.receipts !== undefined) {
    const expected =
      'the name of an environment variable, or receiptsSecretFile with the path of a file, because the template reads receipts'
    reader.required(given, 'receiptsSecretEnv', named, expected)
  }
  const secret = secrets.read(name, places)
  if (named !== undefined && secret !== undefined && !RECEIPTS_SECRET.test(secret)) {
    const expected = 'a secret of at least 16 letters, digits, - and _, because it is part of an address'
    reader.complain(named, expected, { got: undefined })
  }
  return secret
}

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
