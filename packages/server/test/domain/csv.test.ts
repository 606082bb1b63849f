import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { csvLine, unguarded } from '../../src/kernel/text/csv.ts'

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
