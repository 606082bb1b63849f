import { Socket } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { openOutbound, post, productionGuard } from './receiver.ts'

/** Every name leads to loopback, as a resolver says of localhost and a hostile one may of any name. */
const toLoopback = async () => ['127.0.0.1']
const blocked = { kind: 'failure', stage: 'before', failure: 'blocked_address' }

/** Were a check to fail, the test would fail too, and still no packet would leave this machine. */
function forbidConnecting() {
  return vi.spyOn(Socket.prototype, 'connect').mockImplementation(function refuse(this: Socket) {
    process.nextTick(() => this.destroy(new Error('a connection was attempted')))
    return this
  })
}

afterEach(() => vi.restoreAllMocks())

describe('a callback URL with an inside address is refused before any connection', () => {
  it.each([
    ['loopback', 'http://127.0.0.1/'],
    ['loopback with a port', 'http://127.0.0.1:8080/'],
    ['loopback over TLS', 'https://127.0.0.1/'],
    ['another loopback address', 'http://127.9.8.7/'],
    ['short IPv4', 'http://127.1/'],
    ['three-part IPv4', 'http://127.0.1/'],
    ['decimal IPv4', 'http://2130706433/'],
    ['octal IPv4', 'http://0177.0.0.1/'],
    ['one octal number', 'http://017700000001/'],
    ['hex IPv4', 'http://0x7f.1/'],
    ['one hex number', 'http://0x7f000001/'],
    ['mixed bases', 'http://0x7f.0.0.01/'],
    ['upper-case hex', 'http://0X7F.0X0.0X0.0X1/'],
    ['zero', 'http://0/'],
    ['unspecified IPv4', 'http://0.0.0.0/'],
    ['IPv4 with a trailing dot', 'http://127.0.0.1./'],
    ['full-width digits', 'http://１２７.０.０.１/'],
    ['ideographic full stops', 'http://127。0。0。1/'],
    ['circled digits', 'http://①②⑦.⓪.⓪.①/'],
    ['mathematical digits', 'http://𝟏𝟐𝟕.𝟎.𝟎.𝟏/'],
    ['percent-encoded digits', 'http://%31%32%37.0.0.1/'],
    ['percent-encoded dots', 'http://127%2E0%2E0%2E1/'],
    ['a soft hyphen inside', 'http://127.0.0.\u00AD1/'],
    ['a line break inside', 'http://127.0.\n0.1/'],
    ['backslashes', 'http:\\\\127.0.0.1\\'],
    ['no slashes', 'http:127.0.0.1'],
    ['too many slashes', 'http://///127.0.0.1/'],
    ['surrounding space', '  http://127.0.0.1/  '],
    ['upper-case scheme', 'HTTP://127.0.0.1/'],
    ['an empty userinfo', 'http://@127.0.0.1/'],
    ['a public name in the fragment', 'http://127.0.0.1#@example.com/'],
    ['a public name in the query', 'http://127.0.0.1?@example.com/'],
    ['a public name after a backslash', 'http://127.0.0.1\\@example.com/'],
    ['private 10/8', 'http://10.0.0.1/'],
    ['private 172.16/12', 'http://172.16.0.1/'],
    ['private 192.168/16', 'http://192.168.0.1/'],
    ['carrier-grade NAT', 'http://100.64.0.1/'],
    ['cloud metadata', 'http://169.254.169.254/latest/meta-data/'],
    ['cloud metadata as a number', 'http://2852039166/'],
    ['cloud metadata over IPv6', 'http://[fd00:ec2::254]/'],
    ['the Azure platform', 'http://168.63.129.16/'],
    ['benchmarking', 'http://198.18.0.1/'],
    ['documentation', 'http://203.0.113.7/'],
    ['documentation over IPv6', 'http://[2001:db8::1]/'],
    ['multicast', 'http://224.0.0.1/'],
    ['broadcast', 'http://255.255.255.255/'],
    ['broadcast as a number', 'http://4294967295/'],
    ['reserved', 'http://240.0.0.1/'],
    ['IPv6 unspecified', 'http://[::]/'],
    ['IPv6 loopback', 'http://[::1]/'],
    ['IPv6 loopback in full', 'http://[0:0:0:0:0:0:0:1]/'],
    ['IPv4-mapped', 'http://[::ffff:127.0.0.1]/'],
    ['IPv4-mapped in hex', 'http://[::ffff:7f00:1]/'],
    ['IPv4-compatible', 'http://[::127.0.0.1]/'],
    ['IPv4-translated', 'http://[::ffff:0:127.0.0.1]/'],
    ['NAT64', 'http://[64:ff9b::7f00:1]/'],
    ['local NAT64', 'http://[64:ff9b:1::7f00:1]/'],
    ['6to4', 'http://[2002:7f00:1::]/'],
    ['Teredo', 'http://[2001:0:4136:e378:8000:63bf:80ff:fffe]/'],
    ['ISATAP', 'http://[2606:4700::5efe:7f00:1]/'],
    ['IPv6 link-local', 'http://[fe80::1]/'],
    ['IPv6 site-local', 'http://[fec0::1]/'],
    ['IPv6 unique local', 'http://[fc00::1]/'],
    ['IPv6 multicast', 'http://[ff02::1]/'],
  ])('%s: %j', async (_name, url) => {
    const connect = forbidConnecting()
    const outbound = openOutbound({ guard: productionGuard, lookup: toLoopback })
    const result = await outbound.request(post(url))
    expect(result).toMatchObject(blocked)
    expect(result).toHaveProperty('detail', outbound.refusal(url))
    expect(connect).not.toHaveBeenCalled()
  })
})

