import { micros } from '@wigwag/contract'
import { describe, expect, it } from 'vitest'
import { openWorld, type Resident, type World } from '../assistants/oauth/world.ts'
import { aPlace, ENGINES } from '../support/bench.ts'
import { keyOf, press, wordsOf } from './forms.ts'

const PATH = '/send/many'
/** Of a list that goes in parts. */
const IN_PART = 50
const TEXT = 'Dear {name}, you owe {Owes} \\{GHS\\}.'

async function open(database?: string) {
  const world = await openWorld({ ...(database !== undefined && { database }), mostInPart: IN_PART })
  const ama = await world.resident()
  const page = await ama.person.visit(`${world.url}${PATH}`)
  const check = (list: string, Content = TEXT) =>
    press(ama.person, page, PATH, { From: 'WIGWAG', Content, list })
  const go = (from: typeof page, what: string) => press(ama.person, from, PATH, { do: what })
  return { world, ama, check, go }
}

interface Sent {
  recipient: string
  content: string
  reference: string
  segments: number
  price: number
}

function sentBy({ gateway }: World, { accountId }: Resident): Promise<Sent[]> {
  return gateway.database.read(({ run }) =>
    run<Sent>(
      'SELECT recipient, content, reference, segments, price FROM messages WHERE account_id = $1 ORDER BY recipient, content',
      [accountId],
    ),
  )
}

/** The price on the button that sends. */
function priceOn({ text }: { text: string }): number {
  const [, price = ''] = /Send [\d,]+ for GHS ([\d.,]+)/.exec(text) ?? []
  return Math.round(Number(price.replaceAll(',', '')) * 1_000_000)
}

describe.each(ENGINES)('a text with fields, sent to many on %s', (engine) => {
  it('is sent to each with what its line has, once, for the price on the button', async () => {
    const { world, ama, check, go } = await open(await aPlace(engine))
    const long = `Kofi ${'x'.repeat(160)}`
    const checked = await check(
      `Owes;Name;Phone;Ref\n5;Ama, K.;233241234567;a\n7,50;${long};233241234568;\n0;Esi ɛ;2348032774352;c`,
    )
    expect(checked.status).toBe(200)
    expect(wordsOf(checked)).toContain('3 messages, 4 segments ')
    expect(wordsOf(checked)).toMatch(/MTN Ghana 2 3 0\.042 0\.126/)
    expect(wordsOf(checked)).toContain('Line 2, to 233241234567 :')
    expect(wordsOf(checked)).toContain('Dear Ama, K., you owe 5 {GHS}.')
    const landed = await Promise.all([go(checked, 'send'), go(checked, 'send')])
    landed.push(await go(checked, 'send'))
    expect(new Set(landed.map(({ url }) => url)).size).toBe(1)
    const sent = await sentBy(world, ama)
    expect(
      sent.map(({ recipient, content, reference, segments }) => [recipient, content, reference, segments]),
    ).toEqual([
      ['233241234567', 'Dear Ama, K., you owe 5 {GHS}.', 'a', 1],
      ['233241234568', `Dear ${long}, you owe 7,50 {GHS}.`, '', 2],
      ['2348032774352', 'Dear Esi ɛ, you owe 0 {GHS}.', 'c', 1],
    ])
    expect(sent.reduce((sum, { price }) => sum + price, 0)).toBe(priceOn(checked))
  })

  it('goes to everybody once when a later part was refused and the form is posted again', async () => {
    const { world, ama, check, go } = await open(await aPlace(engine))
    const numbers = Array.from({ length: IN_PART + 4 }, (_, index) => String(233_241_000_010 + 10 * index))
    const list = ['To,Name,Owes', ...numbers.map((number, index) => `${number},P${index},${index}`)]
    const checked = await check(list.join('\n'))
    expect(wordsOf(checked)).toContain('It is sent in 2 parts of at most 50')
    await world.gateway.database.write(({ run }) =>
      run('UPDATE wallets SET posted = held + 2100000 WHERE account_id = $1', [ama.accountId]),
    )
    const refused = await go(checked, 'send')
    expect(wordsOf(refused)).toContain('50 of 54 messages were sent. Not sent: it costs GHS 0.168')
    await world.gateway.operator.credit(ama.accountId, micros(100_000_000))
    const sent = await go(checked, 'send')
    expect(sent.url).toBe(`${world.url}${PATH}/${keyOf(checked)}`)
    const texts = new Map((await sentBy(world, ama)).map(({ recipient, content }) => [recipient, content]))
    expect(texts).toEqual(
      new Map(numbers.map((number, index) => [number, `Dear P${index}, you owe ${index} {GHS}.`])),
    )
  })
})

