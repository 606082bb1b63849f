import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Cidr = [Address, number]

export interface CidrSet {
  has(address: Address): boolean
}

/** Throws an Error naming the first entry that is not a range in its canonical spelling. */
export function parseCidrs(entries: readonly string[]): CidrSet {
  const ranges = entries.map(parseCidr)
  const has = (address: Address): boolean => ranges.some((range) => contains(range, address))
  return { has }
}

function contains(range: Cidr, address: Address): boolean {
  return range[0].kind() === address.kind() && address.match(range)
}

/**
 * Strict, since a typing mistake here opens a network: "10.1.0.0/8" reads as one subnet and would permit
 * sixteen million addresses, so stray host bits are an error rather than masked away.
 */
function parseCidr(entry: string): Cidr {
  const slash = entry.indexOf('/')
  const base = entry.slice(0, slash)
  const bits = entry.slice(slash + 1)
  const version = slash === -1 || base.includes('%') ? 0 : isIP(base)
  if (version === 0 || !/^\d{1,3}$/.test(bits) || Number(bits) > (version === 4 ? 32 : 128)) {
    throw new Error(`allowed CIDR ${JSON.stringify(entry)}: expected address/bits, for example 10.20.0.0/16`)
  }
  const address = ipaddr.parse(base)
  if (address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress()) {
    throw new Error(`allowed CIDR ${JSON.stringify(entry)}: write an IPv4-mapped range as IPv4`)
  }
  const network = networkOf(entry, version)
  if (network !== address.toString()) {
    throw new Error(
      `allowed CIDR ${JSON.stringify(entry)}: has bits set past the prefix; did you mean ${network}/${bits}?`,
    )
  }
  return [address, Number(bits)]
}

function networkOf(entry: string, version: number): string {
  const family = version === 4 ? ipaddr.IPv4 : ipaddr.IPv6
  return family.networkAddressFromCIDR(entry).toString()
}
