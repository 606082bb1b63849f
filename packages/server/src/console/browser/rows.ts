import { byId } from '../../pages/browser/page.ts'

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
export function changeRow(now: HTMLTableRowElement): boolean {
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
