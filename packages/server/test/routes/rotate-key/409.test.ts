import { describe, expect, it } from 'vitest'
import { openHarness } from '../../support/harness.ts'
import { keysOf, rotate, rotateById } from '../keys.ts'
import { refuses } from '../refuses.ts'

describe('rotateKey: 409', () => {
  it.each(['P1D', 'PT0S'])(
    'answers a key that was replaced already with key_not_current, after %s too',
    async (keep) => {
      const harness = await openHarness()
      const { Replaced } = await rotate(harness, 'wallet', 'P1D')
      const first = await keysOf(harness)
      await refuses(harness, () => rotateById(harness, Replaced, keep), 'key_not_current', {
        detail: `The key ${Replaced} was replaced already: list the keys to find the current one.`,
      })
      expect(await keysOf(harness)).toEqual(first)
    },
  )

  it('answers a call with a key that is being replaced with key_not_current', async () => {
    const harness = await openHarness()
    await rotate(harness, 'client', 'P1D')
    const current = (await keysOf(harness)).find(({ Kind, ExpiresAt }) => Kind === 'client' && !ExpiresAt)
    await harness.advance(2_000)
    await refuses(harness, () => rotateById(harness, current?.Id ?? '', 'PT0S'), 'key_not_current')
  })

  it('makes one secret when several ask at once', async () => {
    const harness = await openHarness()
    const [key] = await keysOf(harness)
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => rotateById(harness, key?.Id ?? '', 'P1D')),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409])
  })

  it('answers the fifth key of a kind that would work at a time with too_many, and makes none', async () => {
    const harness = await openHarness()
    for (let made = 0; made < 3; made++) await rotate(harness, 'callback', 'P7D')
    const before = await keysOf(harness)
    const current = before.find(({ Kind, ExpiresAt }) => Kind === 'callback' && !ExpiresAt)
    await refuses(harness, () => rotateById(harness, current?.Id ?? '', 'PT1H'), 'too_many')
    expect(await keysOf(harness)).toEqual(before)
    expect((await rotateById(harness, current?.Id ?? '', 'PT0S')).status).toBe(200)
  })
})
