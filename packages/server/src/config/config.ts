import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { LOOPBACK_NAMES, type Micros, UNASKED, type Unasked } from '@wigwag/contract'
import { RECEIPT_GRACE_MS } from '../kernel/message.ts'
import type { OperatorContact } from '../kernel/operator-contact.ts'
import { HOUR_MS, type Retention } from '../kernel/time/spans.ts'
import { databaseUrl, processCount, standbyUrl } from './database-settings.ts'
import { type MailSettings, mailSettings } from './mail-settings.ts'
import { operatorContact } from './operator-contact.ts'
import {
  amount,
  ConfigError,
  cellName,
  checkSecret,
  days,
  type Environment,
  type Flags,
  LEVELS,
  list,
  names,
  nonEmpty,
  type OperatorWebhook,
  oneOf,
  operatorWebhook,
  portNumber,
  publicUrl,
  ranges,
  readEnvFile,
  recipientRules,
  type SettingName,
  type TraceSettings,
  type Troubles,
  traces,
  troubles,
  wholeNumber,
} from './setting-values.ts'

/** The `/mcp` endpoint's settings: its hostnames, and the limits on callers with REST API credentials. */
export interface McpSettings {
  /** The allowed `Host` names of `/mcp`. Any other is refused, which stops DNS rebinding. */
  hosts: readonly string[]
  /** How much a caller may spend a day. Without it, callers may only read. */
  dailySpend: Micros | undefined
  dailyMessages: number | undefined
  recipients: readonly string[] | undefined
  /** Whether a caller sends when its person can't be asked to confirm. */
  unasked: Unasked
}

/** Which carriers there are: the setting, and what is needed to read it again while the gateway runs. */
export interface CarrierSetting {
  /** `simulator`, `smpp://…` or `file:…` */
  given: string
  /** The folder that its relative paths start from. */
  folder: string
  /** The environment and the `.env` file as they are now, for passwords. */
  variables(): Environment
  /** Whether a variable is one of the process, which stays as it is while the process runs. */
  isFixed?(variable: string): boolean
}

/** Where the operators' desk listens, and the address at which they open it. */
export interface DeskSettings {
  host: string
  port: number
  /** Whether nobody asked for this port, so that any other does when something else listens on it. */
  anyPort: boolean
  /** Behind a proxy; undefined for the address it listens on. */
  url: string | undefined
}

/** All settings. Flags take precedence over the environment, then `.env`, then the defaults here. */
export interface Config {
  environment: 'sandbox' | 'production'
  host: string
  port: number
  /** `file:./wigwag.db`, `:memory:` or `postgres://…`, which may name several hosts */
  database: string
  /** `postgres://…` of a standby, for reads that may be a second old; undefined for none. */
  databaseRead: string | undefined
  postgresConnections: number
  /** How many processes share the ports of one command. */
  processes: number
  /** The name of the cell that the database is; undefined for the only one, or for the name that it has. */
  cell: string | undefined
  /** Encrypts stored secrets. Required in production; a sandbox without one generates it. */
  secret: string | undefined
  /** While the secret is rotated: opens what it sealed, and seals until `wigwag secret reseal`. */
  previousSecret: string | undefined
  carrier: CarrierSetting
  /** How simulated carriers behave. */
  simulator: {
    delayMs: number
    answerMs: number
    window: number
    tps: number
    trouble: Troubles
  }
  /** Requests per second and client; undefined for no limit. */
  rateLimit: { perSecond: number; burst: number } | undefined
  bodyLimits: { single: number; bulk: number }
  validityMs: number
  submitRetryMs: readonly number[]
  callbackTimeoutMs: number
  callbackAllowedCidrs: readonly string[]
  /** Where the operators' desk is; undefined for nowhere. */
  desk: DeskSettings | undefined
  /** Where events for the operator are posted, and the secrets that sign them; undefined for nowhere. */
  operatorWebhook: OperatorWebhook | undefined
  /** By which server mails are sent, and who is told of alerts; undefined for no mails. */
  mail: MailSettings | undefined
  /** How customers reach who runs the gateway. */
  operator: OperatorContact
  /** Whether owners of accounts may let others in; else the operator does. */
  invites: boolean
  /** Whether customers read which carrier had a message, and what that calls it. */
  showCarriers: boolean
  retain: Retention
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
  mcp: McpSettings
  /** The worker's longest sleep: other processes queue work without waking it. */
  pollMs: number
  /** How late a wallet that ran low may be noticed. */
  lowWalletCheckMs: number
  /** How often one of the gateways looks for what is wrong. */
  alertCheckMs: number
  /** How long a gateway that was asked to stop still answers, while `/readyz` says that it is not ready. */
  stopDelayMs: number
  /** How long to gather jobs before they are claimed together. */
  gatherMs: number
}

