import { expect, it } from 'vitest'
import { csvReply } from '../../src/console/pieces/csv.ts'
import { csvLine } from '../../src/domain/csv.ts'
import type { Page } from '../../src/platform/http/wire.ts'

const NUMBERED = { name: 'rows.csv', head: ['row'], line: (row: number) => [row] }

it('a file goes on over any number of empty pages', async () => {
  const pages: Page<number>[] = Array.from({ length: 9 }, (_, index) => ({
    items: index % 4 === 0 ? [index] : [],
    next: index === 8 ? undefined : String(index + 1),
  }))
  const reply = csvReply({
    ...NUMBERED,
    async read(cursor = '0') {
      return pages[Number(cursor)] ?? { items: [], next: undefined }
    },
  })
  expect(await reply.text()).toBe('row\r\n0\r\n4\r\n8\r\n')
})

it('a file that is no longer wanted is not read to its end', async () => {
  let reads = 0
  const read = async () => {
    if (++reads > 1_000) throw new Error('it goes on')
    await new Promise(setImmediate)
    return { items: [], next: 'more' }
  }
  const reader = csvReply({ ...NUMBERED, read }).body?.getReader()
  await reader?.read()
  await reader?.cancel()
  await new Promise((resolve) => setTimeout(resolve, 20))
  const before = reads
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(reads).toBe(before)
})

it('a cell keeps what it holds, and is no formula', () => {
  expect(csvLine(['a,b', 'say "hi"', 'two\nlines', -1, 0.042, undefined, '=A1', '-5', '233241234567'])).toBe(
    '"a,b","say ""hi""","two\nlines",-1,0.042,,"\'=A1","\'-5",233241234567\r\n',
  )
})
