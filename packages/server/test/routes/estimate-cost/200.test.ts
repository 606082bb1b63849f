import { micros } from '@wigwag/contract'
import { zBalance, zEstimate, zMessage } from '@wigwag/contract/validators'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { answerOf } from '../../isolation/requests.ts'
import { type Harness, MESSAGE, openHarness } from '../../support/harness.ts'
import { traces } from '../refuses.ts'

const PATH = '/v1/messages/sms/estimate'
const estimateOf = ({ call }: Harness, body: object) => answerOf(call('POST', PATH, {}, body), zEstimate)

const GSM = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
    '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà\f^{}\\[~]|€',
)
/** Numbers of several countries, of networks with a price of their own and without. */
const RECIPIENTS = [
  '233241234567',
  '233201234567',
  '233261234567',
  '233231234567',
  '2348031234567',
  '254712345678',
  '447400123456',
  '12025550123',
  '4915112345678',
  '918123456789',
  '34612345678',
]

const pieces = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('a', 'Z', ' ', '@', 'é', 'Δ', '\n') },
  { weight: 2, arbitrary: fc.constantFrom('€', '[', '^', '\\') },
  { weight: 1, arbitrary: fc.constantFrom('ш', '😀', 'ñ', '’', '\u0001', 'ｅ') },
)
const text = fc
  .tuple(fc.array(pieces, { minLength: 1, maxLength: 40 }), fc.integer({ min: 1, max: 9 }))
  .map(([parts, times]) => parts.join('').repeat(times))
const body = fc.record(
  { To: fc.constantFrom(...RECIPIENTS), Content: text, From: fc.constant('WIGWAG') },
  { requiredKeys: ['To', 'Content'] },
)

const balanceOf = async ({ getBalance }: Harness) =>
  Math.round((await answerOf(getBalance(), zBalance)).balance * 1_000_000)

describe('estimateCost: 200', () => {
  it('answers what the message then costs: held when it is sent, charged when it is delivered', async () => {
    const harness = await openHarness({ demoBalance: micros(100_000_000_000) })
    let refused = 0
    await fc.assert(
      fc.asyncProperty(body, async (asked) => {
        const estimated = await harness.call('POST', PATH, {}, asked)
        const before = await balanceOf(harness)
        const sent = await harness.sendSms({ ...MESSAGE, ...asked })
        expect(sent.status).toBe(estimated.status)
        if (sent.status !== 200) {
          refused++
          return expect(await balanceOf(harness)).toBe(before)
        }
        const { Cost, Segments, Encoding, UnitPrice, ...rest } = await answerOf(estimated, zEstimate)
        expect((before - (await balanceOf(harness))) / 1_000_000).toBe(Cost)
        expect(Math.round(UnitPrice * 1_000_000) * Segments).toBe(Math.round(Cost * 1_000_000))
        await harness.advance(2_000)
        const { Ticket }: { Ticket: string } = await sent.json()
        const message = await answerOf(harness.call('GET', `/v1/messages/${Ticket}`, {}), zMessage)
        expect(message).toMatchObject({ Status: 'success', Cost, Segments, Encoding, Country: rest.Country })
        expect(message.Network).toBe(rest.Network)
        const cause = [...asked.Content].find((character) => !GSM.has(character))
        expect([Encoding, rest.UnicodeCause]).toEqual([cause === undefined ? 'GSM-7' : 'UCS-2', cause])
      }),
      { numRuns: 150 },
    )
    expect(refused).toBeLessThan(75)
  })

  it('answers the example of the document', async () => {
    const harness = await openHarness()
    const { Content } = { Content: 'Your order 1042 is on its way.' }
    expect(await estimateOf(harness, { ...MESSAGE, Content })).toEqual({
      Segments: 1,
      Encoding: 'GSM-7',
      UnitPrice: 0.042,
      Cost: 0.042,
      Currency: 'GHS',
      Country: 'GH',
      Network: 'MTN',
    })
  })

  it.each([
    ['a'.repeat(160), 1, undefined],
    ['a'.repeat(161), 2, undefined],
    [`${'a'.repeat(159)}€`, 2, undefined],
    [`${'a'.repeat(69)}’`, 1, '’'],
    [`${'a'.repeat(70)}’${'😀'}`, 2, '’'],
    ['😀 before ш', 1, '😀'],
  ])('counts %.20s… as %i, because of %s', async (Content, segments, cause) => {
    const harness = await openHarness()
    const { Segments, UnicodeCause } = await estimateOf(harness, { To: MESSAGE.To, Content })
    expect([Segments, UnicodeCause]).toEqual([segments, cause])
  })

  it('leaves nothing behind: no hold, no message, no job, and no key', async () => {
    const harness = await openHarness()
    const before = await traces(harness)
    for (const To of RECIPIENTS) {
      await answerOf(harness.call('POST', PATH, { 'idempotency-key': 'k' }, { ...MESSAGE, To }), zEstimate)
    }
    expect(await traces(harness)).toEqual(before)
  })

  it('is answered to a wallet that could not pay', async () => {
    const harness = await openHarness({ demoBalance: micros(0) })
    expect((await estimateOf(harness, MESSAGE)).Cost).toBe(0.042)
  })
})
