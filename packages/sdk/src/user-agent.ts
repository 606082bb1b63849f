import { version } from './generated/version.ts'

/**
 * How the SDK names itself to a gateway: `wigwag-sdk/0.1.0 node/24.21.0`. Only where the runtime says which one it is, which
 * no browser does: those name themselves, and some ask the gateway first whether they may send another name.
 */
export function userAgent(): { 'user-agent': string } | undefined {
  const { process } = globalThis as { process?: { versions?: Record<string, string | undefined> } }
  // Bun and Deno also name the Node that they stand for.
  for (const runtime of ['bun', 'deno', 'node']) {
    const own = process?.versions?.[runtime]
    if (own) return { 'user-agent': `wigwag-sdk/${version} ${runtime}/${own}` }
  }
  return undefined
}
