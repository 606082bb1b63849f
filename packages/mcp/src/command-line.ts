import { createHash } from 'node:crypto'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Environment } from './config-snippet.ts'

/** The command line or the environment is wrong: exit code 2. */
export class UsageError extends Error {
  override name = 'UsageError'
}

export type Flags = ReturnType<typeof readFlags>

export function readFlags(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        http: { type: 'boolean' },
        host: { type: 'string' },
        port: { type: 'string' },
        unprotected: { type: 'boolean' },
        'public-url': { type: 'string' },
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

/** Where to listen. */
export interface Place {
  host: string
  port: number
}

export function readPlace({ host = '127.0.0.1', port = '8081' }: Flags): Place {
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) {
    throw new UsageError(`Expected --port to be a number up to 65535; got '${port}'.`)
  }
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port: Number(port) }
}

/** Whether a host, of an address or to listen at, is this machine alone. */
export function isLoopback(host: string): boolean {
  return ['localhost', '127.0.0.1', '::1', '[::1]'].includes(host)
}

/** What has to be in the environment, in the order of the names. */
export function readNeeded<Name extends string>(
  names: readonly Name[],
  env: Environment,
): Record<Name, string> {
  const missing = names.filter((name) => !env[name])
  if (missing.length > 0) {
    throw new UsageError(`Expected ${names.join(', ')} in the environment; missing: ${missing.join(', ')}.`)
  }
  return Object.fromEntries(names.map((name) => [name, env[name]])) as Record<Name, string>
}

/** One file for whoever calls a gateway, so that all that share its credentials share what is counted. */
export function readState({ state }: Flags, env: Environment, baseUrl: string, clientId: string): string {
  const name = createHash('sha256')
    .update(JSON.stringify([baseUrl, clientId]))
    .digest('hex')
    .slice(0, 16)
  return (state ?? env.WIGWAG_MCP_STATE) || join(homedir(), '.wigwag', `mcp-${name}.jsonl`)
}
