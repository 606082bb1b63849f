import { type HttpReply, type HttpRequest, problem } from './http-message.ts'
import { protocolVersions } from './protocol.ts'

export interface AllowedHosts {
  /** The names under which the server may be called, with or without a port. */
  allowedHosts: readonly string[]
  /** Pages of other origins whose scripts may call it. */
  allowedOrigins?: readonly string[]
}

/**
 * Refuses a request that can't be served whatever its body says; undefined when it can. Host and Origin come first:
 * a page that had its name rebound to this machine learns nothing else.
 */
export function refusal(request: HttpRequest, allowed: AllowedHosts): HttpReply | undefined {
  const { host, method } = request
  if (!isNamed(host, allowed.allowedHosts)) return problem(403, `The host ${shown(host)} is not served here.`)
  const origin = request.header('origin')
  if (origin !== null && !isAllowedOrigin(origin, allowed)) {
    return problem(403, `Pages of the origin ${shown(origin)} may not call this server.`)
  }
  if (method !== 'POST') return problem(405, `Expected POST; got ${shown(method)}.`, { allow: 'POST' })
  if (!accepts(request.header('accept'))) {
    return problem(406, 'The answer is application/json; the Accept header does not take it.')
  }
  const type = request.header('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/json')
    return problem(415, `Expected application/json; got ${shown(type ?? 'nothing')}.`)
  const version = request.header('mcp-protocol-version')
  if (version !== null && !protocolVersions.includes(version)) {
    return problem(
      400,
      `Expected MCP-Protocol-Version ${protocolVersions.join(', ')}; got ${shown(version)}.`,
    )
  }
  return undefined
}

function isAllowedOrigin(origin: string, { allowedHosts, allowedOrigins = [] }: AllowedHosts): boolean {
  if (allowedOrigins.includes(origin)) return true
  return URL.canParse(origin) && isNamed(new URL(origin).host, allowedHosts)
}

function isNamed(host: string, names: readonly string[]): boolean {
  const whole = host.toLowerCase()
  const bare = whole.replace(/:\d+$/, '')
  return names.some((name) => [whole, bare].includes(name.toLowerCase()))
}

function accepts(accept: string | null): boolean {
  if (accept === null) return true
  return accept
    .split(',')
    .some((range) => /^\s*(application\/json|application\/\*|\*\/\*)\s*(;|$)/i.test(range))
}

function shown(value: string): string {
  return JSON.stringify(value.slice(0, 100))
}
