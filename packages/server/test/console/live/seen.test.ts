import { describe, expect, it } from 'vitest'
import { PAGE_ROWS, Seen } from '../../../src/web/console/live/seen.ts'
import type { ListedMessage } from '../../../src/web/console/messages/list.tsx'
import { listed } from './rows.ts'

const page = (newest: number, count = PAGE_ROWS) =>
  Array.from({ length: count }, (_, index) => listed(newest - index))
const newest = (rows: ListedMessage[], floor = rows.length < PAGE_ROWS ? '' : (rows.at(-1)?.id ?? '')) => ({
  rows,
  floor,
})
const ids = (rows: readonly ListedMessage[]) => rows.map(({ id }) => id)

describe('what was seen of a list', () => {
  it('finds nothing new at the first look', () => {
    const seen = new Seen()
    expect(seen.compare(page(100), [])).toEqual({ fresh: [], changed: [] })
  })

  it('finds new messages, the oldest first, and what changed of those that pages show', () => {
    const seen = new Seen()
    seen.watch([listed(100).id])
    seen.remember(newest(page(100)), [], [])
    const now = [
      listed(102),
      listed(101),
      listed(100, { status: 'success' }),
      listed(99, { status: 'success' }),
      ...page(98, 56),
    ]
    const { fresh, changed } = seen.compare(now, [])
    expect(ids(fresh)).toEqual(ids([listed(101), listed(102)]))
    expect(ids(changed)).toEqual(ids([listed(100)]))
  })

  it('finds that a callback was posted again, though its state is as before', () => {
    const seen = new Seen()
    const retrying = (attempts: number) => listed(100, { status: 'success', callback: 'pending', attempts })
    seen.watch([listed(100).id])
    seen.remember(newest([retrying(1)]), [], [])
    expect(seen.compare([retrying(1)], []).changed).toEqual([])
    expect(ids(seen.compare([retrying(2)], []).changed)).toEqual(ids([listed(100)]))
  })

  it('does not take older messages for new that come into the page when others leave it', () => {
    const seen = new Seen()
    seen.remember(newest(page(100)), [], [])
    expect(seen.compare(page(90), []).fresh).toEqual([])
  })

  it('does not take older messages for new when the page before was cut short', () => {
    const seen = new Seen()
    seen.remember(newest([listed(100)], listed(90).id), [], [])
    const later = seen.compare([listed(100), listed(95), listed(80)], [])
    expect(ids(later.fresh)).toEqual(ids([listed(95)]))
  })

  it('takes a message for new that begins to match among those that are shown', () => {
    const seen = new Seen()
    seen.remember(newest([listed(100), listed(98)]), [], [])
    expect(ids(seen.compare([listed(100), listed(99), listed(98)], []).fresh)).toEqual(ids([listed(99)]))
  })

  it('keeps asking for shown messages that are still on their way, and for no others', () => {
    const seen = new Seen()
    const callbackUrl = 'https://example.com/hook'
    const rows = [
      listed(5),
      listed(4, { status: 'success' }),
      listed(3, { status: 'success', callbackUrl, callback: 'pending' }),
      listed(2, { status: 'success', callbackUrl, callback: 'delivered' }),
      listed(1, { status: 'scheduled' }),
    ]
    seen.remember(newest([listed(6), ...rows]), [], rows)
    expect(seen.open()).toEqual(ids([listed(5), listed(3), listed(1)]))
    seen.remember(newest([]), [listed(5), listed(3)], [])
    expect(seen.open()).toEqual(ids([listed(5), listed(3)]))
    expect(ids(seen.compare([], [listed(5, { status: 'failed' }), listed(3)]).changed)).toEqual(
      ids([listed(5)]),
    )
  })

  it('remembers no more than it can look up', () => {
    const seen = new Seen()
    seen.remember(newest(page(10_000)), [], page(9_000, 5_000))
    seen.remember(newest(page(10_000)), page(9_000, 5_000), page(9_000, 5_000))
    expect(seen.open()).toHaveLength(260)
  })
})
