import { join } from 'node:path'
import { type Client, ConnectionError, createClient, GatewayError, WigwagError } from '@wigwag/sdk'
import type { Command } from 'commander'
import { readEnvFile } from '../config.ts'
import { isWebUrl, shownUrl } from '../domain/web-url.ts'
import { webUrl } from './arguments.ts'
import { Failed } from './terminal.ts'

export interface GatewayFlags {
  url?: string
}

const DEFAULT_URL = 'http://127.0.0.1:8080'

type Name =
  | 'WIGWAG_BASE_URL'
  | 'WIGWAG_CLIENT_ID'
  | 'WIGWAG_CLIENT_SECRET'
  | 'WIGWAG_WALLET_TOKEN'
  | 'WIGWAG_CALLBACK_SECRET'

export function withGateway(command: Command): Command {
  return command.option(
    '--url <url>',
    `where the gateway is (WIGWAG_BASE_URL, default ${DEFAULT_URL})`,
    webUrl,
  )
}

/** What the environment says, else a `.env` file. */
export function setting(name: Name): string | undefined {
  return process.env[name] || readEnvFile(join(process.cwd(), '.env'))[name] || undefined
}

/** Does work with a client of the gateway, and says in words what went wrong. */
export async function withClient<T>(flags: GatewayFlags, work: (client: Client) => Promise<T>): Promise<T> {
  const baseUrl = flags.url ?? setting('WIGWAG_BASE_URL') ?? DEFAULT_URL
  const client = openClient(baseUrl)
  try {
    return await work(client)
  } catch (error) {
    if (error instanceof WigwagError) throw new Failed(inWords(error, baseUrl))
    throw error
  }
}

function openClient(baseUrl: string): Client {
  if (!isWebUrl(baseUrl)) {
    throw new Failed(
      `WIGWAG_BASE_URL: expected a URL such as ${DEFAULT_URL}, without user name and password, got ` +
        JSON.stringify(shownUrl(baseUrl)),
      2,
    )
  }
  const clientId = setting('WIGWAG_CLIENT_ID')
  const clientSecret = setting('WIGWAG_CLIENT_SECRET')
  const walletToken = setting('WIGWAG_WALLET_TOKEN')
  if (clientId && clientSecret && walletToken) {
    return createClient({ baseUrl, clientId, clientSecret, walletToken })
  }
  const all = {
    WIGWAG_CLIENT_ID: clientId,
    WIGWAG_CLIENT_SECRET: clientSecret,
    WIGWAG_WALLET_TOKEN: walletToken,
  }
  const missing = Object.entries(all).flatMap(([name, value]) => (value ? [] : name))
  throw new Failed(
    `expected credentials in the environment or in .env, and there is no ${missing.join(', no ')}; ` +
      'wigwag account create makes them',
    2,
  )
}

/** What failed, with each field that was refused, and how to go on after a send whose fate is unknown. */
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
      `The message may have gone out. To be sure, repeat with --idempotency-key ${error.idempotencyKey}`,
    )
  }
  return lines.join('\n')
}
