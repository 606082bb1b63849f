import { createHash } from 'node:crypto'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { visibleLines } from '@wigwag/contract'
import type { Environment } from '../config-snippet.ts'
import type { Place } from '../transports/index.ts'

/** The command line or the environment is wrong: exit code 2. */
export class UsageError extends Error {
  override name = 'UsageError'
}

/** Tells the person who runs the program. Standard output is only for the protocol. */
export function log(line: string): void {
  process.stderr.write(`wigwag-mcp: ${visibleLines(line)}\n`)
}

export type Flags = ReturnType<typeof parseFlags>

export function readFlags(args: readonly string[]): Flags {
  const flags = parseFlags(args)
  checkHttp(flags)
  return flags
}

function parseFlags(args: readonly string[]) {
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
        unasked: { type: 'string' },
        state: { type: 'string' },
      },
    }).values
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

/** With --http, exactly one of --public-url and --unprotected says who may call. */
function checkHttp(flags: Flags): void {
  const { http, unprotected } = flags
  const isSignedIn = flags['public-url'] !== undefined
  for (const flag of ['public-url', 'unprotected', 'host', 'port'] as const) {
    if (http || flags[flag] === undefined) continue
    throw new UsageError(`--${flag} goes with --http; without that, nothing listens.`)
  }
  if (isSignedIn && unprotected) {
    throw new UsageError('Expected --public-url, where people sign in, or --unprotected; got both.')
  }
  if (http && !isSignedIn && !unprotected) {
    throw new UsageError(
      '--http without sign-in would serve this wallet to everyone who can reach the port. Add --public-url with the ' +
        'address of the tools to have people sign in, or --unprotected to serve only this machine.',
    )
  }
}

export function readPlace({ host = '127.0.0.1', port = '8083' }: Flags): Place {
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) {
    throw new UsageError(`Expected --port to be a number up to 65535; got '${port}'.`)
  }
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port: Number(port) }
}

/** The host names under which a server on this machine may be called. */
export const LOOPBACK_NAMES: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/** Whether a host, in a URL or to listen on, is reachable from this machine only. */
export function isLoopback(host: string): boolean {
  return host === '::1' || LOOPBACK_NAMES.includes(host)
}

/** The variables that must be set. The error names all that are missing. */
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

/** The journal's file. The default depends on the gateway and the client, so that all who share both share the count. */
export function readState({ state }: Flags, env: Environment, baseUrl: string, clientId: string): string {
  const name = createHash('sha256')
    .update(JSON.stringify([baseUrl, clientId]))
    .digest('hex')
    .slice(0, 16)
  return (state ?? env.WIGWAG_MCP_STATE) || join(homedir(), '.wigwag', `mcp-${name}.jsonl`)
}
