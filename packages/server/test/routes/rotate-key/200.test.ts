import { zRotatedKey } from '@wigwag/contract/validators'
import { verifyCallback } from '@wigwag/sdk'
import { describe, expect, it } from 'vitest'
import { answerOf } from '../../isolation/requests.ts'
import { openBench } from '../../support/bench.ts'
import { basic, type Harness, MESSAGE, openHarness } from '../../support/harness.ts'
import { currentOf, rotate, rotateById } from '../keys.ts'

const HOUR = 3_600_000
const withSecret = ({ demo }: Harness, clientSecret: string) => ({
  authorization: basic({ clientId: demo.clientId, clientSecret }),
})
const status = async ({ call }: Harness, as: Record<string, string>) =>
  (await call('GET', '/v1/account/balance', as)).status

describe('rotateKey: 200', () => {
  it('answers the new secret, which works at once, and when the old one ends', async () => {
    const harness = await openHarness()
    const { Id } = await currentOf(harness, 'client')
    const made = await answerOf(rotateById(harness, Id, 'P7D'), zRotatedKey)
    expect(made).toEqual({
      Id: expect.not.stringMatching(Id),
      Kind: 'client',
      DateCreated: '2026-01-05T09:00:00.125Z',
      Secret: expect.stringMatching(/^ws_[\w-]{43}$/),
      OldExpiresAt: '2026-01-12T09:00:00.125Z',
    })
    expect(await status(harness, withSecret(harness, made.Secret))).toBe(200)
  })

  it.each([
    ['PT1H', HOUR],
    ['P1D', 24 * HOUR],
    ['P7D', 7 * 24 * HOUR],
  ])('lets an old client secret work for %s, and not a second longer', async (keep, ms) => {
    const harness = await openHarness()
    const old = withSecret(harness, harness.demo.clientSecret)
    const { Secret } = await rotate(harness, 'client', keep)
    await harness.advance(ms - 1)
    expect(await status(harness, old)).toBe(200)
    await harness.advance(1_001)
    expect(await status(harness, old)).toBe(401)
    expect(await status(harness, withSecret(harness, Secret))).toBe(200)
  })

  it('ends an old one at once, within the second that credentials are cached, even if the clock goes back', async () => {
    const harness = await openHarness()
    const old = withSecret(harness, harness.demo.clientSecret)
    expect(await status(harness, old)).toBe(200)
    const { Secret } = await rotate(harness, 'client', 'PT0S')
    await harness.advance(1_000)
    expect(await status(harness, old)).toBe(401)
    const [ends] = await harness.database.read(({ run }) =>
      run<{ at: number }>('SELECT max(ends_at) AS at FROM keys', []),
    )
    expect(ends?.at).toBeLessThan(1_000)
    expect(await status(harness, withSecret(harness, Secret))).toBe(200)
  })

  it('replaces a wallet token, and lets the old one open the same wallet until it ends', async () => {
    const harness = await openHarness()
    const { Secret, Kind } = await rotate(harness, 'wallet', 'PT1H')
    expect([Kind, Secret]).toEqual(['wallet', expect.stringMatching(/^wt_[\w-]{43}$/)])
    const fresh = { 'x-wallet': `Token ${Secret}` }
    const balances = await Promise.all([harness.getBalance(), harness.getBalance(fresh)])
    const texts = await Promise.all(balances.map((answer) => answer.text()))
    expect(new Set(texts).size).toBe(1)
    await harness.advance(HOUR + 1_000)
    expect([await status(harness, {}), await status(harness, fresh)]).toEqual([403, 200])
  })

  it('has callbacks carry the signatures of both callback secrets until the old one ends', async () => {
    const bench = await openBench()
    const old = bench.demo.callbackSecret
    const { Secret } = await rotate(bench, 'callback', 'PT1H')
    expect(Secret).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/)
    const signedWith = async () => {
      await bench.call('POST', '/v1/messages/sms', {}, { ...MESSAGE, CallbackUrl: 'https://shop.example' })
      await bench.advance(2_000)
      const { url, headers, body } = bench.posted.at(-1) ?? { url: '', headers: {}, body: '' }
      const fits = (secret: string) =>
        verifyCallback(new Request(url, { method: 'POST', headers, body }), secret, { now: bench.now }).then(
          () => true,
          () => false,
        )
      return Promise.all([old, Secret].map(fits))
    }
    expect(await signedWith()).toEqual([true, true])
    await bench.advance(HOUR)
    expect(await signedWith()).toEqual([false, true])
  })

  it('stores no secret that could be read again, but sealed ones', async () => {
    const harness = await openHarness()
    const made = [
      await rotate(harness, 'client'),
      await rotate(harness, 'wallet'),
      await rotate(harness, 'callback'),
    ]
    const tables = await harness.database.read(async ({ run }) => {
      const found = await run<{ name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table'", [])
      const rows: object[][] = []
      for (const { name } of found) rows.push(await run(`SELECT * FROM ${name}`, []))
      return JSON.stringify(rows)
    })
    expect(tables).toContain('"kind":"wallet"')
    for (const { Secret } of made) expect(tables).not.toContain(Secret)
  })

  it('is audited, without the secret', async () => {
    const harness = await openHarness()
    const { Secret, Replaced } = await rotate(harness, 'wallet')
    const [entry] = await harness.database.read(({ run }) =>
      run<Record<string, string>>("SELECT * FROM audit WHERE action = 'api rotateKey'", []),
    )
    expect(entry).toMatchObject({
      actor: `client:${harness.demo.clientId}`,
      account_id: harness.demo.accountId,
      detail: `{"outcome":"done","about":"wallet ${Replaced}"}`,
    })
    expect(JSON.stringify(entry)).not.toContain(Secret)
  })
})
