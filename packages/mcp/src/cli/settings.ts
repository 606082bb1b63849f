import {
  asSentence,
  isUnasked,
  isWebUrl,
  parseAmount,
  readRecipientRules,
  shownUrl,
  type Unasked,
} from '@wigwag/contract'
import type { Environment } from '../config-snippet.ts'
import type { Limits } from '../gate/index.ts'
import type { Place } from '../transports/index.ts'
import {
  type Flags,
  isLoopback,
  readFlags,
  readNeeded,
  readPlace,
  readState,
  UsageError,
} from './command-line.ts'

/** How the program runs, as its flags and its environment say. */
export type Settings = ClientSettings | SignInSettings

/** Serves one assistant, or one machine, with the credentials of an API client. */
export interface ClientSettings {
  kind: 'client'
  baseUrl: string
  clientId: string
  clientSecret: string
  walletToken: string
  /** Where to serve HTTP; undefined for standard input and output. */
  place: Place | undefined
  readOnly: boolean
  /** Whether a limit on spend was set, be it `unlimited`. Without one the connector only reads. */
  isLimitSaid: boolean
  limits: Limits
  unasked: Unasked
  /** The file in which sends are counted. */
  state: string
}

/** Serves everyone who signs in at the gateway, each person with their own connections. */
export interface SignInSettings {
  kind: 'sign-in'
  /** The gateway's public URL, which is also its name as an authorization server. */
  issuer: string
  connectorId: string
  connectorSecret: string
  /** The public address of the tools. */
  resource: string
  place: Place
  /** The file in which sends are recorded. */
  state: string
}

export function readSettings(args: readonly string[], env: Environment): Settings {
  const flags = readFlags(args)
  const publicUrl = flags['public-url']
  return publicUrl === undefined ? readClientSettings(flags, env) : readSignInSettings(flags, env, publicUrl)
}

const CLIENT_VARIABLES = [
  'WIGWAG_BASE_URL',
  'WIGWAG_CLIENT_ID',
  'WIGWAG_CLIENT_SECRET',
  'WIGWAG_WALLET_TOKEN',
] as const

/** A limit that can't be read is an error, so that the program never runs without a limit that was intended. */
function readClientSettings(flags: Flags, env: Environment): ClientSettings {
  const needed = readNeeded(CLIENT_VARIABLES, env)
  const { WIGWAG_BASE_URL: baseUrl, WIGWAG_CLIENT_ID: clientId } = needed
  if (!isWebUrl(baseUrl)) {
    throw new UsageError(
      'Expected WIGWAG_BASE_URL to be a URL such as https://sms.example.com, without user name and password; got ' +
        `'${shownUrl(baseUrl)}'.`,
    )
  }
  const dailySpend = flags['daily-spend'] ?? env.WIGWAG_MCP_DAILY_SPEND
  return {
    kind: 'client',
    baseUrl,
    clientId,
    clientSecret: needed.WIGWAG_CLIENT_SECRET,
    walletToken: needed.WIGWAG_WALLET_TOKEN,
    place: flags.http ? readLocalPlace(flags) : undefined,
    readOnly: flags['read-only'] ?? false,
    isLimitSaid: dailySpend !== undefined,
    limits: {
      dailySpend: readSpend(dailySpend),
      dailyMessages: readCount(flags['daily-messages'] ?? env.WIGWAG_MCP_DAILY_MESSAGES),
      recipients: readRecipients(flags.recipients ?? env.WIGWAG_MCP_RECIPIENTS),
    },
    unasked: readUnasked(flags.unasked ?? env.WIGWAG_MCP_UNASKED),
    state: readState(flags, env, baseUrl, clientId),
  }
}

function readLocalPlace(flags: Flags): Place {
  const place = readPlace(flags)
  if (isLoopback(place.host)) return place
  throw new UsageError(
    `Expected --host to be 127.0.0.1, ::1 or localhost with --unprotected; got '${place.host}'.`,
  )
}

