import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { GatewayError } from '@wigwag/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TEST_NUMBERS } from '../../../packages/server/src/kernel/phone/test-numbers.ts'
import { createSandbox, type Sandbox } from '../../../packages/server/src/testing/index.ts'
import { guides } from '../operating/page.ts'

const root = join(import.meta.dirname, '../../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')

/** The rows of a table, by the first cell of its heading. */
function rowsOf(page: string, first: string): string[][] {
  const [, table = ''] = page.split(`\n| ${first} |`)
  const [rows = ''] = table.split('\n\n')
  return rows
    .split('\n')
    .slice(2)
    .map((row) =>
      row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
}
const plain = (cell = '') => cell.replaceAll('`', '')

describe('phone-numbers.md', () => {
  const page = read('docs/guides/phone-numbers.md')
  const [, taken = '', refused = ''] = page.split('\n| You write |')
  let sandbox: Sandbox
  beforeAll(async () => {
    sandbox = await createSandbox()
  })
  afterAll(() => sandbox.close())

  it.each(rowsOf(`\n| You write |${taken}`, 'You write'))(
    '%s is answered as %s',
    async (written, answered) => {
      const sent = await sandbox.client.sendSms({ To: plain(written), Content: 'Hello' })
      expect(sent.Destination).toBe(plain(answered))
    },
  )

  it.each(rowsOf(`\n| You write |${refused}`, 'You write'))('%s is refused: %s', async (written, detail) => {
    const error = await sandbox.client.sendSms({ To: plain(written), Content: 'Hello' }).catch((each) => each)
    expect(error).toBeInstanceOf(GatewayError)
    expect([error.status, error.code, error.errors[0]?.detail]).toEqual([422, 'invalid_recipient', detail])
  })

  it('finds either spelling of a phone, as it says', async () => {
    await sandbox.client.sendSms({ To: '2330247654321', Content: 'Hello' })
    const { Items } = await sandbox.client.searchMessages({ To: '233247654321' }).page()
    expect(Items.map(({ To }) => To)).toEqual(['2330247654321'])
  })

  it('has the endings of test numbers that there are', () => {
    const endings = rowsOf(page, 'Ends in').flatMap(([ending = '', status = '']) =>
      ending.startsWith('`') ? [[plain(ending), /`(\w+)`/.exec(status)?.[1]]] : [],
    )
    expect(endings).toEqual(TEST_NUMBERS.map(({ ending, status }) => [ending, status]))
  })
})

describe('going-live.md', () => {
  it('says what to do at each code, once', () => {
    const codes = (page: string, column: number) =>
      rowsOf(page, page.includes('\n| Status |') ? 'Status' : '`code`')
        .flatMap((row) => [...(row[column] ?? '').matchAll(/`([a-z]+_[a-z_]+|unavailable)`/g)])
        .map(([, code]) => code)
        .toSorted()
    expect(codes(read('docs/guides/going-live.md'), 0)).toEqual(codes(read('docs/errors.md'), 1))
  })
})

describe('other-languages.md', () => {
  const page = read('docs/guides/other-languages.md')
  const files = [...page.matchAll(/^\[`(examples\/\S+)`\]\(.*\):\n\n```\w+\n([\s\S]*?)^```$/gm)]

  it('shows two programs of each language', () =>
    expect(files.map(([, file]) => file)).toEqual([
      'examples/python/send.py',
      'examples/python/receive.py',
      'examples/php/send.php',
      'examples/php/receive.php',
      'examples/go/send.go',
      'examples/go/receive.go',
      'examples/java/Send.java',
      'examples/java/Receive.java',
    ]))

  it.each(files.map(([, file = '', text]) => [file, text]))('shows %s word for word', (file, text) => {
    expect(text).toBe(read(file))
  })
})

describe('every command of a guide', () => {
  it.each(guides())('is run by some test: $file', ({ needs, blocks }) => {
    const follows = needs.includes('project')
    const strangers = blocks.filter(
      ({ runBy, done, mark }) =>
        runBy === 'none' || (!follows && !done && runBy === 'test' && mark !== 'beside'),
    )
    expect(strangers).toEqual([])
  })
})
