import { byId } from '../../pages/browser/page.ts'
import { changeRow, putRows, rowOf } from './rows.ts'

/** Where new messages go: into the list when its reader is at the top and idle, else behind a button. */
export interface Arrivals {
  /** Returns whether the message was new to the page. */
  add(html: string): boolean
  change(html: string): void
  /** Messages arrived whose rows were not sent. */
  addMany(count: number): void
  /** Shows what waits. */
  show(): Promise<void>
  pause(on: boolean): void
  paused(): boolean
  /** How many wait. */
  count(): number
}

export interface ArrivalsOptions {
  /** Loads the newest page when not all rows that wait are at hand. */
  reload(): Promise<void>
  /** Called when the number that waits, or the pause, has changed. */
  onChange(): void
}

/** The page counts up to this. */
export const MOST_COUNTED = 500
const AT_TOP_PX = 80
/** A page holds no more, so the others would be dropped again. */
const MOST_KEPT = 200

export function createArrivals({ reload, onChange }: ArrivalsOptions): Arrivals {
  /** The newest rows that wait, the oldest of them first. */
  const waiting = new Map<string, HTMLTableRowElement>()
  let count = 0
  /** Whether rows are missing among those that wait. */
  let gap = false
  let paused = false
  let isScheduled = false

  /** Rows that come together are put into the list together: asking where the page is scrolled to lays it out. */
  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    queueMicrotask(() => {
      isScheduled = false
      if (count > 0 && !gap && isIdle()) release()
      else onChange()
    })
  }

  function isIdle(): boolean {
    const { activeElement } = document
    if (paused || scrollY >= AT_TOP_PX || !(getSelection()?.isCollapsed ?? true)) return false
    return !byId('rows')?.contains(activeElement)
  }

  function keep(row: HTMLTableRowElement): void {
    waiting.set(row.id, row)
    const [oldest] = waiting.keys()
    if (waiting.size > MOST_KEPT && oldest !== undefined) waiting.delete(oldest)
    countUp(1)
  }

  function countUp(by: number): void {
    count += by
    if (count > MOST_COUNTED) gap = true
    if (gap) waiting.clear()
  }

  function release(): void {
    const rows = [...waiting.values()]
    forget()
    putRows(rows)
  }

  function forget(): void {
    waiting.clear()
    count = 0
    gap = false
    onChange()
  }

  return {
    add(html) {
      const row = rowOf(html)
      if (!row || changeRow(row)) return false
      if (waiting.has(row.id)) {
        waiting.set(row.id, row)
        return false
      }
      keep(row)
      schedule()
      return true
    },
    change(html) {
      const row = rowOf(html)
      if (row && !changeRow(row) && waiting.has(row.id)) waiting.set(row.id, row)
    },
    addMany(by) {
      gap = true
      countUp(by)
      schedule()
    },
    async show() {
      if (!gap) return release()
      await reload()
      forget()
    },
    pause(on) {
      paused = on
      schedule()
    },
    paused: () => paused,
    count: () => count,
  }
}
