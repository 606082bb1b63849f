import { describe, expect, it } from 'vitest'
import { isGarbled, readList, writeList } from '../../src/web/console/send/many/list.ts'

const A = { to: '233241234567', reference: 'customer-1' }
const B = { to: '233272190300', reference: '' }

async function cellsOf(text: string) {
  const { lines } = await readList(text)
  return lines.map(({ to, reference }) => ({ to, reference }))
}

describe('a list of recipients', () => {
  it.each([
    ['commas', '233241234567,customer-1\n233272190300'],
    ['semicolons', '233241234567;customer-1\n233272190300'],
    ['tabs', '233241234567\tcustomer-1\n233272190300'],
    ['blanks around the cells', ' 233241234567 , customer-1 \n 233272190300 '],
    ['quotes', '"233241234567","customer-1"\n"233272190300"'],
    ['line ends of Windows', '233241234567,customer-1\r\n233272190300\r\n'],
    ['line ends of old Macs', '233241234567,customer-1\r233272190300\r'],
    ['a byte order mark', '\ufeff233241234567,customer-1\n233272190300'],
    ['blank lines', '\n\n233241234567,customer-1\n   \n233272190300\n\n'],
    ['a line of names', 'number,reference\n233241234567,customer-1\n233272190300'],
    ['names in another order', 'Reference;Phone number\ncustomer-1;233241234567\n;233272190300'],
    ['columns that it does not need', '233241234567,customer-1,Accra\n233272190300,,Kumasi'],
  ])('is read with %s', async (_, text) => {
    expect(await cellsOf(text)).toEqual([A, B])
  })

  it('keeps separators and quotes inside quotes', async () => {
    expect(await cellsOf('233241234567,"a ""b"", c"')).toEqual([{ to: A.to, reference: 'a "b", c' }])
  })

  it('says on which line of the file a number stands, and whether the first one names the columns', async () => {
    expect(await readList('To,Ref\n\n233241234567,customer-1')).toMatchObject({
      lines: [{ ...A, line: 3 }],
      names: ['To', 'Ref'],
    })
    expect((await readList('233241234567')).names).toEqual([])
  })

  it('takes a column that the text names for the reference only if that is its name', async () => {
    const referenceIn = async (list: string, fields: string[]) =>
      (await readList(list, fields)).lines.map(({ reference }) => reference)
    expect(await referenceIn('To,Name\n233241234567,Ama', ['name'])).toEqual([''])
    expect(await referenceIn('To,Name\n233241234567,Ama', [])).toEqual(['Ama'])
    expect(await referenceIn('To,Ref\n233241234567,a', ['Ref'])).toEqual(['a'])
  })

  it.each([
    ['with names', 'To,Ref\n'],
    ['without names', ''],
  ])('says which line has more than 100 cells, %s', async (_, names) => {
    const line = (commas: number) => `${A.to}${','.repeat(commas)}`
    const { lines } = await readList(`${names}${line(99)}\n${line(100)}\n${B.to}`)
    expect(lines.map(({ to, mistake }) => [to, mistake])).toEqual([
      [A.to, undefined],
      [A.to, 'Expected at most 100 cells in a line.'],
      [B.to, undefined],
    ])
  })

  it('takes no names from a first line with more than 100 cells', async () => {
    const { lines, names } = await readList(`Name,Number${',x'.repeat(99)}\n${B.to}`)
    expect(names).toEqual([])
    expect(lines).toMatchObject([{ mistake: 'Expected at most 100 cells in a line.' }, B])
  })

  it('lets a quote that is not closed spoil its own line only', async () => {
    expect(await cellsOf(`"233241234567,customer-1\n${B.to}`)).toEqual([
      { to: '233241234567,customer-1', reference: '' },
      B,
    ])
  })

  it.each([
    ['commas', `${A.to},"a ""b"", c; d\te"\n"""odd",=1+1\n${B.to}\n,no number`],
    ['semicolons', `${A.to};a, b\n${B.to};"c;d"`],
    ['names', `Name\tPhone\tCity\nAma\t${A.to}\tAccra\nKofi\t${B.to}`],
    ['a single column', `To\n${A.to}\n${B.to}`],
  ])('reads back what it writes with %s', async (_, text) => {
    const list = await readList(text)
    const written = writeList(list, list.lines)
    expect(await readList(written)).toEqual(list)
    const [first] = list.lines
    if (!first) throw new Error('expected a line')
    const mended = await readList(writeList(list, [{ ...first, to: '233200000000' }]))
    expect(mended.lines).toMatchObject([{ to: '233200000000', reference: first.reference }])
    expect(mended.lines[0]?.cells).toEqual(
      first.cells.map((cell, index) => (index === list.place ? '233200000000' : cell)),
    )
  })

  it('reads half a mebibyte of anything in bounded time', async () => {
    const size = 512 * 1_024
    for (const unit of ['"', ',', '\n', '"\n', '",', ' ', '\t"'])
      await readList(unit.repeat(size / unit.length))
  })

  it('knows a text that was not UTF-8', () => {
    expect(isGarbled(new TextDecoder().decode(Buffer.from('233241234567,Kofi é', 'latin1')))).toBe(true)
    expect(isGarbled(new TextDecoder().decode(Buffer.from('233241234567,Kofi', 'utf16le')))).toBe(true)
    expect(isGarbled('233241234567,Kofi é')).toBe(false)
  })
})
