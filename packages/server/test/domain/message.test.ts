import { describe, expect, it } from 'vitest'
import { canMove, FINAL_STATUSES, isFinal, STATUSES, settlementOf } from '../../src/kernel/message.ts'

describe('message statuses', () => {
  it('moves only as decided', () => {
    const moves = STATUSES.flatMap((from) => {
      return STATUSES.filter((to) => canMove(from, to)).map((to) => `${from} → ${to}`)
    })
    expect(moves).toEqual([
      'scheduled → pending',
      'scheduled → cancelled',
      'pending → success',
      'pending → undelivered',
      'pending → expired',
      'pending → rejected',
      'pending → failed',
    ])
  })

  it('never leaves a final status, and every other status has a way out', () => {
    for (const from of STATUSES) {
      expect(STATUSES.some((to) => canMove(from, to))).toBe(!isFinal(from))
    }
    expect(STATUSES.filter(isFinal)).toEqual(FINAL_STATUSES)
  })

  it('takes money for a delivered message alone', () => {
    expect(FINAL_STATUSES.filter((status) => settlementOf(status) === 'post')).toEqual(['success'])
    expect(FINAL_STATUSES.filter((status) => settlementOf(status) === 'void')).toHaveLength(5)
  })
})
