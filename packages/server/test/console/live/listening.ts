import { EventReader, type StreamEvent } from '../../../src/web/browser/stream.ts'
import type { Person } from '../../assistants/oauth/person.ts'
import { eventually } from '../../support/eventually.ts'

/** An open stream, as a page has it. */
export interface Listening {
  status: number
  headers: Headers
  events: StreamEvent[]
  /** How many events of a kind came. */
  count(name: string): number
  /** The data of all events of a kind. */
  all(name: string): string[]
  /** Waits until so many events of a kind came. */
  heard(name: string, count?: number): Promise<true>
  /** Resolves when the server ends the stream. */
  ended: Promise<void>
  /** Closes it, as a page that is left does. */
  close(): Promise<void>
}

export interface ListenOptions {
  q?: string
  last?: string
  open?: readonly string[]
}

/** Opens the stream of a person who is signed in. */
export async function listenTo(
  url: string,
  { send }: Pick<Person, 'send'>,
  { q = '', last, open = [] }: ListenOptions = {},
): Promise<Listening> {
  const query = new URLSearchParams({ q, open: open.join() })
  const headers = last === undefined ? {} : { 'last-event-id': last }
  const response = await send(`${url}/messages/live?${query}`, { headers })
  const events: StreamEvent[] = []
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  const reading = new EventReader((event) => events.push(event))
  async function read(): Promise<void> {
    for (;;) {
      const piece = await reader?.read()
      if (!piece || piece.done) return
      reading.take(decoder.decode(piece.value, { stream: true }))
    }
  }
  const ended = read().catch(() => undefined)
  const all = (name: string) => events.flatMap((event) => (event.name === name ? event.data : []))
  const count = (name: string) => all(name).length
  return {
    status: response.status,
    headers: response.headers,
    events,
    all,
    count,
    heard: (name, times = 1) => eventually(`${times} × ${name}`, () => count(name) >= times),
    ended,
    async close() {
      await reader?.cancel()
    },
  }
}
