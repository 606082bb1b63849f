import { type Cell, csvLine } from '../kernel/text/csv.ts'
import type { Page } from '../net/server/paging.ts'

/** A file that is made page by page, so that a long one needs no more memory than a short one. */
export function csvReply<Row>(options: {
  name: string
  head: readonly string[]
  /** A page of rows, from a cursor on. */
  read(cursor: string | undefined): Promise<Page<Row>>
  line(row: Row): readonly Cell[]
}): Response {
  const { name, head, read, line } = options
  const encoder = new TextEncoder()
  let cursor: string | undefined
  let left = false
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode(csvLine(head))),
    async pull(controller) {
      let page: Page<Row>
      // A page may be empty and not the last. Without a new chunk, pull would not be called again.
      do {
        page = await read(cursor)
        cursor = page.next
      } while (page.items.length === 0 && cursor !== undefined && !left)
      if (left) return
      const lines = page.items.map((row) => csvLine(line(row)))
      if (lines.length > 0) controller.enqueue(encoder.encode(lines.join('')))
      if (cursor === undefined) controller.close()
    },
    cancel() {
      left = true
    },
  })
  return fileReply(body, { name, type: 'text/csv' })
}

/** A text file to download. */
export function fileReply(
  body: ReadableStream<Uint8Array>,
  { name, type }: { name: string; type: string },
): Response {
  return new Response(body, {
    headers: {
      'content-type': `${type}; charset=utf-8`,
      'content-disposition': `attachment; filename="${name}"`,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    },
  })
}

/** A file that was not read for this long gives way to the next one. */
const LONGEST_PAUSE_MS = 30_000

interface Running {
  /** When it was last read on. */
  movedAt: number
  /** Breaks it off. */
  stop(): void
}

/**
 * The files that accounts are downloading from this process. Each account downloads one at a time: a file of everything
 * takes long, and many at once would saturate a process.
 */
export class Exports {
  readonly #now: () => number
  readonly #running = new Map<string, Running>()

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Begins one: returns the file, which ends with its last byte; undefined while another of the account is being read. */
  async begin(accountId: string, make: () => Promise<Response>): Promise<Response | undefined> {
    const before = this.#running.get(accountId)
    if (before && this.#now() - before.movedAt < LONGEST_PAUSE_MS) return undefined
    before?.stop()
    const mine: Running = { movedAt: this.#now(), stop: () => {} }
    this.#running.set(accountId, mine)
    const release = () => {
      if (this.#running.get(accountId) === mine) this.#running.delete(accountId)
    }
    try {
      const reply = await make()
      if (!reply.body) {
        release()
        return reply
      }
      return new Response(this.#read(reply.body, mine, release), reply)
    } catch (error) {
      release()
      throw error
    }
  }

  #read(body: ReadableStream<Uint8Array>, mine: Running, release: () => void): ReadableStream<Uint8Array> {
    const reader = body.getReader()
    return new ReadableStream<Uint8Array>(
      {
        start(controller) {
          mine.stop = () => {
            controller.error(new Error('another file was asked for, and this one was not read on'))
            void reader.cancel()
          }
        },
        pull: async (controller) => {
          mine.movedAt = this.#now()
          try {
            const { done, value } = await reader.read()
            if (!done) return controller.enqueue(value)
            release()
            controller.close()
          } catch (error) {
            release()
            throw error
          }
        },
        async cancel(reason) {
          release()
          await reader.cancel(reason)
        },
      },
      { highWaterMark: 0 },
    )
  }
}
