import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readList } from '../../src/console/send/many/list.ts'
import { csvLine, unguarded } from '../../src/domain/csv.ts'
import { csvReply } from '../../src/pages/csv.ts'
import type { Page } from '../../src/platform/http/paging.ts'
import { turns } from '../support/turns.ts'

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
  expect(await reply.text()).toBe('"row"\r\n0\r\n4\r\n8\r\n')
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
  await turns()
  const before = reads
  await turns()
  expect(reads).toBe(before)
})

it('every text is in quotes, and numbers are plain', () => {
  expect(csvLine(['a,b', 'say "hi"', 'two\nlines', -1, 0.042, undefined, '', '233241234567'])).toBe(
    '"a,b","say ""hi""","two\nlines",-1,0.042,,"","233241234567"\r\n',
  )
})

it.each([
  ['=A1', "'=A1"],
  ['+1', "'+1"],
  ['-5', "'-5"],
  ['@SUM(1)', "'@SUM(1)"],
  ['＝1', "'＝1"],
  ['\t=1', "'\t'=1"],
  ['\rx', "'\rx"],
  ['\nx', "'\nx"],
  // Some spreadsheets part cells by semicolons or tabs, whatever the quotes say.
  ['Hi;=A1', "Hi;'=A1"],
  ['Hi\t@A1', "Hi\t'@A1"],
  ['Hi\r\n=A1', "Hi\r\n'=A1"],
  ["'=A1", "''=A1"],
  ["it's 2 - 1 = 1; fine", "it's 2 - 1 = 1; fine"],
])('%j begins no formula as %j, and is read back as it was', (text, written) => {
  expect(csvLine([text])).toBe(`"${written}"\r\n`)
  expect(unguarded(written)).toBe(text)
})

it('any text is read back as it was written, by a reader that knows only CSV', () => {
  const text = fc.string({ unit: fc.constantFrom(...'a\'"=+-@＝;,\t\r\n 7'), maxLength: 9 })
  fc.assert(
    fc.property(fc.array(text, { minLength: 2, maxLength: 3 }), (cells) => {
      const [record = []] = parse(csvLine(cells))
      expect(record.map(unguarded)).toEqual(cells)
    }),
    { numRuns: 2_000 },
  )
})

it('a list of many takes a file of ours as it was', async () => {
  const { lines } = await readList(csvLine(['to', 'reference']) + csvLine(['233241234567', '=a;=b']))
  expect(lines).toMatchObject([{ line: 2, to: '233241234567', reference: '=a;=b' }])
})
