import { showCopyButtons } from '../../pages/browser/copy.ts'

/** This page as it is now; undefined when the server can't say. */
export async function refetch(): Promise<Document | undefined> {
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
