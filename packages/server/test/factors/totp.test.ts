import { describe, expect, it } from 'vitest'
import { codeOf, matchingStep, newTotpSecret, stepAt } from '../../src/sign-in/factors/totp.ts'

/** The key of RFC 6238's appendix B, `12345678901234567890`, in base32. */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

describe('codes of a generator', () => {
  it.each([
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ])('are those of RFC 6238 at %i s', (seconds, code) => {
    expect(codeOf(SECRET, stepAt(seconds * 1_000), 8)).toBe(code)
  })

  it('are right half a minute before and after, and no longer', () => {
    const now = 1_800_000_000_000
    const apart = [-2, -1, 0, 1, 2].map((steps) => {
      const step = stepAt(now) + steps
      return matchingStep(SECRET, codeOf(SECRET, step), now, 0) === step
    })
    expect(apart).toEqual([false, true, true, true, false])
  })

  it('are not right again, nor is an older one', () => {
    const now = 1_800_000_000_000
    const used = stepAt(now)
    expect(matchingStep(SECRET, codeOf(SECRET, used), now, used)).toBeUndefined()
    expect(matchingStep(SECRET, codeOf(SECRET, used - 1), now, used)).toBeUndefined()
    expect(matchingStep(SECRET, codeOf(SECRET, used + 1), now, used)).toBe(used + 1)
  })

  it('are of keys that no two people share', () => {
    const secrets = Array.from({ length: 50 }, newTotpSecret)
    expect(new Set(secrets).size).toBe(50)
    for (const secret of secrets) expect(secret).toMatch(/^[A-Z2-7]{32}$/)
  })
})
