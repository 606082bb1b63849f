import { byId, setText } from '../../pages/browser/page.ts'
import { openStream } from '../../pages/browser/stream.ts'

const STATES = { live: 'Live', reconnecting: 'Reconnecting …', offline: 'Offline: this may be old' }

/** Keeps a part of the page up to date. What has the keyboard's focus keeps it, by its place. */
export function startLive(): void {
  const part = byId('part')
  const address = part?.dataset.live
  if (!part || address === undefined) return
  openStream({
    address: () => address,
    last: () => '',
    onState: (state) => setText('live-state', STATES[state]),
    onEvent({ name, data }) {
      if (name === 'end') return location.reload()
      if (name !== 'part') return
      const before = [...part.querySelectorAll('a, [tabindex]')]
      const focused = before.indexOf(document.activeElement ?? document.body)
      const now = new DOMParser().parseFromString(data, 'text/html').body
      part.replaceChildren(...now.childNodes)
      const after = part.querySelectorAll<HTMLElement>('a, [tabindex]')
      if (focused >= 0 && after.length === before.length) after[focused]?.focus({ preventScroll: true })
    },
  })
}
