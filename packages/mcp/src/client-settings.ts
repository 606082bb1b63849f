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
import { parseAmount } from './money.ts'

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
  if (!/^https?:/.test(baseUrl) || !URL.canParse(baseUrl)) {
    throw new UsageError(`Expected WIGWAG_BASE_URL to be such as https://sms.example.com; got '${baseUrl}'.`)
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
  if (text === undefined) return undefined
  const amount = parseAmount(text)
  if (amount === undefined)
    throw new UsageError(`Expected the daily spend to be such as 5 or 0.50; got '${text}'.`)
  return amount
}

function readCount(text: string | undefined) {
  if (text === undefined) return undefined
  if (!/^\d{1,9}$/.test(text))
    throw new UsageError(`Expected the daily messages to be such as 20; got '${text}'.`)
  return Number(text)
}

function readRecipients(text: string | undefined) {
  if (text === undefined) return undefined
  const rules = text.split(',').map((rule) => rule.trim())
  for (const rule of rules) {
    if (/^[1-9]\d{0,14}\*?$/.test(rule)) continue
    throw new UsageError(
      `Expected the recipients to be numbers, or beginnings with *, between commas, such as 233241234567,23320*; got '${rule}'.`,
    )
  }
  return rules
}
