import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { asSentence, type Micros, parseAmount, readRecipientRules, shownUrl } from '@wigwag/contract'
import { isLoopback, LOOPBACK_NAMES } from './domain/loopback.ts'
import { RECEIPT_GRACE_MS } from './domain/message.ts'
import { parseCidrs } from './platform/outbound/address-guard.ts'

/** The `/mcp` endpoint's settings: its hostnames, and the limits on callers with REST API credentials. */
export interface ConnectorSettings {
  /** The allowed `Host` names of `/mcp`. Any other is refused, which stops DNS rebinding. */
  hosts: readonly string[]
  /** How much a caller may spend a day. Without it, callers may only read. */
  dailySpend: Micros | undefined
  dailyMessages: number | undefined
  recipients: readonly string[] | undefined
  /** What happens when the person behind a caller can't be asked to confirm. */
  unasked: 'send' | 'refuse'
}

export interface TraceSettings {
  /** Of OpenTelemetry's collector, such as `http://127.0.0.1:4318`. */
  endpoint: string
  /** Sent with each export, such as a key. */
  headers: Readonly<Record<string, string>>
  service: string
  /** The part of all requests that is traced. */
  share: number
}

/** Which carriers there are: the setting, and what is needed to read it again while the gateway runs. */
export interface CarrierSetting {
  /** `simulator`, `smpp://…` or `file:…` */
  given: string
  /** What the paths in it are relative to. */
  folder: string
  /** The environment and the `.env` file as they are now, for passwords. */
  variables(): Environment
}

/** All settings. Flags take precedence over the environment, then `.env`, then the defaults here. */
export interface Config {
  environment: 'sandbox' | 'production'
  host: string
  port: number
  /** `file:./wigwag.db`, `:memory:` or `postgres://…` */
  database: string
  postgresConnections: number
  /** Encrypts stored secrets. Required in production; a sandbox without one generates it. */
  secret: string | undefined
  /** While the secret is rotated: opens what it sealed, and seals until `wigwag secret reseal`. */
  previousSecret: string | undefined
  carrier: CarrierSetting
  /** How simulated carriers behave. */
  simulator: {
    delayMs: number
    answerMs: number
    canBeAsked: boolean
    trouble: { throttle: number; unanswered: number; disconnect: number; forget: number }
  }
  /** Requests per second and client; undefined for no limit. */
  rateLimit: { perSecond: number; burst: number } | undefined
  bodyLimits: { single: number; bulk: number }
  validityMs: number
  submitRetryMs: readonly number[]
  callbackTimeoutMs: number
  callbackAllowedCidrs: readonly string[]
  /** Where metrics are served; undefined for the API's own port. */
  metrics: { host: string; port: number } | undefined
  logLevel: string
  /** Whether each request is written to the log. */
  accessLog: boolean
  /** Where spans are exported to, by OTLP over HTTP; undefined while traces are off. */
  traces: TraceSettings | undefined
  /** The public address, such as `https://sms.example.com`; undefined in a sandbox means the address it listens on. */
  publicUrl: string | undefined
  /** Address ranges of the proxies whose `X-Forwarded-For` is trusted. */
  trustedProxies: readonly string[]
  /** The initial balance of the demo account. */
  demoBalance: Micros
  connector: ConnectorSettings
  /** The worker's longest sleep: other processes queue work without waking it. */
  pollMs: number
  /** How long to gather jobs before they are claimed together. */
  gatherMs: number
  /** How often a page's live stream checks that its session is still active. */
  streamCheckMs: number
}

export type Flags = Partial<Record<SettingName, string>>
type Environment = Readonly<Record<string, string | undefined>>

