import { inSlices, nextTurn } from '../platform/event-loop.ts'

/** Longer JSON takes milliseconds to join, and as long again to send. */
const LONG_JSON = 100_000

/** The JSON of a list. A long one is made in several turns of the event loop, and the caller goes on in one more. */
export async function jsonInSlices<T>(items: readonly T[], toRow: (item: T) => object): Promise<string> {
  const pieces = ['[']
  await inSlices(items, (item, index) => {
    if (index > 0) pieces.push(',')
    pieces.push(JSON.stringify(toRow(item)))
  })
  pieces.push(']')
  // Brackets that were put around it later would copy it once more.
  const json = pieces.join('')
  if (json.length > LONG_JSON) await nextTurn()
  return json
}
