import { describe, expect, it } from 'vitest'
import { epochMs } from '../../src/kernel/ids.ts'
import { type AlertRow, nextAlerts, type Seen } from '../../src/operate/alerts/next.ts'

const A_LOOK = 15_000
const FAIL: Seen = { key: 'disk', state: 'fail', text: 'Disk: full.', accountId: null }
const WARN: Seen = { key: 'senders', state: 'warn', text: 'Sender IDs: 1 waits.', accountId: null }

/** Looks again and again, a look's time apart, and says what each look tells. */
function looks(all: readonly (readonly Seen[])[], unknown: readonly string[] = []): string[] {
  const rows = new Map<string, AlertRow>()
  return all.map((seen, index) => {
    const now = epochMs(1_000_000 + index * A_LOOK)
    const { kept, removed, raised, over } = nextAlerts([...rows.values()], seen, unknown, now)
    for (const row of kept) rows.set(row.key, row)
    for (const key of removed) rows.delete(key)
    return [...raised.map(({ key }) => `+${key}`), ...over.map(({ key }) => `-${key}`)].join(' ')
  })
}

const times = <T>(count: number, one: T): T[] => Array<T>(count).fill(one)

describe('what is told of troubles', () => {
  it('is a failure at once, and once', () => {
    expect(looks(times(5, [FAIL]))).toEqual(['+disk', '', '', '', ''])
  })

  it('is a warning that has been there for half a minute', () => {
    expect(looks(times(5, [WARN]))).toEqual(['', '', '+senders', '', ''])
  })

  it('is that it is over when it has been gone for a minute', () => {
    expect(looks([[FAIL], ...times(7, [])])).toEqual(['+disk', '', '', '', '', '-disk', '', ''])
  })

  it('is nothing of a warning that was there for one look', () => {
    expect(looks([[WARN], ...times(7, [])])).toEqual(times(8, ''))
  })

  it('is once of what comes and goes, and that it is over at its end alone', () => {
    const flapping = Array.from({ length: 20 }, (_, index) => (index % 3 === 0 ? [] : [WARN]))
    expect(looks([...flapping, ...times(6, [])]).filter((one) => one !== '')).toEqual([
      '+senders',
      '-senders',
    ])
  })

  it('is at once of a warning that becomes a failure, unless it was told already', () => {
    const worse: Seen = { ...WARN, state: 'fail' }
    expect(looks([[WARN], [worse], [worse]])).toEqual(['', '+senders', ''])
    expect(looks([[WARN], [WARN], [WARN], [worse], [worse]])).toEqual(['', '', '+senders', '', ''])
  })

  it('is not that something is over which a look could not see', () => {
    expect(looks([[FAIL], ...times(8, [])], [''])).toEqual(['+disk', ...times(8, '')])
    expect(looks([[FAIL, { ...FAIL, key: 'wallet:1' }], ...times(5, [])], ['wallet:'])).toEqual([
      '+disk +wallet:1',
      '',
      '',
      '',
      '',
      '-disk',
    ])
  })

  it('does not wait for a clock that was set back', () => {
    const later = epochMs(10_000_000)
    const row: AlertRow = { ...WARN, seenAt: later, toldAt: null, goneAt: null }
    expect(nextAlerts([row], [WARN], [], epochMs(1_000)).raised).toHaveLength(1)
    const gone: AlertRow = { ...WARN, seenAt: later, toldAt: later, goneAt: later }
    expect(nextAlerts([gone], [], [], epochMs(1_000)).over).toHaveLength(1)
  })
})
