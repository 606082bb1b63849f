import type { ManyCheckpoint } from './bulk-types.ts'
import type { Part } from './parts.ts'

/**
 * Passes parts on, but only after all that the earlier run had begun were read and found unchanged, so that nothing is
 * sent from another list. Finished parts go to `skip`. The others wait in memory: they are at most as many as were
 * under way at once.
 */
export async function* verified<Row>(
  parts: AsyncGenerator<Part<Row>, void>,
  earlier: ManyCheckpoint['parts'],
  digestOf: (part: Part<Row>) => number,
  skip: (part: Part<Row>) => unknown,
): AsyncGenerator<Part<Row>, void> {
  const waiting: Part<Row>[] = []
  let read = 0
  try {
    const begun = earlier.reduce((last, part, at) => (part ? at + 1 : last), 0)
    for (let number = 0; number < begun; number++) {
      const { value: part = undefined } = await parts.next()
      const state = earlier[number]
      if (state && state.digest !== (part && digestOf(part))) throw differs(read, part)
      if (!part) continue
      read += part.entries.length
      if (state?.done) await skip(part)
      else waiting.push(part)
    }
    for (let part = waiting.shift(); part; part = waiting.shift()) yield part
    yield* parts
  } finally {
    await parts.return()
  }
}

function differs(from: number, part: Part<unknown> | undefined): TypeError {
  const where = part
    ? `differs at index ${from} to ${from + part.entries.length - 1}`
    : `ends at index ${from}`
  return new TypeError(
    `resume: expected the list of the run to resume, cut in the same parts; this one ${where}.`,
  )
}
