import { join } from 'node:path'
import { isWebUrl, pauseBy, shownUrl } from '@wigwag/contract'
import { type Client, ConnectionError, createClient, GatewayError, WigwagError } from '@wigwag/sdk'
import type { Command } from 'commander'
import { readEnvFile } from '../../config/setting-values.ts'
import { webUrl } from '../arguments.ts'
import { commandProcess } from '../command-process.ts'
import { Failed } from '../terminal.ts'

export interface GatewayFlags {
  url?: string
}

const DEFAULT_URL = 'http://127.0.0.1:8080'

export function withGateway(command: Command): Command {
  return command.option(
    '--url <url>',
    `the address of the gateway (WIGWAG_BASE_URL, default ${DEFAULT_URL})`,
    webUrl,
  )
}

/** The settings of this command line. */
export function clientSettings({ url }: GatewayFlags): ClientSettings {
  const { env } = commandProcess()
  const given = url === undefined ? env : { ...env, WIGWAG_BASE_URL: url }
  return readClientSettings(given, () => readEnvFile(join(process.cwd(), '.env')))
}

/** The sender of the flag, or else of the settings. */
export function senderOf(flags: GatewayFlags & { from?: string }): string {
  const from = flags.from ?? clientSettings(flags).sender
  if (from !== undefined) return from
  throw new Failed('--from: expected a sender ID, there or in WIGWAG_FROM, got none', 2)
}

/** The address of the gateway, which fetch accepts. */
export function baseUrlOf(settings: ClientSettings): string {
  const baseUrl = settings.get('WIGWAG_BASE_URL') ?? DEFAULT_URL
  if (isWebUrl(baseUrl)) return baseUrl
  throw new Failed(
    `WIGWAG_BASE_URL: expected a URL such as ${DEFAULT_URL}, without user name and password, got ` +
      JSON.stringify(shownUrl(baseUrl)),
    2,
  )
}

/** Runs work with a client of the gateway. Turns errors into messages for the user. */
export async function withClient<T>(flags: GatewayFlags, work: (client: Client) => Promise<T>): Promise<T> {
  const settings = clientSettings(flags)
  const baseUrl = baseUrlOf(settings)
  const { clock } = commandProcess()
  const client = createClient({
    baseUrl,
    ...credentialsOf(settings),
    clock: clock && { now: clock.now, sleep: (ms, signal) => pauseBy(clock, ms, signal) },
  })
  try {
    return await work(client)
  } catch (error) {
    if (error instanceof WigwagError) throw new Failed(inWords(error, baseUrl), 1, detailsOf(error))
    throw error
  }
}

/** The error with each refused field, and how to continue after a send whose outcome is unknown. */
function inWords(error: WigwagError, baseUrl: string): string {
  const lines = [
    error instanceof ConnectionError ? `no gateway answers at ${baseUrl} (${error.message})` : error.message,
  ]
  if (error instanceof GatewayError) {
    lines.push(...error.errors.map(({ pointer, detail }) => `  ${pointer}: ${detail}`))
    if (error.code) lines.push(`  code: ${error.code}`)
    if (error.requestId) lines.push(`  request ID: ${error.requestId}`)
  }
  if (error.uncertain && error.idempotencyKey) {
    lines.push(
      `The message may have been sent. To be sure, repeat with --idempotency-key ${error.idempotencyKey}`,
    )
  }
  return lines.join('\n')
}

/** The parts of an error that a program may branch on. */
function detailsOf(error: WigwagError): Record<string, unknown> {
  const { uncertain, idempotencyKey } = error
  const known =
    error instanceof GatewayError
      ? { code: error.code, requestId: error.requestId, errors: error.errors }
      : {}
  return { ...known, uncertain, idempotencyKey }
}

type Environment = Readonly<Record<string, string | undefined>>

/** The settings of a client: the gateway's address, the credentials and the callback secret. */
const NAMES = [
  'WIGWAG_BASE_URL',
  'WIGWAG_CLIENT_ID',
  'WIGWAG_CLIENT_SECRET',
  'WIGWAG_WALLET_TOKEN',
  'WIGWAG_CALLBACK_SECRET',
] as const

/** Settings that all come from one source. An empty setting counts as not set. */
export interface ClientSettings {
  from: 'environment' | '.env'
  get(name: (typeof NAMES)[number]): string | undefined
  /** `WIGWAG_FROM`. It is no part of the group: with it alone in the environment, `.env` is still read. */
  sender: string | undefined
}

/**
 * Takes all settings from `given` (the environment and the flags) if any of them is set there, else from the file. They
 * are never mixed: a hostile `.env` in the current folder could set the address that the environment's credentials are
 * sent to.
 */
function readClientSettings(given: Environment, readFile: () => Environment): ClientSettings {
  const from = NAMES.some((name) => given[name]) ? 'environment' : '.env'
  const values = from === 'environment' ? given : readFile()
  const sender = given.WIGWAG_FROM || values.WIGWAG_FROM || undefined
  return { from, sender, get: (name) => values[name] || undefined }
}

export function credentialsOf({ from, get }: ClientSettings) {
  const clientId = get('WIGWAG_CLIENT_ID')
  const clientSecret = get('WIGWAG_CLIENT_SECRET')
  const walletToken = get('WIGWAG_WALLET_TOKEN')
  if (clientId && clientSecret && walletToken) return { clientId, clientSecret, walletToken }

  const credentials = ['WIGWAG_CLIENT_ID', 'WIGWAG_CLIENT_SECRET', 'WIGWAG_WALLET_TOKEN'] as const
  const missing = credentials.filter((name) => get(name) === undefined).join(', no ')
  const why = {
    environment:
      `expected credentials in the environment, but there is no ${missing}; .env is not read, because ` +
      `${NAMES.filter(get).join(' and ')} came from the environment or a flag, and settings of a client are never ` +
      'taken from both; paste all the export lines that npm start printed',
    '.env':
      `expected credentials in the environment or in .env, but there is no ${missing} in .env and none of them in the ` +
      'environment; paste the export lines that npm start printed, or those of wigwag account create',
  }
  throw new Failed(why[from], 2)
}
