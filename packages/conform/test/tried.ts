import { jumpingClock } from '../../server/test/cli/jumping-clock.ts'
import type { Outcome } from '../src/check.ts'
import { type ConformSettings, conform } from '../src/conform.ts'
import { MCP_TOKEN } from './plain-mcp.ts'
import { credentials, openPlainServer, type Rules, TO } from './plain-server.ts'

/** Tries a server in this process, with settings that suit a fast one. */
export function tryServer(url: string, changes: Partial<ConformSettings> = {}) {
  return conform({
    url,
    credentials,
    callbackSecret: undefined,
    from: 'WIGWAG',
    to: TO,
    spend: 1,
    timeoutMs: 10_000,
    waitMs: 10_000,
    callback: { host: '127.0.0.1', port: 0, publicUrl: undefined },
    mcp: undefined,
    mcpToken: undefined,
    invite: undefined,
    openapi: undefined,
    postman: undefined,
    fetch,
    clock: jumpingClock(),
    stopped: new AbortController().signal,
    onPart: () => {},
    onOutcome: () => {},
    ...changes,
  })
}

/** Tries the plain server with a fault, and closes it. */
export async function tryPlain(fault: Partial<Rules> = {}, changes: Partial<ConformSettings> = {}) {
  const server = await openPlainServer(fault)
  try {
    const postman = `${server.url}/postman.json`
    const tried = await tryServer(server.url, { mcpToken: MCP_TOKEN, postman, ...changes })
    return { ...tried, taken: server.messages() }
  } finally {
    server.close()
  }
}

/** The names of checks with this level and state. */
export function idsOf(
  outcomes: readonly Outcome[],
  level: Outcome['level'],
  state: Outcome['state'],
): string[] {
  return outcomes.filter((outcome) => outcome.level === level && outcome.state === state).map(({ id }) => id)
}
