import { describe, expect, it } from 'vitest'
import { MESSAGE, openHarness } from '../../support/harness.ts'
import { keysOf, rotate } from '../keys.ts'
import { anotherAccount } from '../others.ts'

describe('listKeys: 200', () => {
  it('answers the keys of the request and of callbacks, and when each was made', async () => {
    const harness = await openHarness()
    const DateCreated = '2026-01-05T09:00:00.125Z'
    const keys = await keysOf(harness)
    expect(keys.map(({ Id: _, ...key }) => key)).toEqual([
      { Kind: 'callback', DateCreated },
      { Kind: 'client', DateCreated },
      { Kind: 'wallet', DateCreated },
    ])
  })

  it('says to the minute when each was last used, a callback secret by the callbacks that it signs', async () => {
    const harness = await openHarness()
    await harness.advance(60_000)
    await harness.sendSms({ ...MESSAGE, CallbackUrl: 'https://receiver.example' })
    await harness.advance(5_000)
    const used = new Map((await keysOf(harness)).map(({ Kind, LastUsed }) => [Kind, LastUsed]))
    expect(used).toEqual(
      new Map([
        ['callback', '2026-01-05T09:01:01.125Z'],
        ['client', '2026-01-05T09:01:00.125Z'],
        ['wallet', '2026-01-05T09:01:00.125Z'],
      ]),
    )
  })

  it('names an old key until it ends, after the current one', async () => {
    const harness = await openHarness()
    const { Id, Replaced } = await rotate(harness, 'client', 'PT1H')
    const clients = async () => (await keysOf(harness)).filter(({ Kind }) => Kind === 'client')
    const shown = (await clients()).map((key) => [key.Id, key.ExpiresAt])
    expect(shown).toEqual([
      [Id, undefined],
      [Replaced, '2026-01-05T10:00:00.125Z'],
    ])
  })

  it("shows none of another account's", async () => {
    const harness = await openHarness()
    const own = await keysOf(harness)
    const others = await keysOf(harness, await anotherAccount(harness))
    expect(others).toHaveLength(3)
    expect(others.filter(({ Id }) => own.some((key) => key.Id === Id))).toEqual([])
  })
})