/** `unlimited` is for gateways that tell no prices, where a limit on spend can't be kept. */
function readSpend(text: string | undefined) {
  return text === undefined || text === 'unlimited'
    ? undefined
    : orUsageError('--daily-spend or WIGWAG_MCP_DAILY_SPEND', () => parseAmount(text))
}

function readCount(text: string | undefined) {
  if (text === undefined) return undefined
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new UsageError(
    `Expected --daily-messages or WIGWAG_MCP_DAILY_MESSAGES to be a whole number such as 20; got '${text}'.`,
  )
}

function readUnasked(text = 'send'): Unasked {
  if (isUnasked(text)) return text
  throw new UsageError(`Expected --unasked or WIGWAG_MCP_UNASKED to be send or refuse; got '${text}'.`)
}

function readRecipients(text: string | undefined) {
  return text === undefined
    ? undefined
    : orUsageError('--recipients or WIGWAG_MCP_RECIPIENTS', () => readRecipientRules(text))
}

/** Turns an error of the shared rules into a usage error that names the setting. */
function orUsageError<T>(setting: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new UsageError(asSentence(`${setting}: ${error instanceof Error ? error.message : error}`))
  }
}

const CONNECTOR_VARIABLES = ['WIGWAG_BASE_URL', 'WIGWAG_CONNECTOR_ID', 'WIGWAG_CONNECTOR_SECRET'] as const
/** Each person sets these for a connection, at the gateway. */
const LIMIT_FLAGS = ['read-only', 'daily-spend', 'daily-messages', 'recipients', 'unasked'] as const
const LIMIT_VARIABLES = [
  'WIGWAG_MCP_DAILY_SPEND',
  'WIGWAG_MCP_DAILY_MESSAGES',
  'WIGWAG_MCP_RECIPIENTS',
  'WIGWAG_MCP_UNASKED',
] as const

function readSignInSettings(flags: Flags, env: Environment, publicUrl: string): SignInSettings {
  const resource = readPublicUrl(publicUrl)
  const needed = readNeeded(CONNECTOR_VARIABLES, env)
  const issuer = readIssuer(needed.WIGWAG_BASE_URL)
  const limits = [
    ...LIMIT_FLAGS.filter((flag) => flags[flag] !== undefined).map((flag) => `--${flag}`),
    ...LIMIT_VARIABLES.filter((name) => env[name] !== undefined),
  ]
  if (limits.length > 0) {
    throw new UsageError(
      `With --public-url, people set the limits of their connections at the gateway. Leave out ${limits.join(', ')}.`,
    )
  }
  return {
    kind: 'sign-in',
    issuer,
    connectorId: needed.WIGWAG_CONNECTOR_ID,
    connectorSecret: needed.WIGWAG_CONNECTOR_SECRET,
    resource,
    place: readPlace(flags),
    state: readState(flags, env, issuer, needed.WIGWAG_CONNECTOR_ID),
  }
}

function readPublicUrl(text: string): string {
  const url = readAddress(text)
  if (url?.pathname === '/mcp') return url.href
  throw new UsageError(
    'Expected --public-url to be the address that people give to their assistants, with the path /mcp, and with https ' +
      `unless its host is this machine: https://mcp.example.com/mcp; got '${shownUrl(text)}'.`,
  )
}

function readIssuer(text: string): string {
  const url = readAddress(text)
  if (url) return url.href.replace(/\/+$/, '')
  throw new UsageError(
    'Expected WIGWAG_BASE_URL to be the public URL of the gateway, with https unless its host is this machine: ' +
      `https://sms.example.com; got '${shownUrl(text)}'.`,
  )
}

/** An address that tokens may be sent to: only a host and a path, and https unless it is this machine. */
function readAddress(text: string): URL | undefined {
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  const { protocol, hostname, origin, pathname, href } = url
  const isSafe = protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
  return isSafe && href === `${origin}${pathname}` ? url : undefined
}
