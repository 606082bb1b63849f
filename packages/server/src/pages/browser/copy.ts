import { byId, say } from './page.ts'

const SHOWN_MS = 1_500

/** Buttons that copy the text of the element that they name. Without a script they stay hidden. */
export function startCopying(): void {
  showCopyButtons(document)
  document.addEventListener('click', async ({ target }) => {
    const button = target instanceof Element && target.closest<HTMLElement>('[data-copy]')
    if (!button) return
    await navigator.clipboard.writeText(byId(button.dataset.copy ?? '')?.textContent ?? '')
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
