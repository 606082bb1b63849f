import { describe, expect, it } from 'vitest'
import { openHarness } from '../../support/harness.ts'
import { currentOf, keysOf, rotateById } from '../keys.ts'
import { anotherAccount } from '../others.ts'
import { refuses } from '../refuses.ts'

describe('rotateKey: 404', () => {
  it.each(['01932c07-7e5d-7c3a-9f0e-2b6d5a1c8e4f', 'x', '%00', "'", 'a'.repeat(5_000)])(
    'answers %.40s with key_not_found',
    async (id) => {
      const harness = await openHarness()
      await refuses(harness, () => rotateById(harness, id, 'P1D'), 'key_not_found')
    },
  )

  it.each(['client', 'wallet', 'callback'] as const)(
    "answers another account's %s key as one that is not there, and leaves it",
    async (kind) => {
      const harness = await openHarness()
      const { Id } = await currentOf(harness, kind)
      const before = await keysOf(harness)
      const others = await anotherAccount(harness)
      const detail = `This account has no key ${Id}.`
      await refuses(harness, () => rotateById(harness, Id, 'P1D', others), 'key_not_found', { detail })
      expect(await keysOf(harness)).toEqual(before)
    },
  )
})
