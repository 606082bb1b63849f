import { elapsed } from '../../domain/elapsed.ts'

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
