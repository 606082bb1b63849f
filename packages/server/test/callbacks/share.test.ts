import { describe, expect, it } from 'vitest'
import { createReceiverShare, PLACES } from '../../src/callbacks/share.ts'

describe('the share of an account', () => {
  it('is half of the places, and a sixteenth while others have that half', () => {
    const share = createReceiverShare()
    expect(share.of('one', PLACES / 2 - 1)).toBe(PLACES / 2)
    expect(share.of('another', PLACES / 2)).toBe(PLACES / 16)
  })

  it('is eight places after a callback that timed out, until one is answered', () => {
    const share = createReceiverShare()
    share.answered('silent', false)
    expect(share.of('silent', PLACES / 2)).toBe(8)
    expect(share.of('other', PLACES / 2)).toBe(32)
    share.answered('silent', false)
    expect(share.of('silent', PLACES / 2)).toBe(8)
    share.answered('silent', true)
    expect(share.of('silent', PLACES / 2)).toBe(32)
  })

  it('forgets who was silent after ten thousand accounts, so that the memory has an end', () => {
    const share = createReceiverShare()
    for (let account = 0; account < 10_000; account++) share.answered(`${account}`, false)
    expect(share.of('0', PLACES / 2)).toBe(8)
    share.answered('one more', false)
    expect(share.of('0', PLACES / 2)).toBe(32)
    expect(share.of('one more', PLACES / 2)).toBe(8)
  })
})
