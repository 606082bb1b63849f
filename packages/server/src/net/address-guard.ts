import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { parseCidrs } from './cidr-set.ts'

type Address = ipaddr.IPv4 | ipaddr.IPv6

export interface AddressGuardOptions {
  /** Permits 127.0.0.0/8 and ::1. For a sandbox, where a receiver runs beside the gateway. */
  allowLoopback: boolean
  /** Ranges an operator permits by name, in addition to the public internet. */
  allowedCidrs: readonly string[]
}

export interface AddressGuard {
  /**
   * `undefined` when a connection to `address` is permitted, else what is wrong with it, in words that
   * fit "the host is …". The words never contain the address: they may reach the client who chose the
   * host name, and what it resolves to inside our network is none of their business.
   */
  check(address: string): string | undefined
}

const GLOBAL_IPV6: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3]

/** Routed like a public address, answered by the cloud platform itself: Azure's metadata and agent host. */
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

/**
 * Decides which addresses the gateway may connect to on a client's behalf. It is an allow-list: an address
 * passes only as ordinary public unicast, or because the operator named its range.
 */
export function createAddressGuard(options: AddressGuardOptions): AddressGuard {
  const allowed = parseCidrs(options.allowedCidrs)

  function check(address: string): string | undefined {
    // Strict on purpose: ipaddr.js also reads octal, hex and short IPv4, each a chance to disagree with
    // the system about which address is meant. What reaches this point is canonical or refused.
    const version = isIP(address)
    if (version === 0) return 'not an IP address'
    if (version === 4) return judge(ipaddr.IPv4.parse(address))
    if (address.includes('%')) return 'an address with a zone'
    return judge(unmapped(ipaddr.IPv6.parse(withoutDots(address))))
  }

  function judge(address: Address): string | undefined {
    if (allowed.has(address)) return judgeCarried(address)
    const range: string = address.range()
    if (range === 'loopback' && options.allowLoopback) return undefined
    if (range !== 'unicast') return RANGE_IN_WORDS[range] ?? `a special-purpose address (${range})`
    return address instanceof ipaddr.IPv6 ? judgeUnicastIPv6(address) : judgeUnicastIPv4(address)
  }

  /** Naming a translator's prefix opens the public internet behind it, not what IPv4 would refuse. */
  function judgeCarried(address: Address): string | undefined {
    const carried = address instanceof ipaddr.IPv6 ? carriedIPv4(address) : undefined
    return carried === undefined ? undefined : judge(carried)
  }

  return { check }
}

/**
 * An IPv6 address in hexadecimal only. ipaddr.js reads the dotted ::8.8.8.8 as ::ffff:8.8.8.8, which is
 * another address; resolvers and sockets do spell addresses that way, URLs never.
 */
function withoutDots(address: string): string {
  if (!address.includes('.')) return address
  return new URL(`http://[${address}]`).hostname.slice(1, -1)
}

/** The system connects to ::ffff:a.b.c.d over IPv4, so it is judged as IPv4. */
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

/** The IPv4 address that a NAT64, 6to4 or Teredo gateway would send the packet on to. */
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
