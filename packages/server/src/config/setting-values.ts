/** The names of all settings, and how the text of each is read: with an error that names it and what was expected. */
import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import {
  asSentence,
  isLoopback,
  isWebUrl,
  type Micros,
  parseAmount,
  readRecipientRules,
  shownUrl,
} from '@wigwag/contract'
import { DAY_MS } from '../kernel/time/spans.ts'
import { parseCidrs } from '../net/outbound/address-guard.ts'

export interface TraceSettings {
  /** Of OpenTelemetry's collector, such as `http://127.0.0.1:4318`. */
  endpoint: string
  /** Sent with each export, such as a key. */
  headers: Readonly<Record<string, string>>
  service: string
  /** The part of all requests that is traced. */
  share: number
}

/** Trouble that the simulator makes, in parts of a hundred messages. */
export type Troubles = Record<keyof typeof NO_TROUBLE, number>

export type Flags = Partial<Record<SettingName, string>>
export type Environment = Readonly<Record<string, string | undefined>>

/** A setting is not valid. The message names it, what was expected and what was given. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

export const names = {
  env: 'WIGWAG_ENV',
  host: 'WIGWAG_HOST',
  port: 'WIGWAG_PORT',
  database: 'WIGWAG_DATABASE_URL',
  databaseRead: 'WIGWAG_DATABASE_READ_URL',
  postgresConnections: 'WIGWAG_POSTGRES_CONNECTIONS',
  processes: 'WIGWAG_PROCESSES',
  cell: 'WIGWAG_CELL',
  secret: 'WIGWAG_SECRET',
  previousSecret: 'WIGWAG_SECRET_PREVIOUS',
  carrier: 'WIGWAG_CARRIER',
  simulatorDelay: 'WIGWAG_SIMULATOR_DELAY_MS',
  simulatorAnswer: 'WIGWAG_SIMULATOR_ANSWER_MS',
  simulatorWindow: 'WIGWAG_SIMULATOR_WINDOW',
  simulatorTps: 'WIGWAG_SIMULATOR_TPS',
  simulatorTrouble: 'WIGWAG_SIMULATOR_TROUBLE',
  rateLimit: 'WIGWAG_RATE_LIMIT',
  rateBurst: 'WIGWAG_RATE_BURST',
  validityHours: 'WIGWAG_VALIDITY_HOURS',
  retain: 'WIGWAG_RETAIN_DAYS',
  retainCallbacks: 'WIGWAG_RETAIN_CALLBACK_DAYS',
  retainAudit: 'WIGWAG_RETAIN_AUDIT_DAYS',
  callbackTimeout: 'WIGWAG_CALLBACK_TIMEOUT_MS',
  callbackAllow: 'WIGWAG_CALLBACK_ALLOW',
  operatorHost: 'WIGWAG_OPERATOR_HOST',
  operatorPort: 'WIGWAG_OPERATOR_PORT',
  operatorUrl: 'WIGWAG_OPERATOR_URL',
  operatorName: 'WIGWAG_OPERATOR_NAME',
  operatorContact: 'WIGWAG_OPERATOR_CONTACT',
  invites: 'WIGWAG_INVITES',
  showCarriers: 'WIGWAG_SHOW_CARRIERS',
  operatorWebhook: 'WIGWAG_OPERATOR_WEBHOOK',
  operatorWebhookSecret: 'WIGWAG_OPERATOR_WEBHOOK_SECRET',
  mail: 'WIGWAG_MAIL',
  mailFrom: 'WIGWAG_MAIL_FROM',
  alertMail: 'WIGWAG_ALERT_MAIL',
  metricsHost: 'WIGWAG_METRICS_HOST',
  metricsPort: 'WIGWAG_METRICS_PORT',
  logLevel: 'WIGWAG_LOG_LEVEL',
  accessLog: 'WIGWAG_ACCESS_LOG',
  traceEndpoint: 'OTEL_EXPORTER_OTLP_ENDPOINT',
  traceHeaders: 'OTEL_EXPORTER_OTLP_HEADERS',
  traceService: 'OTEL_SERVICE_NAME',
  traceShare: 'OTEL_TRACES_SAMPLER_ARG',
  traceDisabled: 'OTEL_SDK_DISABLED',
  publicUrl: 'WIGWAG_PUBLIC_URL',
  trustedProxies: 'WIGWAG_TRUSTED_PROXIES',
  stopDelay: 'WIGWAG_STOP_DELAY_MS',
  demoBalance: 'WIGWAG_DEMO_BALANCE',
  mcpHosts: 'WIGWAG_MCP_HOSTS',
  mcpDailySpend: 'WIGWAG_MCP_DAILY_SPEND',
  mcpDailyMessages: 'WIGWAG_MCP_DAILY_MESSAGES',
  mcpRecipients: 'WIGWAG_MCP_RECIPIENTS',
  mcpUnasked: 'WIGWAG_MCP_UNASKED',
} as const
export type SettingName = keyof typeof names

export function traces(text: (name: SettingName) => string | undefined): TraceSettings | undefined {
  const endpoint = text('traceEndpoint')
  if (endpoint === undefined || text('traceDisabled') === 'true') return undefined
  if (!URL.canParse(endpoint) || !/^https?:$/.test(new URL(endpoint).protocol)) {
    throw new ConfigError(
      `${names.traceEndpoint}: expected the address of a collector such as http://127.0.0.1:4318, got ${JSON.stringify(shownUrl(endpoint))}.`,
    )
  }
  const share = Number(text('traceShare') ?? '1')
  if (!(share >= 0 && share <= 1))
    throw new ConfigError(
      `${names.traceShare}: expected a part from 0 to 1, got ${JSON.stringify(text('traceShare'))}.`,
    )
  const pairs = list(text('traceHeaders') ?? '').map((pair): [string, string] => {
    const equals = pair.indexOf('=')
    // The value may be a key, so it is not shown.
    if (equals < 1)
      throw new ConfigError(`${names.traceHeaders}: expected pairs such as name=value,name=value.`)
    return [pair.slice(0, equals), decoded(pair.slice(equals + 1))]
  })
  return {
    endpoint: endpoint.replace(/\/+$/, ''),
    headers: Object.fromEntries(pairs),
    service: text('traceService') ?? 'wigwag',
    share,
  }
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    throw new ConfigError(`${names.traceHeaders}: expected values with each % written as %25, got another.`)
  }
}

/** The operator's own webhook. Several secrets sign together, so that one can be replaced. */
export interface OperatorWebhook {
  url: string
  secrets: readonly string[]
}

