import { backoff } from '../../kernel/time/spans.ts'
/** An event of a stream: its name, what it says, and the id to go on after. */
export interface StreamEvent {
  name: string
  data: string
  id: string | undefined
}

export type StreamState = 'live' | 'reconnecting' | 'offline'

/** The page that a stream serves: which one it needs, and where its events go. */
interface Page {
  /** Where the stream is, with what the page shows now. */
  address(): string
  /** The event to go on after. */
  last(): string
  onEvent(event: StreamEvent): void
  onState(state: StreamState): void
}

/** A shorter loss is not shown. */
const SAY_AFTER_MS = 3_000
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 30_000
/** After so many failures in a row it asks rarely. */
const FAILURES = 3
const OFFLINE_PAUSE_MS = 10_000
/** Browsers open six connections to a host, so a tab that is not seen gives its own back. */
const HIDDEN_MS = 30_000
/** The server sends something every 15 s. */
const SILENCE_MS = 40_000

type Timer = ReturnType<typeof setTimeout>

/**
 * A connection to the server that is opened again when it is lost. `EventSource` does that at its own pace and does not
 * say why one failed, so this reads streams with `fetch`.
 */
export class PageStream {
  readonly #page: Page
  #reading: AbortController | undefined
  #failures = 0
  #again: Timer | undefined
  #lateWord: Timer | undefined
  #hiding: Timer | undefined

  constructor(page: Page) {
    this.#page = page
  }

  /** Opens it, and again after each loss. */
  start(): void {
    document.addEventListener('visibilitychange', () => {
      clearTimeout(this.#hiding)
      if (document.hidden) this.#hiding = setTimeout(() => this.#close(), HIDDEN_MS)
      else if (!this.#reading) void this.#open()
    })
    addEventListener('online', () => {
      if (!this.#reading && !document.hidden) void this.#open()
    })
    addEventListener('pagehide', () => this.#close())
    addEventListener('pageshow', ({ persisted }) => {
      if (persisted) void this.#open()
    })
    // A tab that was opened in the background has never been seen.
    if (document.hidden) this.#hiding = setTimeout(() => this.#close(), HIDDEN_MS)
    void this.#open()
  }

  /** Opens it again now, for what the page shows by now. */
  restart(): void {
    void this.#open()
  }

  async #open(): Promise<void> {
    clearTimeout(this.#again)
    this.#reading?.abort()
    const mine = new AbortController()
    this.#reading = mine
    const retryAfterMs = await this.#read(mine).catch(() => 0)
    if (this.#reading === mine) this.#lost(retryAfterMs)
  }

  /** Reads until the stream ends. Returns how long the server asks to wait. */
  async #read(mine: AbortController): Promise<number> {
    const { address, last, onEvent } = this.#page
    const headers = { accept: 'text/event-stream', 'last-event-id': last() || '0' }
    const response = await fetch(address(), {
      headers,
      redirect: 'manual',
      cache: 'no-store',
      signal: mine.signal,
    })
    // Only the sign-in page is elsewhere.
    if (response.type === 'opaqueredirect') location.reload()
    if (!response.ok || !response.body) {
      const seconds = Number(response.headers.get('retry-after'))
      // A proxy may name a time of day instead.
      return seconds > 0 ? 1_000 * seconds : 0
    }
    this.#connected()
    const events = new EventReader(onEvent)
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    for (;;) {
      const silence = setTimeout(() => mine.abort(), SILENCE_MS)
      const { value, done } = await reader.read().finally(() => clearTimeout(silence))
      if (done || mine.signal.aborted) return 0
      events.take(value)
    }
  }

  #connected(): void {
    this.#failures = 0
    clearTimeout(this.#lateWord)
    this.#lateWord = undefined
    this.#page.onState('live')
  }

  #lost(retryAfterMs: number): void {
    const { onState } = this.#page
    this.#reading = undefined
    this.#failures++
    this.#lateWord ??= setTimeout(
      () => onState(this.#failures > FAILURES ? 'offline' : 'reconnecting'),
      SAY_AFTER_MS,
    )
    if (this.#failures > FAILURES) onState('offline')
    const pause = this.#failures > FAILURES ? OFFLINE_PAUSE_MS : backoff(this.#failures, FIRST_PAUSE_MS)
    const jitter = 0.75 + Math.random() / 2
    const wait = Math.min(Math.max(pause * jitter, retryAfterMs), LONGEST_PAUSE_MS)
    this.#again = setTimeout(() => void this.#open(), wait)
  }

  #close(): void {
    clearTimeout(this.#again)
    clearTimeout(this.#lateWord)
    this.#lateWord = undefined
    const closing = this.#reading
    this.#reading = undefined
    closing?.abort()
  }
}

/** Takes a stream's text as it comes, in pieces of any size, and gives the events in it. */
export class EventReader {
  readonly #onEvent: (event: StreamEvent) => void
  #rest = ''

  constructor(onEvent: (event: StreamEvent) => void) {
    this.#onEvent = onEvent
  }

  take(text: string): void {
    const blocks = (this.#rest + text).split('\n\n')
    this.#rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const event = eventOf(block)
      if (event) this.#onEvent(event)
    }
  }
}

/** Undefined for comments. */
function eventOf(block: string): StreamEvent | undefined {
  const data: string[] = []
  let name = 'message'
  let id: string | undefined
  for (const line of block.split('\n')) {
    const [, field, value = ''] = /^([^:]+): ?(.*)$/s.exec(line) ?? []
    if (field === 'event') name = value
    else if (field === 'id') id = value
    else if (field === 'data') data.push(value)
  }
  return data.length === 0 ? undefined : { name, data: data.join('\n'), id }
}
