import { showCopyButtons } from '../../browser/page.ts'

/** People who select text in the message are not interrupted. */
const LATER_MS = 1_000
/** A message and its callback often change together. */
const GATHER_MS = 200

/** The ticket of the message that is open; undefined when none is. */
export function openTicket(): string | undefined {
  return /^\/messages\/([0-9a-f-]{36})$/.exec(location.pathname)?.[1]
}

/** Brings the open message up to date. */
export class MessageRenewal {
  #isDue = false

  begin(): void {
    this.#renewIn(GATHER_MS)
  }

  async #renew(): Promise<void> {
    this.#isDue = false
    if (isSelecting()) return this.#renewIn(LATER_MS)
    const now = (await refetch())?.querySelector('article.pane')
    const pane = paneHere()
    if (pane && now && pane.innerHTML !== now.innerHTML) replace(pane, now)
  }

  #renewIn(ms: number): void {
    if (!this.#isDue) setTimeout(() => this.#renew(), ms)
    this.#isDue = true
  }
}

function paneHere(): Element | null {
  return document.querySelector('article.pane')
}

function isSelecting(): boolean {
  const selection = getSelection()
  const pane = paneHere()
  return selection !== null && !selection.isCollapsed && pane !== null && selection.containsNode(pane, true)
}

/** Keeps the scroll position, the open folds, the checked inputs and the focus. */
function replace(pane: Element, now: Element): void {
  const { scrollTop } = pane
  for (const fold of pane.querySelectorAll('details')) {
    const same = [...now.querySelectorAll('details')].find((other) => nameOf(other) === nameOf(fold))
    if (same) same.open = fold.open
  }
  for (const input of pane.querySelectorAll<HTMLInputElement>('input[id]:checked')) {
    const same = now.querySelector(`#${CSS.escape(input.id)}`)
    if (same instanceof HTMLInputElement) same.checked = true
  }
  const focused = pane.contains(document.activeElement) ? document.activeElement : null
  const same = focused && [...now.querySelectorAll<HTMLElement>(focused.localName)].find(isLike(focused))
  pane.replaceWith(now)
  now.scrollTop = scrollTop
  showCopyButtons(now)
  same?.focus({ preventScroll: true })
}

/** Identifies a fold by its id, else by its summary. */
function nameOf(fold: HTMLDetailsElement): string {
  return fold.id || (fold.querySelector('summary time, summary')?.textContent ?? '')
}

function isLike(element: Element): (other: Element) => boolean {
  return ({ id, textContent }) => id === element.id && textContent === element.textContent
}

/** This page as it is now; undefined when the server can't say. */
async function refetch(): Promise<Document | undefined> {
  try {
    const response = await fetch(location.href, { redirect: 'manual', cache: 'no-store' })
    if (response.type === 'opaqueredirect') location.reload()
    if (!response.ok) return undefined
    return new DOMParser().parseFromString(await response.text(), 'text/html')
  } catch {
    return undefined
  }
}

/** Replaces what is on the page, without its frame, by what it is now. Loads all of it when that fails. */
export async function renewPage(): Promise<void> {
  const main = document.querySelector('main')
  const now = (await refetch())?.querySelector('main')
  if (!main || !now) return location.reload()
  main.replaceChildren(...now.childNodes)
  showCopyButtons(main)
}
