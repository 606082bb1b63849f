import { byId, setText, startCopying, startPrinting } from '../../browser/page.ts'
import { startLink, startPasskeys } from '../../browser/sign-in.ts'
import { PageStream } from '../../browser/stream.ts'

const STATES = { live: 'Live', reconnecting: 'Reconnecting …', offline: 'Offline: this may be old' }

/** Enhances the pages of the desk. Except for passkeys, everything works without this script. */
startCopying()
startLink()
startPasskeys()
startPrinting()
startLive()

/**
 * Keeps a part of the page up to date. The focus stays at its place when the links are as many as before. While something
 * is pressed, news waits: with the link that is pressed, its click would be gone.
 */
function startLive(): void {
  const part = byId('part')
  const address = part?.dataset.live
  if (!part || address === undefined) return
  let isPressed = false
  let waiting: string | undefined
  const show = (data: string) => {
    const before = [...part.querySelectorAll('a, [tabindex]')]
    const focused = before.indexOf(document.activeElement ?? document.body)
    const now = new DOMParser().parseFromString(data, 'text/html').body
    part.replaceChildren(...now.childNodes)
    const after = part.querySelectorAll<HTMLElement>('a, [tabindex]')
    if (focused >= 0 && after.length === before.length) after[focused]?.focus({ preventScroll: true })
  }
  // The click comes behind the release.
  const release = () =>
    setTimeout(() => {
      isPressed = false
      if (waiting !== undefined) show(waiting)
      waiting = undefined
    })
  part.addEventListener('pointerdown', () => {
    isPressed = true
  })
  for (const end of ['pointerup', 'pointercancel']) addEventListener(end, release)
  new PageStream({
    address: () => address,
    last: () => '',
    onState: (state) => setText('live-state', STATES[state]),
    onEvent({ name, data }) {
      if (name === 'end') return location.reload()
      if (name !== 'part') return
      if (isPressed) waiting = data
      else show(data)
    },
  }).start()
}
