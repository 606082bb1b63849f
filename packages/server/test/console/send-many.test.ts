import { micros } from '@wigwag/contract'
import { describe, expect, it } from 'vitest'
import { formsOf, type Page } from '../assistants/oauth/person.ts'
import { openWorld, type Resident, shareWorld } from '../assistants/oauth/world.ts'
import { eventually } from '../support/eventually.ts'
import { keyOf, press, wordsOf } from './forms.ts'

const world = await shareWorld()
const PATH = '/send/many'
const SHARED = { From: 'WIGWAG', Content: 'We open at 9 on Friday' }

/** So many numbers of MTN in Ghana that are delivered. */
function numbers(count: number, from = 0): string[] {
  return Array.from({ length: count }, (_, index) => String(233_240_100_006 + 7 * (from + index))).filter(
    (number) => !/0000[1-9]$/.test(number),
  )
}

async function open(at = world) {
  const ama = await at.resident()
  const page = await ama.person.visit(`${at.url}${PATH}`)
  const check = (list: string, values: Record<string, string> = {}) =>
    press(ama.person, page, PATH, { ...SHARED, list, ...values })
  async function postFile(from: Page, file: string, values: Record<string, string> = {}) {
    const form = formsOf(from).find(({ action }) => new URL(action).pathname === PATH)
    const body = new FormData()
    for (const [name, value] of Object.entries({ ...form?.hidden, ...SHARED, list: '', ...values }))
      body.append(name, value)
    body.append('file', new Blob([file]), 'people.csv')
    const cookie = [...ama.person.cookies].map((pair) => pair.join('=')).join('; ')
    const headers = { cookie, origin: at.url }
    const response = await fetch(`${at.url}${PATH}`, { method: 'POST', headers, body })
    return { status: response.status, text: await response.text() }
  }
  const go = (from: Page, what: string) => press(ama.person, from, PATH, { do: what })
  return { ama, page, check, postFile, go }
}

async function countOf({ accountId }: Resident, at = world): Promise<{ messages: number; cost: number }> {
  const [row] = await at.gateway.database.read(({ run }) =>
    run<{ messages: number; cost: number | null }>(
      'SELECT count(*) AS messages, CAST(sum(price) AS BIGINT) AS cost FROM messages WHERE account_id = $1',
      [accountId],
    ),
  )
  return { messages: row?.messages ?? 0, cost: row?.cost ?? 0 }
}

