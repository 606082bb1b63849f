import type { StreamEvent } from '../../pages/browser/events.ts'
import { byId, say } from '../../pages/browser/page.ts'
import { openStream, type StreamState } from '../../pages/browser/stream.ts'
import { type Arrivals, createArrivals, MOST_COUNTED } from './arrivals.ts'
import { onKey } from './keys.ts'
import { createMessageRenewal, openTicket } from './open-message.ts'
import { renewPage } from './refetch.ts'
import { openTickets, putRows, rowOf } from './rows.ts'
import { createReadingOut, createTitleCount, newMessages } from './tell.ts'

/** Tickets whose state the stream is asked for when it opens. The server takes no more. */
const MOST_ASKED = 150

/** Keeps the list of messages, the open message and the balance up to date. Does nothing on pages without a list. */
export function startLive(): void {
  if (!liveList()) return
  let last = liveList()?.dataset.last ?? ''
  let state: StreamState = 'live'
  const readOut = createReadingOut()
  const title = createTitleCount()
  const renewMessage = createMessageRenewal()
  const arrivals = createArrivals({ reload: renewAll, onChange: showState })
  const stream = openStream({
    address,
    last: () => last,
    onEvent,
    onState(now) {
      state = now
      showState()
    },
  })

  function showState(): void {
    showWord(state, arrivals)
    showButton(arrivals.count())
    title.waiting(arrivals.count())
  }

  /** The newest page instead of what is shown. What arrives in the meantime is told again to the new list. */
  async function renewAll(): Promise<void> {
    await renewPage()
    last = liveList()?.dataset.last ?? ''
    showState()
    stream.restart()
  }

  function arrived(count: number): void {
    readOut(count)
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
    if (isOpen(html)) renewMessage()
  }

  function onChanged(html: string): void {
    arrivals.change(html)
    if (isOpen(html)) renewMessage()
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

/** The list, or what waits for its first message. It names its stream. */
function liveList(): HTMLElement | undefined {
  return document.querySelector<HTMLElement>('[data-live]') ?? undefined
}

/** Whether a row is that of the message that is open. */
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

/** In a sandbox, people who wait for a message see why the request for it was refused. The message itself ends that. */
function showRefusal(html: string): void {
  const template = document.createElement('template')
  template.innerHTML = html
  const place = byId('refusal')
  if (!place) return
  place.hidden = html === ''
  place.replaceChildren(template.content)
  say(place.querySelector('.strong')?.textContent ?? '')
}