describe('a callback URL whose name leads inside is refused before any connection', () => {
  it.each([
    ['localhost', 'http://localhost/'],
    ['localhost in capitals', 'http://LOCALHOST/'],
    ['localhost with a dot', 'http://localhost./'],
    ['a name under localhost', 'http://gateway.localhost/'],
    ['localhost percent-encoded', 'http://%6c%6f%63%61%6c%68%6f%73%74/'],
    ['localhost in full-width letters', 'http://ｌｏｃａｌｈｏｓｔ/'],
    ['localhost in circled letters', 'http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/'],
    ['a name made of an address', 'http://127.0.0.1.nip.io/'],
    ['an innocent name', 'https://callbacks.example.com/'],
  ])('%s: %j', async (_name, url) => {
    const outbound = openOutbound({ guard: productionGuard, lookup: toLoopback })
    expect(outbound.refusal(url)).toBeUndefined()
    expect(await outbound.request(post(url))).toMatchObject(blocked)
  })
})

describe('a callback URL that is no http(s) URL is refused unread', () => {
  it.each([
    ['nothing', ''],
    ['no scheme', 'example.com/callback'],
    ['scheme-relative', '//127.0.0.1/'],
    ['ftp', 'ftp://127.0.0.1/'],
    ['file', 'file:///etc/passwd'],
    ['javascript', 'javascript:alert(1)'],
    ['data', 'data:text/plain,hello'],
    ['gopher', 'gopher://127.0.0.1:6379/_FLUSHALL'],
    ['a web socket', 'ws://127.0.0.1/'],
    ['a Unix socket', 'unix:/var/run/docker.sock'],
    ['http+unix', 'http+unix://%2Fvar%2Frun%2Fdocker.sock/'],
    ['an empty host', 'http://'],
    ['only a port', 'http://:80/'],
    ['only a user', 'http://user@/'],
    ['a user', 'http://user@example.com/'],
    ['a user and a password', 'http://user:secret@example.com/'],
    ['only a password', 'http://:secret@example.com/'],
    ['a public name as the user', 'http://example.com@127.0.0.1/'],
    ['a public name and port as the user', 'http://example.com:80@127.0.0.1/'],
    ['a percent-encoded user', 'http://%65xample@127.0.0.1/'],
    ['a port too large', 'http://example.com:65536/'],
    ['a port that wraps around', 'http://example.com:4294967376/'],
    ['a negative port', 'http://example.com:-80/'],
    ['two ports', 'http://127.0.0.1:80:80/'],
    ['a port of letters', 'http://example.com:http/'],
    ['port 0', 'http://example.com:0/'],
    ['an octet too large', 'http://127.0.0.256/'],
    ['five octets', 'http://127.0.0.0.1/'],
    ['a number too large', 'http://4294967296/'],
    ['a space in the host', 'http://exa mple.com/'],
    ['an encoded NUL in the host', 'http://example.com%00.evil.test/'],
    ['an encoded slash in the host', 'http://127.0.0.1%2f.example.com/'],
    ['an IPv6 zone', 'http://[fe80::1%25eth0]/'],
    ['an open bracket', 'http://[::1/'],
    ['brackets around IPv4', 'http://[127.0.0.1]/'],
  ])('%s: %j', async (_name, url) => {
    const connect = forbidConnecting()
    const outbound = openOutbound({ guard: productionGuard, lookup: toLoopback })
    const result = await outbound.request(post(url))
    expect(result).toMatchObject({ kind: 'failure', stage: 'before', failure: 'invalid_url' })
    expect(connect).not.toHaveBeenCalled()
  })
})
