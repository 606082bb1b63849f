import { byId } from '../../browser/page.ts'

/** The page counts up to this. */
export const MOST_COUNTED = 500
const AT_TOP_PX = 80
/** A page holds no more, so the others would be dropped again. */
const MOST_KEPT = 200

/** Where new messages go: into the list when its reader is at the top and idle, else behind a button. */
export class Arrivals {
  readonly #reload: () => Promise<void>
  readonly #onChange: () => void
  /** The newest rows that wait, the oldest of them first. */
  readonly #waiting = new Map<string, HTMLTableRowElement>()
  #count = 0
  /** Whether rows are missing among those that wait. */
  #gap = false
  #paused = false
  #isScheduled = false

  constructor({
    reload,
    onChange,
  }: {
    /** Loads the newest page when not all rows that wait are at hand. */
    reload(): Promise<void>
    /** Called when the number that waits, or the pause, has changed. */
    onChange(): void
  }) {
    this.#reload = reload
    this.#onChange = onChange
  }

  /** Returns whether the message was new to the page. */
  add(html: string): boolean {
    const row = rowOf(html)
    if (!row || changeRow(row)) return false
    if (this.#waiting.has(row.id)) {
      this.#waiting.set(row.id, row)
      return false
    }
    this.#keep(row)
    this.#schedule()
    return true
  }

  change(html: string): void {
    const row = rowOf(html)
    if (row && !changeRow(row) && this.#waiting.has(row.id)) this.#waiting.set(row.id, row)
  }

  /** Messages arrived whose rows were not sent. */
  addMany(by: number): void {
    this.#gap = true
    this.#countUp(by)
    this.#schedule()
  }

  /** Shows what waits. */
  async show(): Promise<void> {
    if (!this.#gap) return this.#release()
    await this.#reload()
    this.#forget()
  }

  pause(on: boolean): void {
    this.#paused = on
    this.#schedule()
  }

  paused(): boolean {
    return this.#paused
  }

  /** How many wait. */
  count(): number {
    return this.#count
  }

  /** Rows that come together are put into the list together: asking where the page is scrolled to lays it out. */
  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    queueMicrotask(() => {
      this.#isScheduled = false
      if (this.#count > 0 && !this.#gap && this.#isIdle()) this.#release()
      else this.#onChange()
    })
  }

  #isIdle(): boolean {
    const { activeElement } = document
    if (this.#paused || scrollY >= AT_TOP_PX || !(getSelection()?.isCollapsed ?? true)) return false
    return !byId('rows')?.contains(activeElement)
  }

  #keep(row: HTMLTableRowElement): void {
    this.#waiting.set(row.id, row)
    const [oldest] = this.#waiting.keys()
    if (this.#waiting.size > MOST_KEPT && oldest !== undefined) this.#waiting.delete(oldest)
    this.#countUp(1)
  }

  #countUp(by: number): void {
    this.#count += by
    if (this.#count > MOST_COUNTED) this.#gap = true
    if (this.#gap) this.#waiting.clear()
  }

  #release(): void {
    const rows = [...this.#waiting.values()]
    this.#forget()
    putRows(rows)
  }

  #forget(): void {
    this.#waiting.clear()
    this.#count = 0
    this.#gap = false
    this.#onChange()
  }
}

const MOST_ROWS = 200

/** A row from the HTML of an event. */
export function rowOf(html: string): HTMLTableRowElement | undefined {
  const template = document.createElement('template')
  template.innerHTML = html
  return template.content.querySelector('tr') ?? undefined
}

/** Puts new rows where they belong, which is nearly always at the top. Takes rows off the end when there are too many. */
export function putRows(rows: Iterable<HTMLTableRowElement>): void {
  const list = byId('rows')
  if (!list) return
  for (const row of rows) {
    row.classList.add('new')
    // Ids grow with time.
    const below = [...list.children].find(({ id }) => id < row.id)
    list.insertBefore(row, below ?? null)
  }
  if (list.children.length <= MOST_ROWS) return
  while (list.children.length > MOST_ROWS) list.lastElementChild?.remove()
  olderThan(list.lastElementChild)
}

/** Has “Older messages” begin below the last row that stays. */
function olderThan(row: Element | null): void {
  const link = byId('older')
  const at = Date.parse(row?.querySelector('time')?.dateTime ?? '')
  if (!row || !(link instanceof HTMLAnchorElement) || Number.isNaN(at)) return
  const cursor = btoa(`${at} ${row.id.slice('m-'.length)}`).replaceAll('=', '')
  const address = new URL(link.href)
  address.searchParams.set('cursor', cursor)
  link.href = address.href
}

/** Shows how a message is now. Only cells that differ are replaced, so that focus and selection stay where they are. */
function changeRow(now: HTMLTableRowElement): boolean {
  const row = byId(now.id)
  if (!(row instanceof HTMLTableRowElement)) return false
  for (const [index, cell] of [...now.cells].entries()) {
    const before = row.cells[index]
    if (before && before.innerHTML !== cell.innerHTML) before.replaceChildren(...cell.childNodes)
  }
  return true
}

/** The tickets of rows that may still change: whose message or callback is on its way. */
export function openTickets(): string[] {
  const rows = [...document.querySelectorAll('#rows tr')]
  return rows.flatMap((row) => (row.querySelector('.state.wait') ? row.id.slice('m-'.length) : []))
}
