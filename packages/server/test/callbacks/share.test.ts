import { describe, expect, it } from 'vitest'
import { createReceiverShare, PLACES } from '../../src/callbacks/share.ts'

describe('the share of an account', () => {
  it('leaves places for seven others, each with as many', () => {
    expect(PLACES / createReceiverShare().of('one')).toBe(8)
  })

  it('is eight places after a callback that timed out, until one is answered', () => {
    const share = createReceiverShare()
    share.answered('silent', false)
    expect(share.of('silent')).toBe(8)
    expect(share.of('other')).toBe(32)
    share.answered('silent', false)
    expect(share.of('silent')).toBe(8)
    share.answered('silent', true)
    expect(share.of('silent')).toBe(32)
  })

  it('forgets who was silent after ten thousand accounts, so that the memory has an end', () => {
    const share = createReceiverShare()
    for (let account = 0; account < 10_000; account++) share.answered(`${account}`, false)
    expect(share.of('0')).toBe(8)
    share.answered('one more', false)
    expect(share.of('0')).toBe(32)
    expect(share.of('one more')).toBe(8)
  })
})
