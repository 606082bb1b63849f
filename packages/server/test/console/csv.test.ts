import { expect, it } from 'vitest'
import { csvLine } from '../../src/kernel/text/csv.ts'
import type { Page } from '../../src/net/server/paging.ts'
import { readList } from '../../src/web/console/send/many/list.ts'
import { csvReply } from '../../src/web/files.ts'
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

it('a list of many takes a file of ours as it was', async () => {
  const { lines } = await readList(csvLine(['to', 'reference']) + csvLine(['233241234567', '=a;=b']))
  expect(lines).toMatchObject([{ line: 2, to: '233241234567', reference: '=a;=b' }])
})