const SIGNING_SECRET = /^whsec_[A-Za-z0-9+/]{16,}={0,2}$/

export function operatorWebhook(
  text: (name: SettingName) => string | undefined,
): OperatorWebhook | undefined {
  const [url, secret] = [text('operatorWebhook'), text('operatorWebhookSecret')]
  if (url === undefined && secret === undefined) return undefined
  if (url === undefined || !isWebUrl(url)) {
    const got = url === undefined ? 'nothing' : JSON.stringify(shownUrl(url))
    throw new ConfigError(
      `${names.operatorWebhook}: expected a URL such as https://ops.example.com/wigwag, without user name and password, got ${got}.`,
    )
  }
  const secrets = list(secret ?? '')
  if (secrets.length > 0 && secrets.every((one) => SIGNING_SECRET.test(one))) return { url, secrets }
  // A wrong secret may be a right one of something else, so it is not shown.
  throw new ConfigError(
    `${names.operatorWebhookSecret}: expected a secret of the form whsec_<base64>, got ${secret === undefined ? 'nothing' : 'something else'}. ` +
      'Make one with `echo "whsec_$(openssl rand -base64 24)"`.',
  )
}

export const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

/** The variables of a `.env` file; none if there is no such file. */
export function readEnvFile(path: string): Environment {
  const text = textOf(path)
  const found = parseEnv(text)
  // `parseEnv` drops what it doesn't understand. A quoted value may be several lines.
  const lines = text
    .replace(/=[ \t]*(["'`])[\s\S]*?\1/g, (value) => `=${value.replace(/[^\n]/g, '')}`)
    .split('\n')
  const wrong = lines.findIndex((line) => {
    const [, name = ''] = /^\s*(?:export\s+)?([\w.-]+)\s*=/.exec(line) ?? []
    return !(name in found) && !/^\s*(#|$)/.test(line)
  })
  // The line may hold a password, so it is not shown.
  if (wrong >= 0) throw new ConfigError(`${path}:${wrong + 1}: expected NAME=value, got something else.`)
  return found
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ''
    throw new ConfigError(`${path}: ${error instanceof Error ? error.message : error}.`)
  }
}

const SHORTEST_SECRET = 32

/** The secret encrypts stored secrets and signs browsers' form tickets, so it must not be guessable. */
export function checkSecret(secret: string | undefined): void {
  if (secret !== undefined && secret.length >= SHORTEST_SECRET) return
  const got = secret === undefined ? 'nothing' : `${secret.length}`
  throw new ConfigError(
    `${names.secret}: expected at least ${SHORTEST_SECRET} characters in production, got ${got}. Make one with ` +
      '`openssl rand -base64 32`, and keep it: the database opens only with the same secret.',
  )
}

export function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text
}

export function list(text: string): string[] {
  return text.split(/[\s,]+/).filter((item) => item !== '')
}

/** Address ranges in CIDR notation, checked. */
export function ranges(name: SettingName, text: string): string[] {
  const given = list(text)
  try {
    parseCidrs(given)
  } catch (error) {
    throw new ConfigError(`${names[name]}: ${error instanceof Error ? error.message : error}`)
  }
  return given
}

export function recipientRules(text: string): string[] {
  try {
    return readRecipientRules(text)
  } catch (error) {
    throw new ConfigError(
      asSentence(`${names.mcpRecipients}: ${error instanceof Error ? error.message : error}`),
    )
  }
}

/** A public address, the gateway's or the desk's. It is compared exactly, so nothing may follow the host and port. */
export function publicUrl(text: string | undefined, name: SettingName = 'publicUrl'): string | undefined {
  if (text === undefined) return undefined
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isHttp = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url))
  if (url && isHttp && url.href === `${url.origin}/`) return url.origin
  throw new ConfigError(
    `${names[name]}: expected an address such as https://${name === 'publicUrl' ? 'sms' : 'desk'}.example.com, without a path, got ${JSON.stringify(shownUrl(text))}.`,
  )
}

