import { describe, expect, it } from 'vitest'
import { type Harness, openHarness } from '../../support/harness.ts'
import { refuses } from '../refuses.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const TO = '233241234567'

const search = (harness: Harness, from: Date) =>
  harness.call('GET', `/v1/messages?${new URLSearchParams({ To: TO, DateFrom: from.toISOString() })}`, {})

const send = (harness: Harness, code: string) =>
  harness.sendSms({ From: 'WIGWAG', To: TO, Content: `Your code is ${code}` })

const forward = (harness: Harness) => harness.sandboxClock?.forward(2 * HOUR, async () => {})

describe('a search in a sandbox whose clock was moved', () => {
  it('from now on by the real clock is refused, where it would find the code of an earlier test', async () => {
    const harness = await openHarness()
    await forward(harness)
    await send(harness, '4711')
    const begun = harness.now()
    await harness.advance(9 * MINUTE)
    for (const from of [begun, harness.now()])
      await refuses(harness, () => search(harness, from), 'invalid_value', {
        detail:
          /^Expected a time by the sandbox's clock, which was moved 2 h 0 min ahead: it is 2026-01-05T11:09:00.* there\. .* asOf of the balance/,
        errors: { '/DateFrom': 'invalid_value' },
      })
  })

  it('from the time that the gateway said finds what was sent since', async () => {
    const harness = await openHarness()
    await forward(harness)
    await send(harness, '4711')
    await harness.advance(MINUTE)
    const { asOf } = await (await harness.getBalance()).json()
    await send(harness, '82913')
    const { Items } = await (await search(harness, new Date(asOf))).json()
    expect(Items).toMatchObject([{ Content: 'Your code is 82913' }])
  })

  it('from a time before the first move finds what was sent since', async () => {
    const harness = await openHarness()
    const from = harness.now()
    await harness.advance(MINUTE)
    await send(harness, '82913')
    await forward(harness)
    const { Items } = await (await search(harness, from)).json()
    expect(Items).toMatchObject([{ Content: 'Your code is 82913' }])
  })

  it('from long before finds all', async () => {
    const harness = await openHarness()
    await forward(harness)
    await send(harness, '82913')
    await harness.advance(HOUR)
    const { Items } = await (await search(harness, new Date(harness.now().getTime() - 30 * MINUTE))).json()
    expect(Items).toHaveLength(1)
  })
})
