import { byId } from '../../pages/browser/page.ts'

const LEFT_FOR = 'wigwag-left-for'
const LIST = '/messages'

/** Returns the focus to the row of the message, on the way back from it to the list. */
export function startGoingBack(): void {
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
