import { readWritten } from '../../../../kernel/phone/national.ts'
import { inSlices } from '../../../../kernel/process/event-loop.ts'
import type { Line, List } from './list.ts'

/** A line whose number was read as one of the account's country, with how it was written. */
export interface ReadLine {
  line: Line
  written: string
}

/** A list with its numbers read as those of a country where they have no code of one, and which those are. */
export async function inCountry(list: List, country: string): Promise<{ list: List; read: ReadLine[] }> {
  const lines: Line[] = []
  const read: ReadLine[] = []
  await inSlices(list.lines, (line) => {
    const written = line.mistake === undefined ? readWritten(line.to, country) : undefined
    if (written?.as === 'national') {
      const now = { ...line, to: written.to }
      lines.push(now)
      read.push({ line: now, written: line.to })
    } else if (written?.as === 'wrong') {
      const { why, meant } = written
      lines.push({ ...line, mistake: why, ...(meant !== undefined && { clean: meant }) })
    } else lines.push(line)
  })
  return { list: { ...list, lines }, read }
}
