import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6

const GLOBAL_IPV6: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3]

/** Look public, but are answered by the cloud platform: Azure's metadata and agent host. */
const PLATFORM_ADDRESSES: ReadonlySet<string> = new Set(['168.63.129.16'])

const RANGE_IN_WORDS: Readonly<Record<string, string>> = {
  unspecified: 'an unspecified address',
  broadcast: 'a broadcast address',
  multicast: 'a multicast address',
  linkLocal: 'a link-local address',
  loopback: 'a loopback address',
  carrierGradeNat: 'a carrier-grade NAT address',
  private: 'a private address',
  uniqueLocal: 'a unique local address',
  deprecatedSiteLocal: 'a site-local address',
  reserved: 'a reserved or documentation address',
  benchmarking: 'a benchmarking address',
  rfc6052: 'a NAT64 address',
  rfc6145: 'a translated IPv4 address',
  '6to4': 'a 6to4 address',
  teredo: 'a Teredo address',
}

/** The guard as its callers use it. */
export type Guard = Pick<AddressGuard, 'check'>

/**
 * Decides which addresses the gateway may connect to on a client's behalf. It is an allow-list: an address
 * passes only as ordinary public unicast, or because the operator named its range.
 */
export class AddressGuard {
  readonly #allowLoopback: boolean
  readonly #allowed: CidrSet

  /**
   * `allowLoopback` permits 127.0.0.0/8 and ::1, for a sandbox, whose receiver may run on the same machine. `allowedCidrs`
   * are ranges that the operator permits in addition to the public internet.
   */
  constructor(own: { allowLoopback: boolean; allowedCidrs: readonly string[] }) {
    this.#allowLoopback = own.allowLoopback
    this.#allowed = parseCidrs(own.allowedCidrs)
  }

  /**
   * `undefined` when a connection to `address` is permitted, else the reason, worded to follow "the host is …".
   * The reason never contains the address: the client may see it, and must not learn what a host name resolves to
   * inside our network.
   */
  check(address: string): string | undefined {
    // Strict on purpose: ipaddr.js also reads octal, hex and short IPv4, and may read them differently than the
    // system does. Only canonical addresses get past this point.
    const version = isIP(address)
    if (version === 0) return 'not an IP address'
    if (version === 4) return this.#judge(ipaddr.IPv4.parse(address))
    if (address.includes('%')) return 'an address with a zone'
    return this.#judge(unmapped(ipaddr.IPv6.parse(withoutDots(address))))
  }

  #judge(address: Address): string | undefined {
    if (this.#allowed.has(address)) return this.#judgeCarried(address)
    const range: string = address.range()
    if (range === 'loopback' && this.#allowLoopback) return undefined
    if (range !== 'unicast') return RANGE_IN_WORDS[range] ?? `a special-purpose address (${range})`
    return address instanceof ipaddr.IPv6 ? judgeUnicastIPv6(address) : judgeUnicastIPv4(address)
  }

  /** Allowing a translator's prefix permits public IPv4 addresses behind it, never those that IPv4 refuses. */
  #judgeCarried(address: Address): string | undefined {
    const carried = address instanceof ipaddr.IPv6 ? carriedIPv4(address) : undefined
    return carried === undefined ? undefined : this.#judge(carried)
  }
}

/**
 * An IPv6 address in hexadecimal only. ipaddr.js misreads the dotted ::8.8.8.8 as ::ffff:8.8.8.8, a different
 * address. Resolvers and sockets use dotted spellings; URLs never do.
 */
function withoutDots(address: string): string {
  if (!address.includes('.')) return address
  return new URL(`http://[${address}]`).hostname.slice(1, -1)
}

/** The system connects to ::ffff:a.b.c.d over IPv4, so it is checked as IPv4. */
function unmapped(address: ipaddr.IPv6): Address {
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address
}

function judgeUnicastIPv4(address: ipaddr.IPv4): string | undefined {
  return PLATFORM_ADDRESSES.has(address.toString()) ? 'an address of the cloud platform' : undefined
}

function judgeUnicastIPv6(address: ipaddr.IPv6): string | undefined {
  // Also refuses ::a.b.c.d, which ipaddr.js calls unicast.
  if (!address.match(GLOBAL_IPV6)) return 'outside the public IPv6 range'
  return isIsatap(address) ? 'an ISATAP address' : undefined
}

/** The interface identifier (0|200):5efe:a.b.c.d tunnels to that IPv4 address under any prefix (RFC 5214). */
function isIsatap(address: ipaddr.IPv6): boolean {
  const [, , , , high = 0, marker] = address.parts
  return marker === 0x5efe && (high & ~0x0200) === 0
}

/** The IPv4 address that a NAT64, 6to4 or Teredo gateway would forward to. */
function carriedIPv4(address: ipaddr.IPv6): ipaddr.IPv4 | undefined {
  const [, one = 0, two = 0, , , , six = 0, seven = 0] = address.parts
  const range: string = address.range()
  if (range === '6to4') return fromWords(one, two)
  if (range === 'teredo') return fromWords(six ^ 0xffff, seven ^ 0xffff)
  if (range === 'rfc6052') return fromWords(six, seven)
  return undefined
}

function fromWords(high: number, low: number): ipaddr.IPv4 {
  return new ipaddr.IPv4([high >> 8, high & 0xff, low >> 8, low & 0xff])
}

type Cidr = [Address, number]

export interface CidrSet {
  has(address: Address): boolean
}

/** Parses CIDR ranges. Throws an Error that names the first one not in canonical form. */
export function parseCidrs(entries: readonly string[]): CidrSet {
  const ranges = entries.map(parseCidr)
  const has = (address: Address): boolean => ranges.some((range) => contains(range, address))
  return { has }
}

function contains(range: Cidr, address: Address): boolean {
  return range[0].kind() === address.kind() && address.match(range)
}

/**
 * Strict, because a typo here opens a network: "10.1.0.0/8" looks like one subnet but would permit sixteen million
 * addresses. Host bits are therefore an error and not masked.
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
