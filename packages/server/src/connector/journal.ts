import { entrySchema, type Journal } from '@wigwag/mcp'
import type { Decide } from './options.ts'

/** What one caller sent, in the gateway's database: for parallel calls, several processes and after a crash. */
export function journalOf(decide: Decide, id: string): Journal {
  return {
    exclusively: (now, step) =>
      decide(id, now, (lines) => {
        const { append, value } = step(lines.map((line) => entrySchema.parse(JSON.parse(line))))
        return { append: append.map((entry) => JSON.stringify(entry)), value }
      }),
  }
}
