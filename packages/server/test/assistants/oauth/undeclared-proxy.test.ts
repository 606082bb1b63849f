import { pino } from 'pino'
import { describe, expect, it, onTestFinished } from 'vitest'
import { epochMs } from '../../../src/kernel/ids.ts'
import { systemClock } from '../../../src/kernel/process/clock.ts'
import { undeclaredProxy } from '../../../src/net/callers/client-address.ts'
import { openFront } from '../../support/front.ts'
import { register } from './assistant.ts'

const AN_HOUR = 3_600_000

/** A gateway that trusts some proxies, and what it logs. */
async function openLogged(trustedProxies: string[]) {
  const lines: { level: number; msg: string; peer?: string }[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(JSON.parse(line)) })
  let later = 0
  const clock = { ...systemClock, now: () => epochMs(systemClock.now() + later) }
  const front = await openFront(':memory:', { trustedProxies }, { log, clock })
  onTestFinished(() => front.close())
  return {
    lines,
    /** Registers a client, with the header that a proxy adds. */
    call: (from?: string) => register(front.url, undefined, from),
    wait(ms: number) {
      later += ms
    },
  }
}

describe('a proxy that no setting names', () => {
  it('is logged once an hour, with its address, when it says for whom it calls', async () => {
    const { lines, call, wait } = await openLogged([])
    await call()
    await call()
    expect(lines).toEqual([
      expect.objectContaining({
        peer: '127.0.0.1',
        msg: expect.stringContaining('not in WIGWAG_TRUSTED_PROXIES'),
      }),
    ])
    wait(AN_HOUR)
    await call()
    expect(lines).toHaveLength(2)
  })

  it('is not logged once it is trusted', async () => {
    const { lines, call } = await openLogged(['127.0.0.0/8'])
    await call()
    expect(lines).toEqual([])
  })
})

describe('a trusted proxy whose words can’t be read', () => {
  it.each(['203.0.113.5:4711:1', 'unknown', '[2001:db8::1', '203.0.113.5:port', '_hidden'])(
    'is logged once an hour, with its address, when it appends %s',
    async (hop) => {
      const { lines, call, wait } = await openLogged(['127.0.0.0/8'])
      await call(hop)
      await call(hop)
      expect(lines).toEqual([
        expect.objectContaining({ proxy: '127.0.0.1', msg: expect.stringContaining('no address') }),
      ])
      expect(JSON.stringify(lines)).not.toContain(hop)
      wait(AN_HOUR)
      await call(hop)
      expect(lines).toHaveLength(2)
    },
  )

  it.each(['203.0.113.5:4711', '[2001:db8::1]:443'])('is not logged when it appends %s', async (hop) => {
    const { lines, call } = await openLogged(['127.0.0.0/8'])
    await call(hop)
    expect(lines).toEqual([])
  })
})

describe('the check of the settings', () => {
  it.each([
    ['https://sms.example.com', ['10.0.0.0/8']],
    ['http://127.0.0.1:8080', []],
    [undefined, []],
  ])('has nothing to say of %s behind %j', (publicUrl, trustedProxies) => {
    expect(undeclaredProxy({ publicUrl, trustedProxies })).toBeUndefined()
  })

  it('says what to set when the public address is https', () => {
    expect(undeclaredProxy({ publicUrl: 'https://sms.example.com', trustedProxies: [] })).toMatch(
      /^WIGWAG_TRUSTED_PROXIES is not set.*such as 127\.0\.0\.1\/32\.$/,
    )
  })
})