describe('sending to many', () => {
  it('mends a list of 1,100 with one button, sends it whole for the price on the button, and counts', async () => {
    const { ama, check, go } = await open()
    const good = numbers(1_095)
    const list = [
      'number;reference',
      '+233 24 900 1000;spaced',
      ...good.map((number, index) => `${number};r-${index}`),
      '23324;short',
      '+233 27 219 0300;plus',
      'Ama;name',
      '00233202454286;zeros',
    ].join('\r\n')
    const checked = await check(list)
    expect(checked.status).toBe(422)
    expect(wordsOf(checked)).toContain(
      `Nothing was sent. A list goes whole or not at all, and 3 of ${(good.length + 5).toLocaleString('en')} lines can’t be sent.`,
    )
    expect(wordsOf(checked)).toContain(
      `${(good.length + 3).toLocaleString('en')} 23324 Expected 7 to 15 digits`,
    )
    expect(checked.text).toContain(
      `>Clean line ${(good.length + 6).toLocaleString('en')}, leave out 2 lines</button>`,
    )
    expect(await countOf(ama)).toEqual({ messages: 0, cost: 0 })

    const mended = await go(checked, 'mend')
    const count = good.length + 3
    expect(mended.status).toBe(200)
    const [, sends = '', price = ''] = /Send ([\d,]+) for GHS ([\d.,]+)/.exec(mended.text) ?? []
    expect(sends).toBe(count.toLocaleString('en'))

    const progress = await go(mended, 'send')
    expect(progress.url).toBe(`${world.url}${PATH}/${keyOf(checked)}`)
    const stored = await countOf(ama)
    expect(stored.messages).toBe(count)
    expect(Math.round(Number(price) * 1_000_000)).toBe(stored.cost)
    expect(wordsOf(progress)).toMatch(new RegExp(`[\\d,]+ of ${count.toLocaleString('en')} are final`))
    await eventually('all are final', async () => {
      const { text } = await ama.person.visit(progress.url)
      return text.includes(`${count.toLocaleString('en')} of ${count.toLocaleString('en')} are final`)
    })
  })

  it('sends once, however often it is pressed', async () => {
    const { ama, check, go } = await open()
    const checked = await check(numbers(50).join('\n'))
    const landed = await Promise.all([go(checked, 'send'), go(checked, 'send')])
    landed.push(await go(checked, 'send'))
    expect(new Set(landed.map(({ url }) => url)).size).toBe(1)
    expect((await countOf(ama)).messages).toBe(numbers(50).length)
  })

  it('takes a CSV file', async () => {
    const { page, postFile } = await open()
    const read = await postFile(page, '\ufeffTo;Ref\r\n233241234567;Kofi é\r\n')
    expect(read.text).toContain('Send 1 for GHS 0.042')
    expect(read.text).toContain('To;Ref\n233241234567;Kofi é')
    const both = await postFile(page, '233241234567', { list: '233272190300' })
    expect([both.status, both.text.includes('Empty the list to use the file.')]).toEqual([422, true])
  })

  it('leaves out a line with more than 100 cells, and one that is too long to be read', async () => {
    const { check, go } = await open()
    const [a = '', b = '', c = ''] = numbers(3)
    const list = ['number;reference', `${a};r-1`, b + ';'.repeat(100), `${c};${'r'.repeat(10_000)}`].join(
      '\n',
    )
    const checked = await check(list)
    expect(checked.status).toBe(422)
    expect(wordsOf(checked)).toContain('2 of 3 lines can’t be sent.')
    expect(wordsOf(checked)).toContain(`3 ${b} Expected at most 100 cells in a line.`)
    expect(wordsOf(checked)).toMatch(new RegExp(`4 ${c};r+ Expected a line of at most 10,000 characters\\.`))
    const left = await go(checked, 'mend')
    expect(wordsOf(left)).toContain('Done: leave out 2 lines.')
    expect(wordsOf(left)).toContain('1 message, 1 segment each')
  })

  it('points out repeated numbers, however they are written, and leaves them out if asked to', async () => {
    const { ama, check, go } = await open()
    const checked = await check('233241234567,a\n2330241234567,b\n233272190300\n233241234567,c')
    expect(wordsOf(checked)).toContain('2 lines repeat a number that is in the list already')
    expect(wordsOf(checked)).toContain('Send 4 for')
    const once = await go(checked, 'once')
    expect(wordsOf(once)).toContain('Send 2 for')
    await go(once, 'send')
    expect((await countOf(ama)).messages).toBe(2)
  })

  it('sums up by network', async () => {
    const { check } = await open()
    const checked = await check('233241234567\n233241234568\n233272190300\n2348032774352', {
      Content: 'ɛ'.repeat(71),
    })
    expect(wordsOf(checked)).toMatch(/MTN Ghana 2 4 0\.042 0\.168/)
    expect(wordsOf(checked)).toMatch(/AT Ghana 1 2 0\.048 0\.096/)
    expect(wordsOf(checked)).toMatch(/MTN Nigeria 1 2 /)
    expect(wordsOf(checked)).toMatch(/Together 4 8 /)
  })

  it('gives the list back to be edited, with everything else', async () => {
    const { check, go } = await open()
    const list = '233241234567,a\n<b>,"x'
    const edited = await go(await check(list, { Content: '\nOn two lines' }), 'edit')
    expect(edited.text).toContain('\n233241234567,a\n&lt;b&gt;,&quot;x</textarea>')
    expect(edited.text).toContain('>\n\nOn two lines</textarea>')
  })

  it.each([
    ['no number', '\n \n', 'Expected at least one number; got none.'],
    ['a file in another encoding', '233241234567,\ufffd', 'Expected text in UTF-8'],
  ])('refuses a list with %s', async (_, list, words) => {
    const { check } = await open()
    const refused = await check(list)
    expect([refused.status, wordsOf(refused).includes(words)]).toEqual([422, true])
  })

  it('says what is wrong with the text, the sender ID and the callback URL', async () => {
    const { ama, check } = await open()
    const refused = await check('233241234567', { Content: '', CallbackUrl: 'ftp://x' })
    expect(refused.status).toBe(422)
    for (const field of ['Content', 'CallbackUrl']) expect(refused.text).toContain(`id="${field}-error"`)
    const sender = await check('233241234567', { From: 'BANK' })
    expect([sender.status, sender.text.includes('id="From-error"')]).toEqual([422, true])
    expect((await countOf(ama)).messages).toBe(0)
  })

  it('shows a hostile file as text only', async () => {
    const { check } = await open()
    const checked = await check(
      [
        '233241234567,=HYPERLINK("http://evil")',
        '<script>alert(1)</script>,x',
        `${'9'.repeat(5_000)},</textarea><script>alert(2)</script>`,
        '__proto__,constructor',
        '\u202e765,x',
      ].join('\n'),
    )
    expect(checked.status).toBe(422)
    expect(checked.text).not.toMatch(/<script>alert/)
    expect(wordsOf(checked)).toContain('4 of 5 lines can’t be sent')
  })

  it('refuses a list of more than 2 MB while it is read', async () => {
    const { ama, page, check, postFile } = await open()
    const refused = await check('2'.repeat(2 * 1_024 * 1_024))
    expect([refused.status, refused.text.includes('too large')]).toEqual([413, true])
    const nearly = await postFile(page, '233241234567\n'.repeat(160_000))
    expect([nearly.status, nearly.text.includes('Expected a list of at most 2 MB')]).toEqual([422, true])
    expect((await countOf(ama)).messages).toBe(0)
  })

  it('shows no button to send while the money is not enough', async () => {
    const { check } = await open()
    const checked = await check(numbers(3_000).join('\n'))
    expect(wordsOf(checked)).toMatch(
      /It costs GHS 12[\d.]+ and the balance is GHS 100\.00\. Nothing was sent\./,
    )
    expect(checked.text).not.toContain('value="send"')
  })

  it('sends nothing when the money has gone since the list was checked', async () => {
    const { ama, check, go } = await open()
    const checked = await check(numbers(100).join('\n'))
    await spendAllBut(ama, 1_000_000)
    const refused = await go(checked, 'send')
    expect(refused.status).toBe(402)
    expect(wordsOf(refused)).toMatch(/Not sent: it costs GHS 4\.[\d]+ and the balance is GHS 1\.00\./)
    expect((await countOf(ama)).messages).toBe(0)
  })

  it('says of more than 10,000 that they go in parts, as many as a request may have', async () => {
    const { check } = await open()
    const checked = await check(numbers(10_030).join('\n'))
    expect(wordsOf(checked)).toContain('It is sent in 2 parts of at most 10,000')
  })

  it('sends more than go in a part in several, says which were sent when a later one is refused, and sends the rest once', async () => {
    const few = await openWorld({ mostInPart: 50 })
    const { ama, check, go } = await open(few)
    const list = numbers(80)
    const rest = list.length - 50
    const checked = await check(list.join('\n'))
    expect(wordsOf(checked)).toContain('It is sent in 2 parts of at most 50')
    await spendAllBut(ama, 50 * 42_000, few)
    const refused = await go(checked, 'send')
    expect(refused.status).toBe(402)
    expect(wordsOf(refused)).toContain(`50 of ${list.length} messages were sent. Not sent: it costs`)
    expect(wordsOf(refused)).toContain(`Send the other ${rest} for GHS`)
    expect(refused.text).not.toContain('value="once"')
    expect((await countOf(ama, few)).messages).toBe(50)
    const shown = await ama.person.visit(`${few.url}${PATH}/${keyOf(refused)}`)
    expect(wordsOf(shown)).toContain('of 50 are final')
    await few.gateway.operator.credit(ama.accountId, micros(100_000_000))
    const sent = await go(refused, 'send')
    expect(wordsOf(sent)).toContain(`of ${list.length} are final`)
    expect((await countOf(ama, few)).messages).toBe(list.length)
    const shorter = await press(ama.person, checked, PATH, {
      do: 'send',
      list: list.slice(0, 40).join('\n'),
    })
    expect(wordsOf(shorter)).toContain(`of ${list.length} are final`)
    expect((await countOf(ama, few)).messages).toBe(list.length)
  })
})

