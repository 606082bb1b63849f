import { type Cell, csvLine } from '../domain/csv.ts'
import type { Page } from '../platform/http/paging.ts'
import { fileReply } from './file.ts'

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