/** The name of a cell. It is a part of client IDs, and a proxy looks for it there. */
export function cellName(text: string | undefined): string | undefined {
  if (text === undefined || /^[a-z][a-z0-9]{0,15}$/.test(text)) return text
  throw new ConfigError(
    `${names.cell}: expected a name of at most 16 small letters and digits that begins with a letter, such as eu1, got ${JSON.stringify(text)}.`,
  )
}

const NO_TROUBLE = { unanswered: 0, disconnect: 0, forget: 0, early: 0, late: 0, twice: 0 }

/** Reads the simulator's trouble, such as `unanswered=1 late=5`: parts of a hundred. */
export function troubles(text: string): Troubles {
  const given = { ...NO_TROUBLE }
  for (const item of list(text)) {
    const [key = '', value = ''] = item.split('=')
    if (!isTrouble(key) || !/^(?:\d{1,2}|100)$/.test(value)) {
      const known = Object.keys(NO_TROUBLE).join(', ')
      throw new ConfigError(
        `${names.simulatorTrouble}: expected words such as unanswered=1 late=5, parts of a hundred out of ${known}, got ${JSON.stringify(item)}.`,
      )
    }
    given[key] = Number(value)
  }
  return given
}

function isTrouble(key: string): key is keyof typeof NO_TROUBLE {
  return key in NO_TROUBLE
}

export function wholeNumber(
  name: string,
  text: string | undefined,
  otherwise: number,
  least: number,
): number {
  if (text === undefined) return otherwise
  if (/^\d{1,12}$/.test(text) && Number(text) >= least) return Number(text)
  throw new ConfigError(`${name}: expected a whole number from ${least}, got ${JSON.stringify(text)}.`)
}

/** Reads a number of days, from one, as milliseconds. */
export function days(name: SettingName): (given: string) => number {
  return (given) => wholeNumber(names[name], given, 0, 1) * DAY_MS
}

export function portNumber(name: SettingName, text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text)
  throw new ConfigError(`${names[name]}: expected a port from 0 to 65535, got ${JSON.stringify(text)}.`)
}

export function amount(name: SettingName, text: string): Micros {
  try {
    return parseAmount(text)
  } catch (error) {
    throw new ConfigError(`${names[name]}: ${error instanceof Error ? error.message : error}`)
  }
}

export function oneOf<T extends string>(name: SettingName, text: string, choices: readonly T[]): T {
  const found = choices.find((choice) => choice === text)
  if (found) return found
  throw new ConfigError(`${names[name]}: expected ${choices.join(' or ')}, got ${JSON.stringify(text)}.`)
}
