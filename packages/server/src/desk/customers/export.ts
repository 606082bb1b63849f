import { fileReply } from '../../pages/file.ts'
import type { ReadOnlyDatabase } from '../../platform/database/database.ts'
import { EXPORTED, exportName, exportRows } from '../../privacy/index.ts'

const CHUNK = 64 * 1_024

/** The rows that the command writes into files, as one file of JSON lines, each with its kind. Read as it is taken. */
export function exportReply(database: ReadOnlyDatabase, accountId: string, showCarriers: boolean): Response {
  const chunks = chunksOf(linesOf(database, accountId, showCarriers))
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await chunks.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    async cancel() {
      await chunks.return(undefined)
    },
  })
  return fileReply(body, { name: `wigwag-export-${accountId}.jsonl`, type: 'application/jsonl' })
}

async function* linesOf(
  database: ReadOnlyDatabase,
  accountId: string,
  showCarriers: boolean,
): AsyncGenerator<string> {
  for (const table of EXPORTED)
    for await (const row of exportRows(database, accountId, table, showCarriers))
      yield `${JSON.stringify({ kind: exportName(table), row })}\n`
}

async function* chunksOf(lines: AsyncIterable<string>): AsyncGenerator<Uint8Array, undefined> {
  const encoder = new TextEncoder()
  let text = ''
  for await (const line of lines) {
    text += line
    if (text.length < CHUNK) continue
    yield encoder.encode(text)
    text = ''
  }
  if (text !== '') yield encoder.encode(text)
  return undefined
}
