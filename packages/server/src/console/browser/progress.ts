import { byId } from '../../pages/browser/page.ts'

const EVERY_MS = 2_000

/** Reads the progress of a bulk again until it is done, while the page is seen. */
export function startProgress(): void {
  if (byId('progress')?.dataset.again === undefined) return
  const timer = window.setInterval(async () => {
    if (document.hidden) return
    const fresh = await readAgain()
    const shown = byId('progress')
    if (!fresh || !shown) return
    replaceFigures(shown, fresh)
    if (fresh.dataset.again === undefined) clearInterval(timer)
  }, EVERY_MS)
}

async function readAgain(): Promise<HTMLElement | undefined> {
  try {
    const response = await fetch(location.href)
    const page = new DOMParser().parseFromString(await response.text(), 'text/html')
    return page.getElementById('progress') ?? undefined
  } catch {
    return undefined
  }
}

/** All but the head: its link may have the focus. */
function replaceFigures(shown: HTMLElement, fresh: HTMLElement): void {
  const [, ...old] = shown.children
  const [, ...now] = fresh.children
  for (const part of old) part.remove()
  shown.append(...now)
}
