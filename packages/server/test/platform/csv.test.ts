import { describe, expect, it } from 'vitest'
import { readCarrierList } from '../../src/delivery/operate/carrier-list.ts'
import { readCsvText } from '../../src/kernel/process/csv-reader.ts'

const COLUMNS = { required: ['to', 'text'], others: 'ignored' } as const

describe('a CSV text', () => {
  it('with a line that no list has is refused by its number, before its cells are read', () => {
    const text = `to,text\n233241234567,Hello\n${','.repeat(10_001)}`
    expect(() => readCsvText(text, COLUMNS)).toThrow(
      expect.objectContaining({
        line: 3,
        message: 'expected a line of at most 10,000 characters, got 10001',
      }),
    )
    expect(readCsvText(`to,text\n233241234567,${'x'.repeat(9_000)}`, COLUMNS).rows).toHaveLength(1)
  })

  it('without the columns is not read on', () => {
    expect(() => readCsvText('number\n"never closed', COLUMNS)).toThrow('expected the columns to,text')
  })

  it('whose first line is long is not repeated in full', () => {
    expect(() => readCarrierList('x'.repeat(20_000))).toThrow(/got x{200}$/)
  })
})
