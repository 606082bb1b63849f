import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { isLoopback, LOOPBACK_NAMES } from './domain/loopback.ts'
import { type Micros, parseAmount } from './domain/money.ts'
import { readRecipientRules } from './domain/recipient-rules.ts'
import { shownUrl } from './domain/web-url.ts'
import { parseCidrs } from './net/cidr-set.ts'

/** What a person lets assistants do. */
export interface ConnectorSettings {
  /** The names under which `/mcp` may be called: a page that had another one rebound to this machine is refused. */
  hosts: readonly string[]
  /** How much a connection may spend a day. Without it, assistants only read. */
  dailySpend: Micros | undefined
  dailyMessages: number | undefined
  recipients: readonly string[] | undefined
}

/** Everything that can be set from outside. Flags over environment over `.env` over what is written here. */
export interface Config {
  environment: 'sandbox' | 'production'
  host: string
  port: number
  /** `file:./wigwag.db`, `:memory:` or `postgres://…` */
  database: string
  postgresConnections: number
  /** Seals what must be read again. Required in production; a sandbox without one makes its own. */
  secret: string | undefined
  carrier: 'simulator'
  /** What the simulated carrier is like. */
  simulator: { delayMs: number; answerMs: number; canBeAsked: boolean }
  /** Requests a second and client; undefined is no limit. */
  rateLimit: { perSecond: number; burst: number } | undefined
  bodyLimits: { single: number; bulk: number }
  validityMs: number
  submitRetryMs: readonly number[]
  callbackTimeoutMs: number
  callbackAllowedCidrs: readonly string[]
  /** Where metrics are served; undefined serves them beside the API. */
  metrics: { host: string; port: number } | undefined
  logLevel: string
  /** Where people and assistants reach this gateway, as in `https://sms.example.com`; in a sandbox, where it listens. */
  publicUrl: string | undefined
  /** Ranges of proxies whose word is taken for the address that a request comes from. */
  trustedProxies: readonly string[]
  /** What the demo account's wallet holds at first. */
  demoBalance: Micros
  connector: ConnectorSettings
  /** The worker's longest sleep: other processes queue work without waking it. */
  pollMs: number
  /** How long work gathers before it is claimed. */
  gatherMs: number
}

export type Flags = Partial<Record<SettingName, string>>
type Environment = Readonly<Record<string, string | undefined>>

/** A setting that does not make sense. Says which one, what was expected and what came. */
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
  carrier: 'WIGWAG_CARRIER',
  simulatorDelay: 'WIGWAG_SIMULATOR_DELAY_MS',
  simulatorAnswer: 'WIGWAG_SIMULATOR_ANSWER_MS',
  simulatorCanBeAsked: 'WIGWAG_SIMULATOR_CAN_BE_ASKED',
  rateLimit: 'WIGWAG_RATE_LIMIT',
  rateBurst: 'WIGWAG_RATE_BURST',
  validityHours: 'WIGWAG_VALIDITY_HOURS',
  callbackTimeout: 'WIGWAG_CALLBACK_TIMEOUT_MS',
  callbackAllow: 'WIGWAG_CALLBACK_ALLOW',
  metricsHost: 'WIGWAG_METRICS_HOST',
  metricsPort: 'WIGWAG_METRICS_PORT',
  logLevel: 'WIGWAG_LOG_LEVEL',
  publicUrl: 'WIGWAG_PUBLIC_URL',
  trustedProxies: 'WIGWAG_TRUSTED_PROXIES',
  demoBalance: 'WIGWAG_DEMO_BALANCE',
  mcpHosts: 'WIGWAG_MCP_HOSTS',
  mcpDailySpend: 'WIGWAG_MCP_DAILY_SPEND',
  mcpDailyMessages: 'WIGWAG_MCP_DAILY_MESSAGES',
  mcpRecipients: 'WIGWAG_MCP_RECIPIENTS',
} as const
type SettingName = keyof typeof names

const HOUR = 3_600_000
const SHORTEST_SECRET = 32

/** `folder` is where a `.env` file may lie; without one, none is read. */
export function loadConfig(flags: Flags, environment: Environment, folder?: string): Config {
  const file = folder === undefined ? {} : readEnvFile(join(folder, '.env'))
  const text = (name: SettingName) =>
    nonEmpty(flags[name]) ?? nonEmpty(environment[names[name]]) ?? nonEmpty(file[names[name]])
  /** A limit that was meant and left empty must not be none. */
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
  if (production && text('carrier') === undefined) {
    throw new ConfigError(
      `${names.carrier} is required in production: expected the name of a carrier, such as simulator.`,
    )
  }
  const perSecond = whole('rateLimit', production ? 100 : 0)
  return {
    environment: env,
    host: text('host') ?? '127.0.0.1',
    port: portNumber('port', text('port') ?? '8080'),
    database: text('database') ?? 'file:./wigwag.db',
    postgresConnections: whole('postgresConnections', 10, 3),
    secret: text('secret'),
    carrier: oneOf('carrier', text('carrier') ?? 'simulator', ['simulator']),
    simulator: {
      delayMs: whole('simulatorDelay', 1_000),
      answerMs: whole('simulatorAnswer', 0),
      canBeAsked: oneOf('simulatorCanBeAsked', text('simulatorCanBeAsked') ?? 'yes', ['yes', 'no']) === 'yes',
    },
    rateLimit: perSecond === 0 ? undefined : { perSecond, burst: whole('rateBurst', 2 * perSecond, 1) },
    bodyLimits: { single: 64 * 1024, bulk: 2 * 1024 * 1024 },
    validityMs: whole('validityHours', 48, 1) * HOUR + HOUR,
    submitRetryMs: production ? [1_000, 5_000, 30_000, 120_000, 600_000] : [200, 400, 800],
    callbackTimeoutMs: whole('callbackTimeout', 15_000, 100),
    callbackAllowedCidrs: ranges('callbackAllow', text('callbackAllow') ?? ''),
    metrics: production
      ? {
          // What it counts is for the operator, so other machines get it only where the operator says so.
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
    },
    pollMs: 1_000,
    gatherMs: 10,
    logLevel: oneOf('logLevel', text('logLevel') ?? (production ? 'info' : 'warn'), LEVELS),
  }
}

const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

/** What a `.env` file sets; nothing when there is none. */
export function readEnvFile(path: string): Environment {
  try {
    return parseEnv(readFileSync(path, 'utf8'))
  } catch {
    return {}
  }
}

/** It seals secrets and signs what browsers hold: one that can be guessed gives all of that away. */
function checkSecret(secret: string | undefined): void {
  if (secret !== undefined && secret.length >= SHORTEST_SECRET) return
  const got = secret === undefined ? 'nothing' : `${secret.length}`
  throw new ConfigError(
    `${names.secret}: expected at least ${SHORTEST_SECRET} characters in production, got ${got}. Make one with ` +
      '`openssl rand -base64 32`, and keep it: the database opens with the same one only.',
  )
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text
}

function list(text: string): string[] {
  return text.split(/[\s,]+/).filter((item) => item !== '')
}

/** Ranges of addresses, as whoever uses them will read them. */
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
    throw new ConfigError(`${names.mcpRecipients}: ${error instanceof Error ? error.message : error}.`)
  }
}

/** Where the gateway stands for the world. It is compared letter by letter, so nothing may follow the host. */
function publicUrl(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isHttp = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url))
  if (url && isHttp && url.href === `${url.origin}/`) return url.origin
  throw new ConfigError(
    `${names.publicUrl}: expected an address such as https://sms.example.com, without a path, got ${JSON.stringify(shownUrl(text))}.`,
  )
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
