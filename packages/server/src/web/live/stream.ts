import { PAGE_HEADERS } from '../../net/pages/reply.ts'

/** Bytes that may wait for a page: several bursts of rows. Streams of the same list share them. */
const MOST_WAITING = 1_024 * 1_024
/** An account may have hundreds of streams, and a megabyte may wait for each: this is the limit for all of them together. */
const MOST_OF_AN_ACCOUNT = 8 * 1_024 * 1_024

/** One open stream of text to one page. */
export class Stream {
  readonly body: ReadableStream<Uint8Array>
  readonly #onOver: () => void
  readonly #cut: () => void
  readonly #backlog: Backlog
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  #over = false

  constructor({
    onOver,
    cut,
    backlog,
  }: {
    /** Called once, when the stream is over for whatever reason. */
    onOver(): void
    /** Cuts the connection of a page that does not read. */
    cut(): void
    /** Counts what waits for all pages of the account. `drop` is called when this one has most of too much. */
    backlog(drop: () => void): Backlog
  }) {
    this.#onOver = onOver
    this.#cut = cut
    this.#backlog = backlog(() => this.#drop())
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (given) => {
          this.#controller = given
        },
        pull: () => this.#count(),
        cancel: () => this.#finish(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: MOST_WAITING }),
    )
  }

  /** Sends to the page. A page that does not read fast enough is dropped: it opens its stream again and catches up. */
  send(text: string): void {
    if (this.#over || !this.#controller) return
    this.#controller.enqueue(bytesOf(text))
    if ((this.#controller.desiredSize ?? 0) > 0) this.#count()
    else this.#drop()
  }

  /** Ends it after what was sent. */
  end(): void {
    if (this.#over) return
    this.#controller?.close()
    this.#finish()
  }

  #count(): void {
    this.#backlog.hold(MOST_WAITING - (this.#controller?.desiredSize ?? MOST_WAITING))
  }

  #finish(): void {
    if (this.#over) return
    this.#over = true
    this.#backlog.leave()
    this.#onOver()
  }

  #drop(): void {
    this.#finish()
    this.#cut()
  }
}

/** An event as it is sent. With an id, a stream that is opened again goes on after that event. */
export function eventText(event: string, data: string, id?: string): string {
  const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`)
  return `event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}${lines.join('')}\n`
}

/** A line that readers ignore. It keeps proxies from closing a quiet stream. */
export const COMMENT = ':\n\n'

export const STREAM_HEADERS = {
  ...PAGE_HEADERS,
  'content-type': 'text/event-stream; charset=utf-8',
  // For proxies that would otherwise gather what belongs together only to them.
  'x-accel-buffering': 'no',
}

/** The answer to a page that is one too many. */
export function tooMany(status: 429 | 503): Response {
  const headers = { ...PAGE_HEADERS, 'content-type': 'text/plain', 'retry-after': '30' }
  return new Response('Too many pages are open.', { status, headers })
}

const encoder = new TextEncoder()
let lastText = ''
let lastBytes = new Uint8Array()

/** A burst goes to all streams of a watcher one after the other, and is encoded once. */
function bytesOf(text: string): Uint8Array {
  if (text !== lastText) {
    lastText = text
    lastBytes = encoder.encode(text)
  }
  return lastBytes
}

/** The part of one stream in what waits for an account. */
export interface Backlog {
  /** Says how many bytes wait for it now. */
  hold(bytes: number): void
  leave(): void
}

interface Member {
  bytes: number
  drop(): void
}

/** How many bytes wait for pages that do not read, by account. */
export class Backlogs {
  readonly #most: number
  readonly #accounts = new Map<string, { members: Set<Member>; bytes: number }>()

  constructor(most = MOST_OF_AN_ACCOUNT) {
    this.#most = most
  }

  /** Adds a stream of an account. `drop` ends it, when it has most of what may wait for the account. */
  join(accountId: string, drop: () => void): Backlog {
    const account = this.#accounts.get(accountId) ?? { members: new Set(), bytes: 0 }
    this.#accounts.set(accountId, account)
    const mine: Member = { bytes: 0, drop }
    account.members.add(mine)
    return {
      hold: (bytes) => {
        if (!account.members.has(mine)) return
        account.bytes += bytes - mine.bytes
        mine.bytes = bytes
        if (account.bytes > this.#most) largestOf(account.members)?.drop()
      },
      leave: () => {
        if (!account.members.delete(mine)) return
        account.bytes -= mine.bytes
        if (account.members.size === 0) this.#accounts.delete(accountId)
      },
    }
  }
}

function largestOf(members: ReadonlySet<Member>): Member | undefined {
  let largest: Member | undefined
  for (const member of members) if (!largest || member.bytes > largest.bytes) largest = member
  return largest
}