/** Reads all settings, and names all that are wrong. A `.env` file is read from `folder`, if one is given. */
export function loadConfig(flags: Flags, environment: Environment, folder?: string): Config {
  const file = folder === undefined ? {} : readEnvFile(join(folder, '.env'))
  const text = (name: SettingName) =>
    nonEmpty(flags[name]) ?? nonEmpty(environment[names[name]]) ?? nonEmpty(file[names[name]])
  /** Where an empty value says something. */
  const asGiven = (name: SettingName) => flags[name] ?? environment[names[name]] ?? file[names[name]]
  /** A limit that is set but empty is an error, so that it can't mean unlimited by mistake. */
  const limit = <T>(name: SettingName, read: (given: string) => T): T | undefined => {
    const given = asGiven(name)
    if (given === '')
      throw new ConfigError(`${names[name]}: expected a limit, got nothing; leave it out for none.`)
    return given === undefined ? undefined : read(given)
  }
  const whole = (name: SettingName, otherwise: number, least = 0) =>
    wholeNumber(names[name], text(name), otherwise, least)
  const yesOrNo = (name: SettingName, otherwise: 'yes' | 'no') =>
    oneOf(name, text(name) ?? otherwise, ['yes', 'no']) === 'yes'

  const production = text('env') === 'production'
  const logLevel = () => oneOf('logLevel', text('logLevel') ?? (production ? 'info' : 'warn'), LEVELS)
  const logsAll = () => ['info', 'debug', 'trace'].includes(logLevel())
  return readAll<Config>({
    environment: () => oneOf('env', text('env') ?? 'sandbox', ['sandbox', 'production']),
    host: () => text('host') ?? '127.0.0.1',
    port: () => portNumber('port', text('port') ?? '8080'),
    database: () => databaseUrl('database', text('database') ?? 'file:./wigwag.db'),
    databaseRead: () => standbyUrl(text('databaseRead'), text('database')),
    postgresConnections: () => whole('postgresConnections', 10, 3),
    processes: () =>
      processCount(text('processes'), { database: text('database'), production }, availableParallelism()),
    cell: () => cellName(text('cell')),
    secret() {
      if (production) checkSecret(text('secret'))
      return text('secret')
    },
    previousSecret() {
      if (text('previousSecret') === undefined || text('secret') !== undefined) return text('previousSecret')
      throw new ConfigError(
        `${names.previousSecret}: expected ${names.secret} beside it, got it alone; a new secret goes into ${names.secret}.`,
      )
    },
    carrier() {
      if (production && text('carrier') === undefined) {
        throw new ConfigError(
          `${names.carrier} is required in production: expected smpp://user:password@host:2775, file:./carriers.json or simulator.`,
        )
      }
      return {
        given: text('carrier') ?? 'simulator',
        folder: folder ?? '.',
        variables: () => ({
          ...(folder === undefined ? {} : readEnvFile(join(folder, '.env'))),
          ...environment,
        }),
        isFixed: (variable) => environment[variable] !== undefined,
      }
    },
    simulator: () =>
      readAll({
        delayMs: () => whole('simulatorDelay', 1_000),
        answerMs: () => whole('simulatorAnswer', 0),
        window: () => whole('simulatorWindow', 1_000, 1),
        tps: () => whole('simulatorTps', 0),
        trouble: () => troubles(text('simulatorTrouble') ?? ''),
      }),
    rateLimit() {
      const perSecond = whole('rateLimit', production ? 100 : 0)
      return perSecond === 0 ? undefined : { perSecond, burst: whole('rateBurst', 2 * perSecond, 1) }
    },
    bodyLimits: () => ({ single: 64 * 1024, bulk: 2 * 1024 * 1024 }),
    validityMs: () => whole('validityHours', 48, 1) * HOUR_MS + RECEIPT_GRACE_MS,
    submitRetryMs: () => (production ? [1_000, 5_000, 30_000, 120_000, 600_000] : [200, 400, 800]),
    retain: () =>
      readAll({
        messagesMs: () => limit('retain', days('retain')),
        callbacksMs: () => limit('retainCallbacks', days('retainCallbacks')),
        auditMs: () => limit('retainAudit', days('retainAudit')),
      }),
    callbackTimeoutMs: () => whole('callbackTimeout', 15_000, 100),
    callbackAllowedCidrs: () => ranges('callbackAllow', text('callbackAllow') ?? ''),
    desk() {
      const given = asGiven('operatorPort')
      // Empty switches it off, also where a file that several gateways read has a port.
      if (given === '' || (production && given === undefined)) return undefined
      return {
        // The desk is for the operator, so by default only this machine can reach it.
        host: text('operatorHost') ?? '127.0.0.1',
        port: given === undefined ? portAfter(text('port') ?? '8080') : portNumber('operatorPort', given),
        anyPort: given === undefined,
        url: publicUrl(text('operatorUrl'), 'operatorUrl'),
      }
    },
    operatorWebhook: () => operatorWebhook(text),
    mail: () => mailSettings(text, folder ?? '.'),
    operator: () => operatorContact(text),
    invites: () => oneOf('invites', text('invites') ?? 'on', ['on', 'off'] as const) === 'on',
    showCarriers: () => oneOf('showCarriers', text('showCarriers') ?? 'off', ['on', 'off'] as const) === 'on',
    metrics() {
      if (!production) return undefined
      return {
        // Metrics are for the operator, so by default only this machine can read them.
        host: text('metricsHost') ?? '127.0.0.1',
        port: portNumber('metricsPort', text('metricsPort') ?? '9464'),
      }
    },
    publicUrl: () => publicUrl(text('publicUrl')),
    trustedProxies: () => ranges('trustedProxies', text('trustedProxies') ?? ''),
    stopDelayMs: () => whole('stopDelay', 0),
    demoBalance: () => amount('demoBalance', text('demoBalance') ?? '100'),
    mcp: () =>
      readAll({
        hosts: () => list(text('mcpHosts') ?? LOOPBACK_NAMES.join(' ')),
        dailySpend: () => limit('mcpDailySpend', (given) => amount('mcpDailySpend', given)),
        dailyMessages: () =>
          limit('mcpDailyMessages', (given) => wholeNumber(names.mcpDailyMessages, given, 0, 0)),
        recipients: () => limit('mcpRecipients', recipientRules),
        unasked: () => oneOf('mcpUnasked', limit('mcpUnasked', (given) => given) ?? 'send', UNASKED),
      }),
    pollMs: () => 1_000,
    lowWalletCheckMs: () => 20_000,
    alertCheckMs: () => 15_000,
    gatherMs: () => 10,
    logLevel,
    traces: () => traces(text),
    accessLog: () => yesOrNo('accessLog', logsAll() ? 'yes' : 'no'),
  })
}

/** The next port, or any free one (0) after the last. A wrong port is reported with its own setting. */
function portAfter(port: string): number {
  const next = Number(port) + 1
  return port === '0' || !(next <= 65_535) ? 0 : next
}

/** Reads each part. If some are wrong, all of these are named at once. */
function readAll<T extends object>(parts: { [Key in keyof T]: () => T[Key] }): T {
  const wrong = new Set<string>()
  const read: Partial<T> = {}
  for (const key of keysOf(parts)) {
    try {
      read[key] = parts[key]()
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      wrong.add(error.message)
    }
  }
  if (wrong.size > 0) throw new ConfigError([...wrong].join('\n'))
  return read as T
}

function keysOf<T extends object>(object: T): (keyof T)[] {
  return Object.keys(object) as (keyof T)[]
}
