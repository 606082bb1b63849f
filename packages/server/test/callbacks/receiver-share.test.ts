import { describe, expect, it } from 'vitest'
import { PLACES, ReceiverShare } from '../../src/callbacks/receivers.ts'

const FULL = { own: 0, all: PLACES }

describe('the share of an account', () => {
  it('is as many places as stay free, and 32 when fewer do', () => {
    const share = new ReceiverShare()
    expect(share.of('one', { own: 0, all: 0 })).toBe(PLACES / 2)
    expect(share.of('one', { own: PLACES / 2, all: PLACES / 2 })).toBe(0)
    expect(share.of('another', { own: 0, all: PLACES / 2 })).toBe(PLACES / 4)
    expect(share.of('another', { own: 30, all: PLACES - 2 })).toBe(2)
  })

  it('is eight places after a callback that timed out, until one is answered', () => {
    const share = new ReceiverShare()
    share.answered('silent', false)
    expect(share.of('silent', FULL)).toBe(8)
    expect(share.of('other', FULL)).toBe(32)
    share.answered('silent', false)
    expect(share.of('silent', FULL)).toBe(8)
    share.answered('silent', true)
    expect(share.of('silent', FULL)).toBe(32)
  })

  it('forgets who was silent after ten thousand accounts, so that the memory has an end', () => {
    const share = new ReceiverShare()
    for (let account = 0; account < 10_000; account++) share.answered(`${account}`, false)
    expect(share.of('0', FULL)).toBe(8)
    share.answered('one more', false)
    expect(share.of('0', FULL)).toBe(32)
    expect(share.of('one more', FULL)).toBe(8)
  })
})
