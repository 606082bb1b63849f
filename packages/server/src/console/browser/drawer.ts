import { byId, say } from '../../pages/browser/page.ts'

/** Where the drawer's place is kept while one of its forms is posted. */
const KEPT = 'wigwag-drawer'
const OPEN = '#sandbox'

/** Opens the sandbox's drawer again after one of its forms, where it was. */
export function startDrawer(): void {
  const drawer = byId('sandbox')
  if (!drawer) return
  drawer.addEventListener('submit', ({ submitter }) => {
    const pressed = submitter instanceof HTMLButtonElement ? buttonsOf(drawer).indexOf(submitter) : -1
    sessionStorage.setItem(KEPT, `${drawer.scrollTop} ${pressed}`)
  })
  if (location.hash !== OPEN) return
  history.replaceState(history.state, '', location.pathname + location.search)
  drawer.showPopover()
  const [scrollTop = 0, pressed = -1] = (sessionStorage.getItem(KEPT) ?? '').split(' ').map(Number)
  sessionStorage.removeItem(KEPT)
  drawer.scrollTop = scrollTop
  buttonsOf(drawer)[pressed]?.focus({ preventScroll: true })
  say('Done')
}

function buttonsOf(drawer: HTMLElement): HTMLButtonElement[] {
  return [...drawer.querySelectorAll('button')]
}
