import type { Backlog } from './backlogs.ts'

/** One open stream of text to one page. */
export interface Stream {
  body: ReadableStream<Uint8Array>
  /** Sends to the page. A page that does not read fast enough is dropped: it opens its stream again and catches up. */
  send(text: string): void
  /** Ends it after what was sent. */
  end(): void
}

export interface StreamOptions {
  /** Called once, when the stream is over for whatever reason. */
  onOver(): void
  /** Cuts the connection of a page that does not read. */
  cut(): void
  /** Counts what waits for all pages of the account. `drop` is called when this one has most of too much. */
  backlog(drop: () => void): Backlog
}

/** What may wait for a page to read it: several bursts of rows. Streams of the same list share these bytes. */
const MOST_WAITING = 1_024 * 1_024

export function openStream({ onOver, cut, backlog }: StreamOptions): Stream {
  let over = false
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  const mine = backlog(drop)
  const body = new ReadableStream<Uint8Array>(
    {
      start(given) {
        controller = given
      },
      pull: count,
      cancel: finish,
    },
    new ByteLengthQueuingStrategy({ highWaterMark: MOST_WAITING }),
  )

  function count(): void {
    mine.hold(MOST_WAITING - (controller?.desiredSize ?? MOST_WAITING))
  }

  function finish(): void {
    if (over) return
    over = true
    mine.leave()
    onOver()
  }

  function drop(): void {
    finish()
    cut()
  }

  return {
    body,
    send(text) {
      if (over || !controller) return
      controller.enqueue(bytesOf(text))
      if ((controller.desiredSize ?? 0) > 0) count()
      else drop()
    },
    end() {
      if (over) return
      controller?.close()
      finish()
    },
  }
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
