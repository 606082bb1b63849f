import { byId, say } from '../../browser/page.ts'
import { PageStream, type StreamEvent, type StreamState } from '../../browser/stream.ts'
import { Arrivals, MOST_COUNTED, openTickets, putRows, rowOf } from './arrivals.ts'
import { onKey } from './keys.ts'
import { MessageRenewal, openTicket, renewPage } from './renewal.ts'

/** Tickets whose state the stream is asked for when it opens. The server takes no more: `MOST_OPEN` in `live/routes.ts`. */
const MOST_ASKED = 150

/** Keeps the list of messages, the open message and the balance up to date. Does nothing on pages without a list. */
export function startLive(): void {
  if (!liveList()) return
  let last = liveList()?.dataset.last ?? ''
  let state: StreamState = 'live'
  const readOut = new ReadingOut()
  const title = new TitleCount()
  const renewal = new MessageRenewal()
  const arrivals = new Arrivals({ reload: renewAll, onChange: showState })
  const stream = new PageStream({
    address,
    last: () => last,
    onEvent,
    onState(now) {
      state = now
      showState()
    },
  })
  stream.start()

  function showState(): void {
    showWord(state, arrivals)
    showButton(arrivals.count())
    title.waiting(arrivals.count())
  }

  /** Replaces the list by its newest page. The stream restarts from there, so it repeats newer arrivals. */
  async function renewAll(): Promise<void> {
    await renewPage()
    last = liveList()?.dataset.last ?? ''
    showState()
    stream.restart()
  }

  function arrived(count: number): void {
    readOut.arrived(count)
    title.arrived(count)
  }

  function onEvent({ name, data, id }: StreamEvent): void {
    if (id !== undefined && id > last) last = id
    if (name === 'row') onRow(data)
    else if (name === 'row-changed') onChanged(data)
    else if (name === 'many') onMany(Number(data))
    else if (name === 'purse') byId('purse')?.querySelector('strong')?.replaceChildren(data)
    else if (name === 'refused') showRefusal(data)
    else if (name === 'end') location.reload()
  }

  function onRow(html: string): void {
    if (!byId('rows')) beginList(html)
    else if (arrivals.add(html)) arrived(1)
    if (isOpen(html)) renewal.begin()
  }

  function onChanged(html: string): void {
    arrivals.change(html)
    if (isOpen(html)) renewal.begin()
  }

  function onMany(count: number): void {
    arrived(count)
    if (byId('rows')) arrivals.addMany(count)
    else void renewAll()
  }

  /** The first message: the box that waits for it becomes the list. */
  function beginList(html: string): void {
    const first = byId('first')
    const row = rowOf(html)
    if (!(first instanceof HTMLTemplateElement) || !row) {
      void renewAll()
      return
    }
    byId('waits')?.replaceWith(first.content.cloneNode(true))
    showRefusal('')
    putRows([row])
    say('Your first message was accepted.')
  }

  async function showNewest(): Promise<void> {
    await arrivals.show()
    scrollTo(0, 0)
  }

  onKey('l', () => arrivals.pause(!arrivals.paused()))
  onKey('n', async () => {
    await showNewest()
    document.querySelector<HTMLElement>('#rows a.go')?.focus()
  })
  document.addEventListener('click', ({ target }) => {
    if (target instanceof Element && target.closest('#arrivals button')) void showNewest()
  })
  showState()
}

/** The list of messages, or the box that waits for the first one. Its `data-live` is the address of the stream. */
function liveList(): HTMLElement | undefined {
  return document.querySelector<HTMLElement>('[data-live]') ?? undefined
}

/** Whether the open message has this row. */
function isOpen(html: string): boolean {
  const ticket = openTicket()
  return ticket !== undefined && html.includes(`id="m-${ticket}"`)
}

function address(): string {
  const url = new URL(liveList()?.dataset.live ?? '', location.href)
  const asked = [openTicket() ?? [], openTickets()].flat().slice(0, MOST_ASKED)
  if (asked.length > 0) url.searchParams.set('open', asked.join())
  return url.href
}

const WORDS = { reconnecting: 'Reconnecting', offline: 'Offline, checking every 10 s' }

function showWord(state: StreamState, arrivals: Arrivals): void {
  const word = byId('live')
  if (!word) return
  const paused = arrivals.paused()
  word.hidden = false
  word.classList.toggle('off', state !== 'live')
  word.classList.toggle('held', state === 'live' && paused)
  const text = state === 'live' ? (paused ? pausedWord(arrivals.count()) : 'Live') : WORDS[state]
  if (word.textContent !== text) word.textContent = text
}

function pausedWord(count: number): string {
  if (count === 0) return 'Paused'
  if (count > MOST_COUNTED) return `Paused, more than ${MOST_COUNTED} wait`
  return `Paused, ${count} ${count === 1 ? 'waits' : 'wait'}`
}

function showButton(count: number): void {
  const button = byId('arrivals')
  if (!button) return
  button.hidden = count === 0
  button.querySelector('button')?.replaceChildren(newMessages(count))
}

/** In a sandbox, shows why a request was refused to a person who waits for its message. An empty text hides it. */
function showRefusal(html: string): void {
  const template = document.createElement('template')
  template.innerHTML = html
  const place = byId('refusal')
  if (!place) return
  place.hidden = html === ''
  place.replaceChildren(template.content)
  say(place.querySelector('.strong')?.textContent ?? '')
}

/** A number of messages in words: `1 new message`. */
function newMessages(count: number): string {
  if (count === 1) return '1 new message'
  return `${count > MOST_COUNTED ? `More than ${MOST_COUNTED}` : count} new messages`
}

/** Screen readers hear of new messages no more often than this. */
const SAY_EVERY_MS = 5_000

/** Announces new messages to screen readers, several at a time. */
class ReadingOut {
  #unsaid = 0
  #resting = false

  arrived(count: number): void {
    this.#unsaid += count
    if (!this.#resting) this.#sayNow()
  }

  #sayNow(): void {
    this.#resting = this.#unsaid > 0
    if (!this.#resting) return
    say(newMessages(this.#unsaid))
    this.#unsaid = 0
    setTimeout(() => this.#sayNow(), SAY_EVERY_MS)
  }
}

/** Shows in the tab's title how many messages its reader has not seen. */
class TitleCount {
  readonly #title = document.title
  #unseen = 0
  #waiting = 0

  constructor() {
    document.addEventListener('visibilitychange', () => {
      if (document.hidden) return
      this.#unseen = 0
      this.#show()
    })
  }

  /** Counts new messages while the tab is hidden. */
  arrived(count: number): void {
    if (document.hidden) this.#unseen += count
    this.#show()
  }

  /** Sets how many messages wait on the page to be shown. */
  waiting(count: number): void {
    this.#waiting = count
    this.#show()
  }

  #show(): void {
    const count = Math.max(this.#unseen, this.#waiting)
    const shown = count > MOST_COUNTED ? `${MOST_COUNTED}+` : count
    document.title = count === 0 ? this.#title : `(${shown}) ${this.#title}`
  }
}
