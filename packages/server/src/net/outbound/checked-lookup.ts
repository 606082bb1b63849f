import { promises as dns, type LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import type { Guard } from './address-guard.ts'

/** Resolves a host name to all its addresses. Rejects when there are none. */
export type Lookup = (hostname: string) => Promise<readonly string[]>

/** The guard refused an address. */
export class BlockedAddress extends Error {
  override readonly name = 'BlockedAddress'
}

/** A host name did not resolve. */
export class LookupFailed extends Error {
  override readonly name = 'LookupFailed'
}

/**
 * The system's resolver, with concurrent look-ups of one name shared. It runs on a small thread pool and cannot be
 * cancelled: without sharing, thirty callbacks to one name with a slow name server would block all other look-ups.
 */
export class SystemLookup {
  readonly #asking = new Map<string, Promise<readonly string[]>>()

  readonly resolve: Lookup = (hostname) => {
    const shared = this.#asking.get(hostname)
    if (shared !== undefined) return shared
    const answer = resolveAll(hostname).finally(() => this.#asking.delete(hostname))
    this.#asking.set(hostname, answer)
    return answer
  }
}

async function resolveAll(hostname: string): Promise<readonly string[]> {
  const answers = await dns.lookup(hostname, { all: true, order: 'verbatim' })
  return answers.map((answer) => answer.address)
}

/**
 * The look-up hook of a socket. One refused address refuses the name: mixing public and private addresses is an attempt
 * to pass the check with one and get connected to the other. The socket gets exactly the checked addresses, so nothing
 * is resolved twice.
 */
export function checkedLookup(lookup: Lookup, guard: Guard): LookupFunction {
  return function lookupChecked(hostname, options, callback) {
    resolveChecked(lookup, guard, hostname).then(
      ([first, ...others]) => {
        if (options.all === true) callback(null, [first, ...others])
        else callback(null, first.address, first.family)
      },
      (error: Error) => callback(error, ''),
    )
  }
}

/** The addresses of a host name, once each of them is permitted. */
export async function resolveChecked(
  lookup: Lookup,
  guard: Guard,
  hostname: string,
): Promise<[LookupAddress, ...LookupAddress[]]> {
  const answers = await lookup(hostname).catch((cause: unknown) => {
    throw new LookupFailed(`the host name did not resolve${codeOf(cause)}`, { cause })
  })
  for (const answer of answers) {
    const refusal = guard.check(answer)
    if (refusal !== undefined) throw new BlockedAddress(`the host resolves to ${refusal}`)
  }
  const [first, ...others] = answers.map((address) => ({ address, family: isIP(address) }))
  if (first === undefined) throw new LookupFailed('the host name has no addresses')
  return [first, ...others]
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : ''
}