/** A setting is not valid. The message names it, what was expected and what was given. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

const names = {
  env: 'WIGWAG_ENV',
  host: 'WIGWAG_HOST',
  port: 'WIGWAG_PORT',
  database: 'WIGWAG_DATABASE_URL',
  postgresConnections: 'WIGWAG_POSTGRES_CONNECTIONS',
  secret: 'WIGWAG_SECRET',
  previousSecret: 'WIGWAG_SECRET_PREVIOUS',
  carrier: 'WIGWAG_CARRIER',
  simulatorDelay: 'WIGWAG_SIMULATOR_DELAY_MS',
  simulatorAnswer: 'WIGWAG_SIMULATOR_ANSWER_MS',
  simulatorCanBeAsked: 'WIGWAG_SIMULATOR_CAN_BE_ASKED',
  simulatorTrouble: 'WIGWAG_SIMULATOR_TROUBLE',
  rateLimit: 'WIGWAG_RATE_LIMIT',
  rateBurst: 'WIGWAG_RATE_BURST',
  validityHours: 'WIGWAG_VALIDITY_HOURS',
  callbackTimeout: 'WIGWAG_CALLBACK_TIMEOUT_MS',
  callbackAllow: 'WIGWAG_CALLBACK_ALLOW',
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
  demoBalance: 'WIGWAG_DEMO_BALANCE',
  mcpHosts: 'WIGWAG_MCP_HOSTS',
  mcpDailySpend: 'WIGWAG_MCP_DAILY_SPEND',
  mcpDailyMessages: 'WIGWAG_MCP_DAILY_MESSAGES',
  mcpRecipients: 'WIGWAG_MCP_RECIPIENTS',
  mcpUnasked: 'WIGWAG_MCP_UNASKED',
} as const
type SettingName = keyof typeof names

const HOUR = 3_600_000
const SHORTEST_SECRET = 32

/** Reads all settings. A `.env` file is read from `folder`, if one is given. */
export function loadConfig(flags: Flags, environment: Environment, folder?: string): Config {
  const file = folder === undefined ? {} : readEnvFile(join(folder, '.env'))
  const text = (name: SettingName) =>
    nonEmpty(flags[name]) ?? nonEmpty(environment[names[name]]) ?? nonEmpty(file[names[name]])
  /** A limit that is set but empty is an error, so that it can't mean unlimited by mistake. */
  const limit = <T>(name: SettingName, read: (given: string) => T): T | undefined => {
    const given = flags[name] ?? environment[names[name]] ?? file[names[name]]
    if (given === '')
      throw new ConfigError(`${names[name]}: expected a limit, got nothing; leave it out for none.`)
    return given === undefined ? undefined : read(given)
  }
  const whole = (name: SettingName, otherwise: number, least = 0) =>
    wholeNumber(names[name], text(name), otherwise, least)

  const env = oneOf('env', text('env') ?? 'sandbox', ['sandbox', 'production'])
  const production = env === 'production'
  if (production) checkSecret(text('secret'))
  if (text('previousSecret') !== undefined && text('secret') === undefined) {
    throw new ConfigError(
      `${names.previousSecret}: expected ${names.secret} beside it, got it alone; a new secret goes into ${names.secret}.`,
    )
  }
  if (production && text('carrier') === undefined) {
    throw new ConfigError(
      `${names.carrier} is required in production: expected smpp://user:password@host:2775, file:./carriers.json or simulator.`,
    )
  }
  const logLevel = oneOf('logLevel', text('logLevel') ?? (production ? 'info' : 'warn'), LEVELS)
  const logsAll = LEVELS.indexOf(logLevel) >= LEVELS.indexOf('info') && logLevel !== 'silent'
  const perSecond = whole('rateLimit', production ? 100 : 0)
  return {
    environment: env,
    host: text('host') ?? '127.0.0.1',
    port: portNumber('port', text('port') ?? '8080'),
    database: text('database') ?? 'file:./wigwag.db',
    postgresConnections: whole('postgresConnections', 10, 3),
    secret: text('secret'),
    previousSecret: text('previousSecret'),
    carrier: {
      given: text('carrier') ?? 'simulator',
      folder: folder ?? '.',
      variables: () => ({
        ...(folder === undefined ? {} : readEnvFile(join(folder, '.env'))),
        ...environment,
      }),
    },
    simulator: {
      delayMs: whole('simulatorDelay', 1_000),
      answerMs: whole('simulatorAnswer', 0),
      canBeAsked: oneOf('simulatorCanBeAsked', text('simulatorCanBeAsked') ?? 'yes', ['yes', 'no']) === 'yes',
      trouble: troubles(text('simulatorTrouble') ?? ''),
    },
    rateLimit: perSecond === 0 ? undefined : { perSecond, burst: whole('rateBurst', 2 * perSecond, 1) },
    bodyLimits: { single: 64 * 1024, bulk: 2 * 1024 * 1024 },
    validityMs: whole('validityHours', 48, 1) * HOUR + RECEIPT_GRACE_MS,
    submitRetryMs: production ? [1_000, 5_000, 30_000, 120_000, 600_000] : [200, 400, 800],
    callbackTimeoutMs: whole('callbackTimeout', 15_000, 100),
    callbackAllowedCidrs: ranges('callbackAllow', text('callbackAllow') ?? ''),
    metrics: production
      ? {
          // Metrics are for the operator, so by default only this machine can read them.
          host: text('metricsHost') ?? '127.0.0.1',
          port: portNumber('metricsPort', text('metricsPort') ?? '9464'),
        }
      : undefined,
    publicUrl: publicUrl(text('publicUrl')),
    trustedProxies: ranges('trustedProxies', text('trustedProxies') ?? ''),
    demoBalance: amount('demoBalance', text('demoBalance') ?? '100'),
    connector: {
      hosts: list(text('mcpHosts') ?? LOOPBACK_NAMES.join(' ')),
      dailySpend: limit('mcpDailySpend', (given) => amount('mcpDailySpend', given)),
      dailyMessages: limit('mcpDailyMessages', (given) => wholeNumber(names.mcpDailyMessages, given, 0, 0)),
      recipients: limit('mcpRecipients', recipientRules),
      unasked: oneOf('mcpUnasked', limit('mcpUnasked', (given) => given) ?? 'send', ['send', 'refuse']),
    },
    pollMs: 1_000,
    gatherMs: 10,
    streamCheckMs: 30_000,
    logLevel,
    traces: traces(text),
    accessLog: oneOf('accessLog', text('accessLog') ?? (logsAll ? 'yes' : 'no'), ['yes', 'no']) === 'yes',
  }
}

