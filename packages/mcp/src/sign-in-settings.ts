import { shownUrl } from '@wigwag/contract'
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

/** It serves everybody who signs in at the gateway, each as a connection of their own. */
export interface SignInSettings {
  kind: 'sign-in'
  /** The gateway's public URL, and so its name as an authorization server. */
  issuer: string
  connectorId: string
  connectorSecret: string
  /** The public address of the tools. */
  resource: string
  place: Place
  /** The file that remembers sends. */
  state: string
}

const NEEDED = ['WIGWAG_BASE_URL', 'WIGWAG_CONNECTOR_ID', 'WIGWAG_CONNECTOR_SECRET'] as const
/** What is the person's to set, for each connection. */
const LIMIT_FLAGS = ['read-only', 'daily-spend', 'daily-messages', 'recipients'] as const
const LIMIT_VARIABLES = [
  'WIGWAG_MCP_DAILY_SPEND',
  'WIGWAG_MCP_DAILY_MESSAGES',
  'WIGWAG_MCP_RECIPIENTS',
] as const

export function readSignInSettings(flags: Flags, env: Environment, publicUrl: string): SignInSettings {
  const resource = readPublicUrl(publicUrl)
  const needed = readNeeded(NEEDED, env)
  const issuer = readIssuer(needed.WIGWAG_BASE_URL)
  const limits = [
    ...LIMIT_FLAGS.filter((flag) => flags[flag] !== undefined).map((flag) => `--${flag}`),
    ...LIMIT_VARIABLES.filter((name) => env[name] !== undefined),
  ]
  if (limits.length > 0) {
    throw new UsageError(
      `With --public-url, whoever connects an assistant says at the gateway what it may do. Leave out ${limits.join(', ')}.`,
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
    'Expected --public-url to be the address that people give to their assistants, with the path /mcp and with https ' +
      `unless it is of this machine: https://mcp.example.com/mcp; got '${shownUrl(text)}'.`,
  )
}

function readIssuer(text: string): string {
  const url = readAddress(text)
  if (url) return url.href.replace(/\/+$/, '')
  throw new UsageError(
    'Expected WIGWAG_BASE_URL to be the public URL of the gateway, with https unless it is of this machine: ' +
      `https://sms.example.com; got '${shownUrl(text)}'.`,
  )
}

/** An address that tokens may be sent to, with nothing but a host and a path. */
function readAddress(text: string): URL | undefined {
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  const { protocol, hostname, origin, pathname, href } = url
  const isSafe = protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
  return isSafe && href === `${origin}${pathname}` ? url : undefined
}
