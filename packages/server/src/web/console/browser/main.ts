import { byId, say, startCopying, startElapsed } from '../../browser/page.ts'
import { startKeys } from './keys.ts'
import { startLive } from './live.ts'

/** Where the drawer's place is kept while one of its forms is posted. */
const KEPT = 'wigwag-drawer'
const OPEN = '#sandbox'

/** Opens the sandbox's drawer again after one of its forms, where it was. */
function startDrawer(): void {
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

const LEFT_FOR = 'wigwag-left-for'
const LIST = '/messages'

/** Returns the focus to the row of the message, on the way back from it to the list. */
function startGoingBack(): void {
  const { pathname } = location
  const ticket = sessionStorage.getItem(LEFT_FOR)
  if (pathname === LIST && ticket !== null) {
    byId(`m-${ticket}`)?.querySelector<HTMLElement>('a.go')?.focus({ preventScroll: true })
    byId(`m-${ticket}`)?.scrollIntoView({ block: 'nearest' })
  }
  if (!pathname.startsWith(`${LIST}/`)) sessionStorage.removeItem(LEFT_FOR)
  document.addEventListener('click', ({ target }) => {
    const row = target instanceof Element && target.closest('a.go') ? target.closest('#rows tr') : null
    if (row) sessionStorage.setItem(LEFT_FOR, row.id.slice('m-'.length))
  })
}

/** Enhances the pages of the console. Everything else works without this script. */
startCopying()
startElapsed()
startKeys()
startDrawer()
startGoingBack()
startLive()
