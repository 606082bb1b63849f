import { isLoopback } from '../domain/loopback.ts'

/** Apps for people with assistants that answer to a scheme which is no domain of theirs. */
const KNOWN_APPS = new Set([
  'claude',
  'cursor',
  'vscode',
  'vscode-insiders',
  'vscodium',
  'warp',
  'windsurf',
  'zed',
])

/** What is wrong with an address that answers are to be sent to, in words; undefined when nothing is. */
export function wrongRedirect(uri: unknown): string | undefined {
  const url = typeof uri === 'string' ? URL.parse(uri) : null
  if (url === null) return 'expected whole addresses'
  const { protocol, username, password } = url
  if (protocol === 'http:' && !isLoopback(url)) return 'expected https, or this computer itself'
  if (protocol !== 'http:' && protocol !== 'https:' && !isApp(protocol.slice(0, -1)))
    return `expected https, or the scheme of an app that is a domain of its maker, such as com.example.app; got ${protocol}`
  // People read the address, and would take what stands before the @ for the host.
  if (username !== '' || password !== '') return 'expected no name and no password'
  return undefined
}

/** A domain written backwards belongs to its owner (RFC 8252 §7.1). Any other scheme may open a part of the system. */
function isApp(scheme: string): boolean {
  return scheme.includes('.') || KNOWN_APPS.has(scheme)
}
