import { elapsed } from '../../kernel/time/spans.ts'

/** An element of the page by its id; undefined on pages that don't have it. */
export function byId(id: string): HTMLElement | undefined {
  return document.getElementById(id) ?? undefined
}

/** Has screen readers say something, after what they are saying. */
export function say(text: string): void {
  const says = byId('says')
  if (says) says.textContent = text
}

/** Puts a text into an element, if the page has it. */
export function setText(id: string, text: string): void {
  const element = byId(id)
  if (element && element.textContent !== text) element.textContent = text
}

const SHOWN_MS = 1_500

/** Buttons that copy the text of the element that they name. Without a script they stay hidden. */
export function startCopying(): void {
  showCopyButtons(document)
  document.addEventListener('click', async ({ target }) => {
    const button = target instanceof Element && target.closest<HTMLElement>('[data-copy]')
    if (!button) return
    await navigator.clipboard.writeText(byId(button.dataset.copy ?? '')?.innerText.trim() ?? '')
    button.textContent = 'Copied'
    say('Copied')
    setTimeout(() => {
      button.textContent = 'Copy'
    }, SHOWN_MS)
  })
}

/** Shows the buttons in a part of the page. Browsers let scripts copy only on pages that came safely. */
export function showCopyButtons(part: ParentNode): void {
  if (!navigator.clipboard) return
  for (const button of part.querySelectorAll<HTMLElement>('[data-copy]')) button.hidden = false
}

/** Buttons that print the page. Without a script they stay hidden. */
export function startPrinting(): void {
  for (const button of document.querySelectorAll<HTMLElement>('[data-print]')) {
    button.hidden = false
    button.addEventListener('click', () => print())
  }
}

/**
 * Counts up the durations that are still running, from the page's values: the clocks of browser and gateway may differ.
 * Finds them again each time, since a message that changes is replaced in the page.
 */
export function startElapsed(): void {
  const seenAt = new WeakMap<Element, number>()
  setInterval(() => {
    for (const element of document.querySelectorAll<HTMLElement>('[data-elapsed]')) {
      const since = seenAt.get(element) ?? performance.now()
      seenAt.set(element, since)
      element.textContent = elapsed(Number(element.dataset.elapsed) + performance.now() - since)
    }
  }, 1_000)
}