function traces(text: (name: SettingName) => string | undefined): TraceSettings | undefined {
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
    return [pair.slice(0, equals), decodeURIComponent(pair.slice(equals + 1))]
  })
  return {
    endpoint: endpoint.replace(/\/+$/, ''),
    headers: Object.fromEntries(pairs),
    service: text('traceService') ?? 'wigwag',
    share,
  }
}

const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

/** The variables of a `.env` file; none if it can't be read. */
export function readEnvFile(path: string): Environment {
  try {
    return parseEnv(readFileSync(path, 'utf8'))
  } catch {
    return {}
  }
}

/** The secret encrypts stored secrets and signs browsers' form tickets, so it must not be guessable. */
function checkSecret(secret: string | undefined): void {
  if (secret !== undefined && secret.length >= SHORTEST_SECRET) return
  const got = secret === undefined ? 'nothing' : `${secret.length}`
  throw new ConfigError(
    `${names.secret}: expected at least ${SHORTEST_SECRET} characters in production, got ${got}. Make one with ` +
      '`openssl rand -base64 32`, and keep it: the database opens only with the same secret.',
  )
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text
}

function list(text: string): string[] {
  return text.split(/[\s,]+/).filter((item) => item !== '')
}

/** Address ranges in CIDR notation, checked. */
function ranges(name: SettingName, text: string): string[] {
  const given = list(text)
  try {
    parseCidrs(given)
  } catch (error) {
    throw new ConfigError(`${names[name]}: ${error instanceof Error ? error.message : error}`)
  }
  return given
}

function recipientRules(text: string): string[] {
  try {
    return readRecipientRules(text)
  } catch (error) {
    throw new ConfigError(
      asSentence(`${names.mcpRecipients}: ${error instanceof Error ? error.message : error}`),
    )
  }
}

/** The gateway's public address. It is compared exactly, so nothing may follow the host and port. */
function publicUrl(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isHttp = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url))
  if (url && isHttp && url.href === `${url.origin}/`) return url.origin
  throw new ConfigError(
    `${names.publicUrl}: expected an address such as https://sms.example.com, without a path, got ${JSON.stringify(shownUrl(text))}.`,
  )
}

const NO_TROUBLE = { throttle: 0, unanswered: 0, disconnect: 0, forget: 0 }

/** What the simulator does wrong, such as `throttle=30 unanswered=1`: messages a second, and parts of a hundred. */
function troubles(text: string): Config['simulator']['trouble'] {
  const given = { ...NO_TROUBLE }
  for (const item of list(text)) {
    const [key = '', value = ''] = item.split('=')
    if (!isTrouble(key) || !/^\d{1,6}$/.test(value)) {
      const known = Object.keys(NO_TROUBLE).join(', ')
      throw new ConfigError(
        `${names.simulatorTrouble}: expected words such as throttle=30 unanswered=1, out of ${known}, got ${JSON.stringify(item)}.`,
      )
    }
    given[key] = Number(value)
  }
  return given
}

function isTrouble(key: string): key is keyof typeof NO_TROUBLE {
  return key in NO_TROUBLE
}

function wholeNumber(name: string, text: string | undefined, otherwise: number, least: number): number {
  if (text === undefined) return otherwise
  if (/^\d{1,12}$/.test(text) && Number(text) >= least) return Number(text)
  throw new ConfigError(`${name}: expected a whole number from ${least}, got ${JSON.stringify(text)}.`)
}

function portNumber(name: SettingName, text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text)
  throw new ConfigError(`${names[name]}: expected a port from 0 to 65535, got ${JSON.stringify(text)}.`)
}

function amount(name: SettingName, text: string): Micros {
  try {
    return parseAmount(text)
  } catch (error) {
    throw new ConfigError(`${names[name]}: ${error instanceof Error ? error.message : error}`)
  }
}

function oneOf<T extends string>(name: SettingName, text: string, choices: readonly T[]): T {
  const found = choices.find((choice) => choice === text)
  if (found) return found
  throw new ConfigError(`${names[name]}: expected ${choices.join(' or ')}, got ${JSON.stringify(text)}.`)
}
