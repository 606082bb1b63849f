import { join } from 'node:path'
import { isWebUrl, pauseBy, shownUrl } from '@wigwag/contract'
import { type Client, ConnectionError, createClient, GatewayError, WigwagError } from '@wigwag/sdk'
import type { Command } from 'commander'
import { readEnvFile } from '../../setting-values.ts'
import { webUrl } from '../arguments.ts'
import { commandProcess } from '../command-process.ts'
import { Failed } from '../terminal.ts'
import { type ClientSettings, credentialsOf, readClientSettings } from './client-settings.ts'

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
