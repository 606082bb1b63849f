import { isLoopback } from '../domain/loopback.ts'

/** Schemes that show or run what is written in them, or that other programs than assistants answer to. */
const NO_APPS =
  /^(?:about|blob|data|file|filesystem|ftp|intent|javascript|mailto|sms|tel|vbscript|view-source|wss?):$/

/** What is wrong with an address that answers are to be sent to, in words; undefined when nothing is. */
export function wrongRedirect(uri: unknown): string | undefined {
  const url = typeof uri === 'string' ? URL.parse(uri) : null
  if (url === null) return 'expected whole addresses'
  const { protocol, username, password } = url
  if (protocol === 'http:' && !isLoopback(url)) return 'expected https, or this computer itself'
  if (NO_APPS.test(protocol)) return `no assistant answers to ${protocol}`
  // People read the address, and would take what stands before the @ for the host.
  if (username !== '' || password !== '') return 'expected no name and no password'
  return undefined
}
