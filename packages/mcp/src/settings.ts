import { createHash } from 'node:crypto'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Environment } from './config-snippet.ts'
import type { Limits } from './limits.ts'
import { parseAmount } from './money.ts'

/** How the program is to run, as its flags and its environment say. */
export interface Settings {
  baseUrl: string
  clientId: string
  clientSecret: string
  walletToken: string
  /** Over HTTP there, instead of over standard input and output. */
  http: { host: string; port: number } | undefined
  readOnly: boolean
  limits: Limits
  /** The file that counts sends. */
  state: string
}

/** The command line or the environment is wrong: exit code 2. */
export class UsageError extends Error {
  override name = 'UsageError'
}

const CREDENTIALS = [
  'WIGWAG_BASE_URL',
  'WIGWAG_CLIENT_ID',
  'WIGWAG_CLIENT_SECRET',
  'WIGWAG_WALLET_TOKEN',
] as const
const LOOPBACK = ['127.0.0.1', '::1', 'localhost']

/** Reads the settings. A limit that can't be read is an error: nothing runs without a limit that was meant. */
export function readSettings(args: readonly string[], env: Environment): Settings {
  const flags = readFlags(args)
  const setting = (flag: string | undefined, name: string) => flag ?? env[name]
  const missing = CREDENTIALS.filter((name) => !env[name])
  if (missing.length > 0) {
    throw new UsageError(
      `Expected ${CREDENTIALS.join(', ')} in the environment; missing: ${missing.join(', ')}.`,
    )
  }
  const [baseUrl = '', clientId = '', clientSecret = '', walletToken = ''] = CREDENTIALS.map(
    (name) => env[name],
  )
  if (!/^https?:/.test(baseUrl) || !URL.canParse(baseUrl)) {
    throw new UsageError(`Expected WIGWAG_BASE_URL to be such as https://sms.example.com; got '${baseUrl}'.`)
  }
  return {
    baseUrl,
    clientId,
    clientSecret,
    walletToken,
    http: flags.http ? readHttp(flags) : undefined,
    readOnly: flags['read-only'] ?? false,
    limits: {
      dailySpend: readSpend(setting(flags['daily-spend'], 'WIGWAG_MCP_DAILY_SPEND')),
      dailyMessages: readCount(setting(flags['daily-messages'], 'WIGWAG_MCP_DAILY_MESSAGES')),
      recipients: readRecipients(setting(flags.recipients, 'WIGWAG_MCP_RECIPIENTS')),
    },
    state: setting(flags.state, 'WIGWAG_MCP_STATE') || usualState(baseUrl, clientId),
  }
}

type Flags = ReturnType<typeof readFlags>

function readFlags(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        http: { type: 'boolean' },
        host: { type: 'string' },
        port: { type: 'string' },
        unprotected: { type: 'boolean' },
        'read-only': { type: 'boolean' },
        'daily-spend': { type: 'string' },
        'daily-messages': { type: 'string' },
        recipients: { type: 'string' },
        state: { type: 'string' },
      },
    }).values
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

function readHttp({ host = '127.0.0.1', port = '8081', unprotected }: Flags) {
  if (!unprotected) {
    throw new UsageError(
      '--http serves this wallet to whoever can reach the port, because there is no sign-in. Add --unprotected if that ' +
        'is what you want; it then listens on this machine alone.',
    )
  }
  if (!LOOPBACK.includes(host)) {
    throw new UsageError(
      `Expected --host to be one of ${LOOPBACK.join(', ')} without sign-in; got '${host}'.`,
    )
  }
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) {
    throw new UsageError(`Expected --port to be a number up to 65535; got '${port}'.`)
  }
  return { host, port: Number(port) }
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

/** One file a client of a gateway, so that every assistant that has its credentials shares its limits. */
function usualState(baseUrl: string, clientId: string): string {
  const name = createHash('sha256')
    .update(JSON.stringify([baseUrl, clientId]))
    .digest('hex')
    .slice(0, 16)
  return join(homedir(), '.wigwag', `mcp-${name}.jsonl`)
}
