import { byId } from '../../browser/page.ts'

/** Where the choice to turn single keys off is kept. */
const OFF = 'wigwag-keys-off'
const GO: Readonly<Record<string, string>> = {
  i: '/messages',
  s: '/insights',
  w: '/wallet',
  b: '/callbacks',
  d: '/developers',
}
const TYPED_INTO = 'input:not([type=radio], [type=checkbox]), textarea, select'

const actions = new Map<string, () => void>([
  ['j', () => step(1)],
  ['k', () => step(-1)],
  ['c', () => location.assign('/send')],
  ['/', () => byId('q')?.focus()],
  ['?', () => byId('help')?.togglePopover()],
  ['t', () => byId('sandbox')?.togglePopover()],
])

/** Gives a key something to do. */
export function onKey(key: string, action: () => void): void {
  actions.set(key, action)
}

/** Single keys: never while typing, never with a modifier, and they can be turned off. Esc always works. */
export function startKeys(): void {
  const on = byId('keys-on')
  if (!(on instanceof HTMLInputElement)) return
  on.checked = localStorage.getItem(OFF) === null
  on.addEventListener('change', () =>
    on.checked ? localStorage.removeItem(OFF) : localStorage.setItem(OFF, '1'),
  )
  let before = ''
  document.addEventListener('keydown', (event) => {
    const typedInto = event.target instanceof Element ? event.target.closest(TYPED_INTO) : null
    if (event.key === 'Escape') return closeOrLeave(typedInto)
    if (typedInto || event.ctrlKey || event.metaKey || event.altKey || !on.checked) return
    const place = before === 'g' ? GO[event.key] : undefined
    const action = actions.get(event.key)
    before = event.key
    if (place !== undefined) return location.assign(place)
    if (!action) return
    event.preventDefault()
    action()
  })
}

/** Moves the focus among the rows on screen. */
function step(by: number): void {
  const links = [...document.querySelectorAll<HTMLElement>('#rows a.go')]
  const { activeElement } = document
  const focused = activeElement instanceof HTMLElement ? links.indexOf(activeElement) : -1
  const at = focused >= 0 ? focused : links.findIndex((link) => link.closest('[aria-current]'))
  const next = links[Math.max(0, Math.min(links.length - 1, at < 0 ? 0 : at + by))]
  next?.focus({ preventScroll: true })
  next?.scrollIntoView({ block: 'nearest' })
}

/** Closes the drawer, else leaves the field, else closes the message. */
function closeOrLeave(typedInto: Element | null): void {
  const drawer = byId('sandbox')
  if (drawer?.matches(':popover-open')) {
    drawer.hidePopover()
    return
  }
  // The browser closes the help and the menu by itself.
  if (document.querySelector(':popover-open')) return
  if (!typedInto) byId('shut')?.click()
  if (typedInto?.id !== 'q' || !(typedInto instanceof HTMLInputElement)) return
  if (typedInto.value === '') typedInto.blur()
  else typedInto.value = ''
}
