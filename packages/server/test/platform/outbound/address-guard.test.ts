import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AddressGuard } from '../../../src/net/outbound/address-guard.ts'

const production = new AddressGuard({ allowLoopback: false, allowedCidrs: [] })
const sandbox = new AddressGuard({ allowLoopback: true, allowedCidrs: [] })
const withCidrs = (...allowedCidrs: string[]) => new AddressGuard({ allowLoopback: false, allowedCidrs })

describe('permits the public internet', () => {
  it.each(['8.8.8.8', '1.1.1.1', '93.184.215.14', '172.15.255.255', '172.32.0.1', '100.128.0.1', '11.0.0.1'])(
    'IPv4 %s',
    (address) => expect(production.check(address)).toBeUndefined(),
  )
  it.each(['2606:4700:4700::1111', '2a00:1450:4001:81b::200e', '2001:4860:4860::8888', '::ffff:8.8.8.8'])(
    'IPv6 %s',
    (address) => expect(production.check(address)).toBeUndefined(),
  )
})

describe('refuses everything else, and says what it is', () => {
  it.each([
    ['0.0.0.0', 'unspecified'],
    ['0.1.2.3', 'unspecified'],
    ['10.0.0.1', 'private'],
    ['100.64.0.1', 'carrier-grade NAT'],
    ['100.100.100.200', 'carrier-grade NAT'],
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['168.63.129.16', 'cloud platform'],
    ['169.254.169.254', 'link-local'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.0.0.192', 'reserved'],
    ['192.0.2.1', 'documentation'],
    ['192.31.196.1', 'as112'],
    ['192.52.193.1', 'amt'],
    ['192.88.99.1', 'reserved'],
    ['192.168.1.1', 'private'],
    ['198.18.0.1', 'reserved'],
    ['198.51.100.1', 'documentation'],
    ['203.0.113.1', 'documentation'],
    ['224.0.0.1', 'multicast'],
    ['240.0.0.1', 'reserved'],
    ['255.255.255.255', 'broadcast'],
    ['::', 'unspecified'],
    ['::1', 'loopback'],
    ['::127.0.0.1', 'outside the public'],
    ['::ffff:127.0.0.1', 'loopback'],
    ['::ffff:a9fe:a9fe', 'link-local'],
    ['::ffff:0:127.0.0.1', 'translated IPv4'],
    ['64:ff9b::7f00:1', 'NAT64'],
    ['64:ff9b::8.8.8.8', 'NAT64'],
    ['64:ff9b:1::1', 'NAT64'],
    ['100::1', 'discard'],
    ['2001::1', 'Teredo'],
    ['2001:2::1', 'benchmarking'],
    ['2001:10::1', 'Orchid'],
    ['2001:20::1', 'orchid2'],
    ['2001:db8::1', 'documentation'],
    ['2002:7f00:1::', '6to4'],
    ['2002:808:808::', '6to4'],
    ['2606:4700::5efe:7f00:1', 'ISATAP'],
    ['2606:4700::200:5efe:a00:1', 'ISATAP'],
    ['3fff::1', 'documentation'],
    ['4000::1', 'outside the public'],
    ['5f00::1', 'segmentRouting'],
    ['fc00::1', 'unique local'],
    ['fd00:ec2::254', 'unique local'],
    ['fe80::1', 'link-local'],
    ['fe80::1%eth0', 'zone'],
    ['2606:4700::1%eth0', 'zone'],
    ['fec0::1', 'site-local'],
    ['ff02::1', 'multicast'],
  ])('%s is %s', (address, reason) => expect(production.check(address)).toContain(reason))

  it.each([
    '',
    'localhost',
    '127.1',
    '0x7f000001',
    '2130706433',
    '0177.0.0.1',
    '8.8.8.8 ',
    '08.8.8.8',
    '[::1]',
  ])('the spelling %j is not an address', (address) =>
    expect(production.check(address)).toBe('not an IP address'),
  )

  it('never repeats the address, which may be a secret of the network', () => {
    expect(production.check('10.9.8.7')).not.toContain('10.9.8.7')
  })
})

describe('an IPv6 address that wraps an IPv4 address', () => {
  it('never says yes when the IPv4 address alone gets a no', () => {
    const octet = fc.integer({ min: 0, max: 255 })
    fc.assert(
      fc.property(octet, octet, octet, octet, (a, b, c, d) => {
        const plain = `${a}.${b}.${c}.${d}`
        const [high, low] = [(a * 256 + b).toString(16), (c * 256 + d).toString(16)]
        expect(production.check(`::ffff:${plain}`)).toBe(production.check(plain))
        expect(production.check(`::${plain}`)).toBeDefined()
        expect(production.check(`64:ff9b::${plain}`)).toBeDefined()
        expect(production.check(`2002:${high}:${low}::1`)).toBeDefined()
        expect(production.check(`2001:0:1:2:3:4:${high}:${low}`)).toBeDefined()
      }),
    )
  })
})

describe('loopback', () => {
  it.each(['127.0.0.1', '127.8.9.10', '::1', '::ffff:127.0.0.1'])(
    'is permitted in a sandbox: %s',
    (address) => {
      expect(sandbox.check(address)).toBeUndefined()
    },
  )

  it.each([
    '0.0.0.0',
    '::',
    '10.0.0.1',
    '169.254.169.254',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '::127.0.0.1',
  ])('permits nothing that only resembles it: %s', (address) => expect(sandbox.check(address)).toBeDefined())
})

describe('a range named by the operator', () => {
  it('is permitted, its neighbours are not', () => {
    const guard = withCidrs('10.20.0.0/16', 'fd12:3456::/32')
    expect(guard.check('10.20.255.1')).toBeUndefined()
    expect(guard.check('::ffff:10.20.0.1')).toBeUndefined()
    expect(guard.check('fd12:3456::9')).toBeUndefined()
    expect(guard.check('10.21.0.1')).toContain('private')
    expect(guard.check('fd12:3457::9')).toContain('unique local')
  })

  it('may be loopback, in production as well', () => {
    expect(withCidrs('127.0.0.1/32').check('127.0.0.1')).toBeUndefined()
    expect(withCidrs('127.0.0.1/32').check('127.0.0.2')).toContain('loopback')
    expect(withCidrs('::1/128').check('::1')).toBeUndefined()
  })

  it('may be a NAT64 prefix, which then carries public addresses and no others', () => {
    const guard = withCidrs('64:ff9b::/96')
    expect(guard.check('64:ff9b::8.8.8.8')).toBeUndefined()
    expect(guard.check('64:ff9b::10.0.0.1')).toContain('private')
    expect(guard.check('64:ff9b::169.254.169.254')).toContain('link-local')
  })

  it('may be 6to4 or Teredo, which then carry public addresses and no others', () => {
    const guard = withCidrs('2002::/16', '2001::/32')
    expect(guard.check('2002:808:808::1')).toBeUndefined()
    expect(guard.check('2002:7f00:1::1')).toContain('loopback')
    expect(guard.check('2001:0:1:2:3:4:f7f7:f7f7')).toBeUndefined()
    expect(guard.check('2001:0:1:2:3:4:80ff:fffe')).toContain('loopback')
  })

  it('of all IPv6 does not let IPv4 in by the back door', () => {
    expect(withCidrs('::/0').check('::ffff:10.0.0.1')).toContain('private')
  })

  it.each([
    '',
    '10.0.0.0',
    '10.0.0.0/',
    '10.0.0.0/33',
    '::/129',
    '10/8',
    '0x0a.0.0.0/8',
    'example.com/8',
    '1.2.3.4/-1',
    'fe80::%eth0/10',
  ])('is an error at start when it cannot be read: %j', (cidr) =>
    expect(() => withCidrs(cidr)).toThrow(`allowed CIDR ${JSON.stringify(cidr)}: expected address/bits`),
  )

  it('is an error at start when it is wider than it looks', () => {
    expect(() => withCidrs('10.1.0.0/8')).toThrow('did you mean 10.0.0.0/8?')
    expect(() => withCidrs('fd00:1::/16')).toThrow('did you mean fd00::/16?')
  })

  it('is an error at start when it could never match', () => {
    expect(() => withCidrs('::ffff:10.0.0.0/104')).toThrow('write an IPv4-mapped range as IPv4')
  })
})
