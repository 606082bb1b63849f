import { isWebUrl, parseAmount, readRecipientRules, shownUrl } from '@wigwag/contract'
import {
  type Flags,
  isLoopback,
  type Place,
  readNeeded,
  readPlace,
  readState,
  UsageError,
} from './command-line.ts'
import type { Environment } from './config-snippet.ts'
import type { Limits } from './limits.ts'

/** It serves one assistant, or one machine, with the credentials of a client of the API. */
export interface ClientSettings {
  kind: 'client'
  baseUrl: string
  clientId: string
  clientSecret: string
  walletToken: string
  /** Over HTTP there, instead of over standard input and output. */
  place: Place | undefined
  readOnly: boolean
  limits: Limits
  /** The file that counts sends. */
  state: string
}

const NEEDED = ['WIGWAG_BASE_URL', 'WIGWAG_CLIENT_ID', 'WIGWAG_CLIENT_SECRET', 'WIGWAG_WALLET_TOKEN'] as const

/** A limit that can't be read is an error: nothing runs without a limit that was meant. */
export function readClientSettings(flags: Flags, env: Environment): ClientSettings {
  const needed = readNeeded(NEEDED, env)
  const { WIGWAG_BASE_URL: baseUrl, WIGWAG_CLIENT_ID: clientId } = needed
  if (!isWebUrl(baseUrl)) {
    throw new UsageError(
      'Expected WIGWAG_BASE_URL to be such as https://sms.example.com, without user name and password; got ' +
        `'${shownUrl(baseUrl)}'.`,
    )
  }
  return {
    kind: 'client',
    baseUrl,
    clientId,
    clientSecret: needed.WIGWAG_CLIENT_SECRET,
    walletToken: needed.WIGWAG_WALLET_TOKEN,
    place: flags.http ? readOwnPlace(flags) : undefined,
    readOnly: flags['read-only'] ?? false,
    limits: {
      dailySpend: readSpend(flags['daily-spend'] ?? env.WIGWAG_MCP_DAILY_SPEND),
      dailyMessages: readCount(flags['daily-messages'] ?? env.WIGWAG_MCP_DAILY_MESSAGES),
      recipients: readRecipients(flags.recipients ?? env.WIGWAG_MCP_RECIPIENTS),
    },
    state: readState(flags, env, baseUrl, clientId),
  }
}

function readOwnPlace(flags: Flags): Place {
  const place = readPlace(flags)
  if (isLoopback(place.host)) return place
  throw new UsageError(
    `Expected --host to be 127.0.0.1, ::1 or localhost without sign-in; got '${place.host}'.`,
  )
}

function readSpend(text: string | undefined) {
  return text === undefined
    ? undefined
    : orUsageError('--daily-spend or WIGWAG_MCP_DAILY_SPEND', () => parseAmount(text))
}

function readCount(text: string | undefined) {
  if (text === undefined) return undefined
  if (!/^\d{1,9}$/.test(text))
    throw new UsageError(`Expected the daily messages to be such as 20; got '${text}'.`)
  return Number(text)
}

function readRecipients(text: string | undefined) {
  return text === undefined
    ? undefined
    : orUsageError('--recipients or WIGWAG_MCP_RECIPIENTS', () => readRecipientRules(text))
}

/** What the shared rules say is wrong with a limit, as a wrong use of the command line. */
function orUsageError<T>(setting: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new UsageError(`${setting}: ${error instanceof Error ? error.message : error}.`)
  }
}
