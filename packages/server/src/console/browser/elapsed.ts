import { elapsed } from '../../domain/elapsed.ts'

/**
 * Has what is still open count up, from what the page says: the clocks of the browser and the gateway may differ. Looks
 * for it each time, since a message that changes is put into the page anew.
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