/** Leaves so much in the wallet. */
function spendAllBut({ accountId }: Resident, left: number, at = world): Promise<unknown> {
  return at.gateway.database.write(({ run }) =>
    run('UPDATE wallets SET posted = held + $1 WHERE account_id = $2', [left, accountId]),
  )
}

describe('the progress of a list', () => {
  it('counts by state, and is there again after a reload', async () => {
    const { ama, check, go } = await open()
    const sent = await go(
      await check('233241234567\n233241200001\n233241200002\n233241200005\n233241200015'),
      'send',
    )
    await eventually('all but one are final', async () => {
      const { text } = await ama.person.visit(sent.url)
      return text.includes('4 of 5 are final')
    })
    const words = wordsOf(await ama.person.visit(sent.url))
    expect(words).toMatch(/2 delivered .*1 pending/)
    expect(words).toContain('GHS 0.042 held')
  })

  it('is shown to the person who sent, and to others like one that never was', async () => {
    const { check, go } = await open()
    const sent = await go(await check('233241234567'), 'send')
    const kofi = await world.resident()
    const key = sent.url.split('/').at(-1) ?? ''
    const [foreign, unknown] = await Promise.all(
      [key, '01a1f89c-3b65-7c3a-9f0e-2b6d5a1c8e4f'].map((id) =>
        kofi.person.visit(`${world.url}${PATH}/${id}`),
      ),
    )
    expect(foreign?.status).toBe(404)
    expect(wordsOf(foreign ?? sent)).toContain('It is kept for 24 hours')
    expect(wordsOf(foreign ?? sent)).toBe(wordsOf(unknown ?? sent))
  })
})
