import { say } from '../../pages/browser/page.ts'
import { MOST_COUNTED } from './arrivals.ts'

/** A number of messages in words: `1 new message`. */
export function newMessages(count: number): string {
  if (count === 1) return '1 new message'
  return `${count > MOST_COUNTED ? `More than ${MOST_COUNTED}` : count} new messages`
}

/** Screen readers hear of new messages no more often than this. */
const SAY_EVERY_MS = 5_000

/** Returns a function that announces new messages to screen readers, several at a time. */
export function createReadingOut(): (count: number) => void {
  let unsaid = 0
  let resting = false

  function sayNow(): void {
    resting = unsaid > 0
    if (!resting) return
    say(newMessages(unsaid))
    unsaid = 0
    setTimeout(sayNow, SAY_EVERY_MS)
  }
  return function readOut(count) {
    unsaid += count
    if (!resting) sayNow()
  }
}

/** Counts in the title of the tab what its reader has not seen. */
export interface TitleCount {
  /** A message arrived: while the tab is not seen, it counts. */
  arrived(count: number): void
  /** So many wait on the page. */
  waiting(count: number): void
}

export function createTitleCount(): TitleCount {
  const title = document.title
  let unseen = 0
  let waiting = 0

  function show(): void {
    const count = Math.max(unseen, waiting)
    const shown = count > MOST_COUNTED ? `${MOST_COUNTED}+` : count
    document.title = count === 0 ? title : `(${shown}) ${title}`
  }
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) return
    unseen = 0
    show()
  })
  return {
    arrived(count) {
      if (document.hidden) unseen += count
      show()
    },
    waiting(count) {
      waiting = count
      show()
    },
  }
}
