import { createEventReader, type StreamEvent } from './events.ts'

export interface StreamOptions {
  /** Where the stream is, with what the page shows now. */
  address(): string
  /** The event to go on after. */
  last(): string
  onEvent(event: StreamEvent): void
  onState(state: StreamState): void
}

export type StreamState = 'live' | 'reconnecting' | 'offline'

/** A connection to the server that is opened again when it is lost. */
export interface Stream {
  /** Opens it again now, for what the page shows by now. */
  restart(): void
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

/** `EventSource` opens streams again at its own pace and does not say why one failed, so this reads them with `fetch`. */
export function openStream({ address, last, onEvent, onState }: StreamOptions): Stream {
  let reading: AbortController | undefined
  let failures = 0
  let again: Timer | undefined
  let lateWord: Timer | undefined
  let hiding: Timer | undefined

  async function open(): Promise<void> {
    clearTimeout(again)
    reading?.abort()
    const mine = new AbortController()
    reading = mine
    const retryAfterMs = await read(mine).catch(() => 0)
    if (reading === mine) lost(retryAfterMs)
  }

  /** Reads until the stream ends. Returns how long the server asks to wait. */
  async function read(mine: AbortController): Promise<number> {
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
    connected()
    const take = createEventReader(onEvent)
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    for (;;) {
      const silence = setTimeout(() => mine.abort(), SILENCE_MS)
      const { value, done } = await reader.read().finally(() => clearTimeout(silence))
      if (done || mine.signal.aborted) return 0
      take(value)
    }
  }

  function connected(): void {
    failures = 0
    clearTimeout(lateWord)
    lateWord = undefined
    onState('live')
  }

  function lost(retryAfterMs: number): void {
    reading = undefined
    failures++
    lateWord ??= setTimeout(() => onState(failures > FAILURES ? 'offline' : 'reconnecting'), SAY_AFTER_MS)
    if (failures > FAILURES) onState('offline')
    const pause = failures > FAILURES ? OFFLINE_PAUSE_MS : FIRST_PAUSE_MS * 2 ** (failures - 1)
    const jitter = 0.75 + Math.random() / 2
    again = setTimeout(open, Math.min(Math.max(pause * jitter, retryAfterMs), LONGEST_PAUSE_MS))
  }

  function close(): void {
    clearTimeout(again)
    clearTimeout(lateWord)
    lateWord = undefined
    const closing = reading
    reading = undefined
    closing?.abort()
  }

  document.addEventListener('visibilitychange', () => {
    clearTimeout(hiding)
    if (document.hidden) hiding = setTimeout(close, HIDDEN_MS)
    else if (!reading) void open()
  })
  addEventListener('online', () => {
    if (!reading && !document.hidden) void open()
  })
  addEventListener('pagehide', close)
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) void open()
  })
  // A tab that was opened in the background has never been seen.
  if (document.hidden) hiding = setTimeout(close, HIDDEN_MS)
  void open()
  return { restart: () => void open() }
}
