import { expect, it } from 'vitest'
import { AddressLimit } from '../../../src/assistants/oauth/hourly-limits.ts'
import type { Front } from '../../../src/gateway/fronts.ts'
import { systemClock } from '../../../src/kernel/process/clock.ts'
import { TokenBuckets } from '../../../src/net/callers/rate-limit.ts'
import { openDesk } from '../../desk/desk.ts'

/** Limits are not refilled meanwhile, however long a test takes. */
const clock = { ...systemClock, elapsed: () => 0 }

/** The statuses of forms that strangers post from addresses, one after the other. */
async function post(app: Front | undefined, url: string, count: number, address: (n: number) => string) {
  const statuses: number[] = []
  for (let n = 0; n < count; n++) {
    const incoming = { headers: {}, socket: { remoteAddress: address(n) } }
    const headers = { host: new URL(url).host, 'content-type': 'application/x-www-form-urlencoded' }
    const request = new Request(`${url}/passkey/sign-in`, { method: 'POST', headers, body: 'x=1' })
    statuses.push((await app?.fetch(request, { incoming }))?.status ?? 0)
  }
  return statuses
}

it.each([
  ['desk', 30],
  ['console', 100],
] as const)(
  'strangers at the %s may try %i forms from an address, five times as many from a /48',
  async (place, most) => {
    const { gateway, url, deskUrl } = await openDesk(':memory:', {}, { clock })
    const [app, at] = place === 'desk' ? [gateway.deskApp, deskUrl] : [gateway.app, url]
    const one = await post(app, at, most + 1, () => '2001:db8:1:1::1')
    expect([one.slice(0, -1).includes(429), one.at(-1)]).toEqual([false, 429])
    const wide = await post(app, at, 5 * most + 1, (n) => `2001:db8:2:${n.toString(16)}::1`)
    expect([wide.slice(0, -1).includes(429), wide.at(-1)]).toEqual([false, 429])
    expect(await post(app, at, 1, () => '2001:db8:3:1::1')).not.toContain(429)
  },
)

it.each([
  ['a second', countByRate],
  ['an hour', countByHour],
])('a flood of addresses takes nobody’s count %s away who goes on', (_, counting) => {
  const isRefused = counting()
  expect(isRefused('192.0.2.1')).toBe(false)
  for (let n = 0; n < 20_000; n++) {
    isRefused(`10.${n % 250}.${Math.floor(n / 250)}.1`)
    if (n % 5_000 === 0) expect(isRefused('192.0.2.1')).toBe(true)
  }
  expect(isRefused('192.0.2.1')).toBe(true)
})

function countByRate() {
  const { limit } = new TokenBuckets({ perSecond: 1, burst: 1, clock })
  return (clientId: string) => {
    try {
      limit({ clientId })
      return false
    } catch {
      return true
    }
  }
}

function countByHour() {
  const limit = new AddressLimit(clock, 1)
  return (address: string) => limit.count(address) !== undefined
}
