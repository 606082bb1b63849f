import { promises as dns, type LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import type { AddressGuard } from './address-guard.ts'

/** Every address of a host name. Rejects when there is none. */
export type Lookup = (hostname: string) => Promise<readonly string[]>

export class BlockedAddress extends Error {
  override readonly name = 'BlockedAddress'
}

export class LookupFailed extends Error {
  override readonly name = 'LookupFailed'
}

/**
 * The system's resolver, asked once at a time for each name. It runs on a thread pool of a few threads and
 * cannot be cancelled: without sharing, thirty callbacks to one name whose name server is slow would hold
 * up every other callback's look-up.
 */
export function createSystemLookup(): Lookup {
  const asking = new Map<string, Promise<readonly string[]>>()
  return function systemLookup(hostname) {
    const shared = asking.get(hostname)
    if (shared !== undefined) return shared
    const answer = resolveAll(hostname).finally(() => asking.delete(hostname))
    asking.set(hostname, answer)
    return answer
  }
}

async function resolveAll(hostname: string): Promise<readonly string[]> {
  const answers = await dns.lookup(hostname, { all: true, order: 'verbatim' })
  return answers.map((answer) => answer.address)
}

/**
 * The hook a socket resolves its host with. One refused answer refuses the name: a name that mixes public
 * and private addresses is an attempt to be connected to the second after the first was checked. The
 * socket gets exactly the answers that were checked, so nothing is resolved twice.
 */
export function checkedLookup(lookup: Lookup, guard: AddressGuard): LookupFunction {
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

async function resolveChecked(
  lookup: Lookup,
  guard: AddressGuard,
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
