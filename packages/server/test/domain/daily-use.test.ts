import { micros } from '@wigwag/contract'
import { describe, expect, it } from 'vitest'
import { epochMs } from '../../src/kernel/ids.ts'
import { usedToday } from '../../src/kernel/money/daily-use.ts'

const DAY_MS = 86_400_000
const used = { day: 20_000, spent: micros(42_000), messages: 3 }

describe('the use of a day', () => {
  it('lasts from midnight to midnight in UTC', () => {
    expect(usedToday(used, epochMs(20_000 * DAY_MS))).toEqual(used)
    expect(usedToday(used, epochMs(20_001 * DAY_MS - 1))).toEqual(used)
    expect(usedToday(used, epochMs(20_001 * DAY_MS))).toEqual({ day: 20_001, spent: 0, messages: 0 })
  })

  it('is not reset by a clock that goes back', () => {
    expect(usedToday(used, epochMs(19_999 * DAY_MS))).toEqual(used)
  })
})