describe('a text with fields, sent to many', () => {
  it('is refused for the lines that have nothing to fill in, and sent to the others with one button', async () => {
    const { world, ama, check, go } = await open()
    const checked = await check(
      'Name,To,Owes\nAma,233241234567,5\n,233241234568,6\nEsi,(233) 241234569,7\nKofi,233241234570',
    )
    expect(checked.status).toBe(422)
    expect(wordsOf(checked)).toContain('3 of 4 lines can’t be sent')
    expect(wordsOf(checked)).toContain(
      '3 233241234568 name: expected a text or a number to fill in for {name}; got an empty text.',
    )
    expect(wordsOf(checked)).toContain('5 233241234570 Owes: expected a text or a number')
    expect(checked.text).toContain('>Clean line 4, leave out 2 lines</button>')
    const mended = await go(checked, 'mend')
    expect(mended.text).toContain('\nName,To,Owes\nAma,233241234567,5\nEsi,233241234569,7</textarea>')
    expect(await sentBy(world, ama)).toEqual([])
    await go(mended, 'send')
    expect((await sentBy(world, ama)).map(({ content }) => content)).toEqual([
      'Dear Ama, you owe 5 {GHS}.',
      'Dear Esi, you owe 7 {GHS}.',
    ])
  })

  it.each([
    [
      'a column that is not there',
      'To,Name\n233241234567,Ama',
      TEXT,
      'The text names {Owes}, but the list has the columns To, Name; write a brace that is text as \\{ or \\}.',
    ],
    [
      'a column that is there twice',
      'To,Name,name,Owes\n233241234567,Ama,Kofi,5',
      TEXT,
      'The text names {name}, but the list has the columns To, Name, name, Owes;',
    ],
    [
      'columns of a list that names none',
      '233241234567,Ama',
      TEXT,
      'The text names {name}, {Owes}, but the list has no first line that names its columns;',
    ],
    [
      'a brace that is no field',
      'To,Name\n233241234567,Ama',
      'Dear {Name',
      'Expected a field such as {Name}, or a brace written as \\{ or \\};',
    ],
  ])('is refused whole for %s', async (_, list, text, words) => {
    const { check } = await open()
    const refused = await check(list, text)
    expect(refused.status).toBe(422)
    expect(refused.text).toContain('id="Content-error"')
    expect(wordsOf(refused)).toContain(words)
  })

  it('says of each line whose text is too long that it is, however often a field comes', async () => {
    const { check } = await open()
    const list = `To,N\n233241234567,${'x'.repeat(1_000_000)}\n233241234568,${'y'.repeat(160)}\n233241234569,z`
    const checked = await check(list, '{N}'.repeat(300))
    expect(wordsOf(checked)).toContain('2 of 3 lines can’t be sent')
    expect(wordsOf(checked)).toContain('expected at most 10000 characters with its fields filled in')
  })

  it('without fields is the same for all, with its braces', async () => {
    const { world, ama, check, go } = await open()
    const checked = await check('233241234567\n233272190300', 'Open \\{9 to 5\\}')
    expect(wordsOf(checked)).toContain('2 messages, 1 segment each')
    await go(checked, 'send')
    expect((await sentBy(world, ama)).map(({ content }) => content)).toEqual([
      'Open {9 to 5}',
      'Open {9 to 5}',
    ])
  })
})
