import { type HttpReply, type HttpRequest, problem } from './http-message.ts'

export interface AllowedHosts {
  /** The host names under which the server may be called, with or without a port. */
  allowedHosts: readonly string[]
  /** Other origins whose pages may call it from a script. */
  allowedOrigins?: readonly string[]
}

/**
 * The refusal of a request that can't be served, whatever its body is; undefined when it can be. Host and Origin are
 * checked first, so that a page that rebinds its DNS name to this machine learns nothing more.
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
    return problem(406, 'Expected an Accept header that allows application/json, the type of every answer.')
  }
  const type = request.header('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/json')
    return problem(415, `Expected application/json; got ${shown(type ?? 'nothing')}.`)
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
