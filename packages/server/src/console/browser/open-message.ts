import { showCopyButtons } from '../../pages/browser/copy.ts'
import { refetch } from './refetch.ts'

/** People who select text in the message are not interrupted. */
const LATER_MS = 1_000
/** A message and its callback often change together. */
const GATHER_MS = 200

/** The ticket of the message that is open; undefined when none is. */
export function openTicket(): string | undefined {
  return /^\/messages\/([0-9a-f-]{36})$/.exec(location.pathname)?.[1]
}

/** Returns a function that brings the open message up to date. */
export function createMessageRenewal(): () => void {
  let isDue = false

  async function renew(): Promise<void> {
    isDue = false
    if (isSelecting()) return renewIn(LATER_MS)
    const now = (await refetch())?.querySelector('article.pane')
    const pane = paneHere()
    if (pane && now && pane.innerHTML !== now.innerHTML) replace(pane, now)
  }

  function renewIn(ms: number): void {
    if (!isDue) setTimeout(renew, ms)
    isDue = true
  }
  return () => renewIn(GATHER_MS)
}

function paneHere(): Element | null {
  return document.querySelector('article.pane')
}

function isSelecting(): boolean {
  const selection = getSelection()
  const pane = paneHere()
  return selection !== null && !selection.isCollapsed && pane !== null && selection.containsNode(pane, true)
}

/** What is scrolled, unfolded, chosen or has the focus stays so. */
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

/** What a fold is called. Its state may be part of its words, so an id or the first words must do. */
function nameOf(fold: HTMLDetailsElement): string {
  return fold.id || (fold.querySelector('summary time, summary')?.textContent ?? '')
}

function isLike(element: Element): (other: Element) => boolean {
  return ({ id, textContent }) => id === element.id && textContent === element.textContent
}
