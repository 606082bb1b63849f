import { randomBytes } from 'node:crypto'
import { micros } from '@wigwag/contract'
import { describe, expect, it } from 'vitest'
import { TicketMaker } from '../../src/kernel/ids.ts'
import {
  earlierLists,
  earlierRates,
  importRates,
  readRates,
  readRatesText,
  restoreRates,
} from '../../src/money/index.ts'
import type { Page } from '../assistants/oauth/person.ts'
import { press, wordsOf } from '../console/forms.ts'
import { ENGINES } from '../support/bench.ts'
import { importNow } from '../support/import-rates.ts'
import { openDesk, openDeskOn } from './desk.ts'

const newId = new TicketMaker(randomBytes).make
const HEAD = 'country,mcc,mnc,network,price,currency'
const IN_FORCE = [
  HEAD,
  'GH,,,,0.04,GHS',
  'GH,620,01,MTN,0.045,GHS',
  'GH,620,02,Telecel,0.05,GHS',
  'KE,,,,0.02,EUR',
  'NG,,,,0.03,GHS',
].join('\n')
const LIST = [
  HEAD,
  'GH,,,,0.04,GHS',
  'GH,620,01,MTN,0.05,GHS',
  'GH,620,02,Telecel,0.04,GHS',
  'KE,,,,0.02,EUR',
  'TG,,,,0.1,GHS',
].join('\n')

describe.each(ENGINES)('the prices, on %s', (engine) => {
  async function open() {
    const { desk, person, visit } = await openDeskOn(engine)
    const put = (text: string) => importNow({ ...desk.gateway, newId }, readRatesText(text).rates)
    const check = async (values: Record<string, string>) =>
      press(person, await visit('/prices/import'), '/prices/check', values)
    const confirm = (page: Page) => press(person, page, '/prices/import')
    const audited = () =>
      desk.gateway.database.read(({ run }) =>
        run("SELECT actor, detail FROM audit WHERE action = 'rates.import' AND actor = 'operator:ada'", []),
      )
    const file = async () => (await person.send(`${desk.deskUrl}/prices/file.csv`)).text()
    return { desk, person, visit, put, check, confirm, audited, file }
  }

  it('say since when they are in force, and are found by country, number and how numbers begin', async () => {
    const { desk, visit, put } = await open()
    expect(wordsOf(await visit('/prices'))).toContain('These are the built-in sample')
    await put(IN_FORCE)
    const page = await visit('/prices')
    expect(wordsOf(page)).toContain('5 prices Currencies EUR, GHS')
    const since = Date.parse(/In force since<\/dt><dd><time datetime="([^"]+)"/.exec(page.text)?.[1] ?? '')
    expect(since).toBe(desk.gateway.clock.now())
    const found = async (q: string) => {
      const { text } = await visit(`/prices?q=${encodeURIComponent(q)}`)
      const rows = [...text.matchAll(/<tr><th scope="row".*?<\/tr>/gs)]
      return rows.map(([row]) => wordsOf({ text: `<main>${row}</main>` } as Page).trim())
    }
    const ghana = 'Ghana GH all others GHS 0.04'
    const mtn = 'Ghana GH MTN 620 01 GHS 0.045'
    const telecel = 'Ghana GH Telecel 620 02 GHS 0.05'
    for (const q of ['GH', 'gh', 'ghan', '233', '+233'])
      expect(await found(q), q).toEqual([ghana, mtn, telecel])
    for (const q of ['+233 24 123 4567', '23324']) expect(await found(q), q).toEqual([ghana, mtn])
    expect(await found('2332')).toEqual([ghana, mtn, telecel])
    expect(await found('254712345678')).toEqual(['Kenya KE all others EUR 0.02'])
    for (const q of ['nowhere', '0', '%', '49', '\0']) expect(await found(q), q).toEqual([])
    expect(await found('')).toHaveLength(5)
  })

  it('are fifty a page, none twice', async () => {
    const { visit, put } = await open()
    const lines = Array.from({ length: 60 }, (_, n) => `GH,620,${n + 10},Network ${n + 10}.,0.0${n + 10},GHS`)
    await put([HEAD, ...lines].join('\n'))
    const first = await visit('/prices?q=GH')
    const next = /href="([^"]+after=[^"]+)"/.exec(first.text)?.[1]?.replaceAll('&amp;', '&') ?? ''
    const second = await visit(next)
    const found = [first, second].map(({ text }) => text.match(/Network \d+\./g) ?? [])
    expect(found.map(({ length }) => length)).toEqual([50, 10])
    expect(new Set(found.flat()).size).toBe(60)
  })

  it('are imported after what changes was shown, once, and come out as a file that goes in', async () => {
    const { put, check, confirm, audited, file } = await open()
    await put(IN_FORCE)
    const asked = await check({ csv: LIST })
    const words = wordsOf(asked)
    expect(words).toContain('Dearer 1 Cheaper 1 New 1 Gone 1 In the list 5 prices')
    expect(words).toContain('Ghana GH MTN 620 01 GHS 0.045 GHS 0.05 + 11.1 %')
    expect(words).toContain('Ghana GH Telecel 620 02 GHS 0.05 GHS 0.04 − 20.0 %')
    expect(words).toContain('Nigeria NG all others GHS 0.03 none gone')
    expect(words).toContain('Togo TG all others none GHS 0.10 new')
    expect(words).not.toContain('Kenya')
    expect(await audited()).toEqual([])
    for (const page of [await confirm(asked), await confirm(asked)])
      expect([page.status, wordsOf(page)]).toEqual([
        200,
        expect.stringContaining('The new prices are in force.'),
      ])
    expect(await audited()).toEqual([{ actor: 'operator:ada', detail: '{"rates":5,"kept":2}' }])
    const out = await file()
    expect(out.split('\r\n')[1]).toBe('"GH","","","",0.04,"GHS"')
    expect(wordsOf(await check({ file: out }))).toContain('The list has the prices that are in force.')
  })

  it('are shown again when others came into force meanwhile', async () => {
    const { visit, put, check, confirm, audited } = await open()
    await put(IN_FORCE)
    const asked = await check({ csv: LIST })
    await put([HEAD, 'GH,,,,0.01,GHS'].join('\n'))
    const again = await confirm(asked)
    expect(again.status).toBe(409)
    expect(wordsOf(again)).toContain('Nothing was changed: the prices in force were changed meanwhile.')
    expect(wordsOf(again)).toContain('Ghana GH all others GHS 0.01 GHS 0.04 + 300.0 %')
    expect(wordsOf(await visit('/prices'))).toContain('1 price Currency GHS')
    expect(await audited()).toEqual([])
    expect(wordsOf(await confirm(again))).toContain('5 prices')
  })

  it('are taken back from the earlier lists, after what changes was shown, by who acts', async () => {
    const { desk, person, visit, put, audited, file } = await open()
    await put(IN_FORCE)
    const before = await file()
    await put([HEAD, 'GH,,,,0.01,GHS'].join('\n'))
    const words = wordsOf(await visit('/prices/earlier'))
    expect(words).toMatch(/ 2 Take back 5 \d+ \w+ 20\d\d, \d\d:\d\d .* gateway 1 the sample Take back /)
    const { person: lou } = await desk.operator('lou', 'look')
    const seen = await lou.visit(`${desk.deskUrl}/prices/earlier`)
    expect([wordsOf(seen).includes('gateway'), seen.text.includes('/prices/earlier/2')]).toEqual([
      true,
      false,
    ])
    expect((await lou.visit(`${desk.deskUrl}/prices/earlier/2`)).status).toBe(403)
    const asked = await visit('/prices/earlier/2')
    expect(wordsOf(asked)).toContain('Dearer 1 Cheaper 0 New 4 Gone 0 In the list 5 prices')
    expect(await audited()).toEqual([])
    const done = await press(person, asked, '/prices/restore')
    expect([done.status, wordsOf(done)]).toEqual([200, expect.stringContaining('new prices are in force.')])
    expect(await file()).toBe(before)
    const restored = await desk.gateway.database.read(({ run }) =>
      run("SELECT actor, detail FROM audit WHERE action = 'rates.restore'", []),
    )
    expect(restored).toEqual([{ actor: 'operator:ada', detail: '{"list":2,"rates":5,"kept":3}' }])

    // Pressed again with what it was compared with: that is not in force any more, and these prices are.
    expect(wordsOf(await press(person, asked, '/prices/restore'))).toContain('new prices are in force.')
    const stale = await visit('/prices/earlier/3')
    await put([HEAD, 'GH,,,,0.07,GHS'].join('\n'))
    const again = await press(person, stale, '/prices/restore')
    expect([again.status, wordsOf(again)]).toEqual([409, expect.stringContaining('Nothing was changed:')])
    expect(wordsOf(again)).toContain('Ghana GH all others GHS 0.07 GHS 0.01 − 85.7 %')
    for (const number of ['99', '0', '-1', 'x', '%00', '9'.repeat(40)])
      expect((await visit(`/prices/earlier/${number}`)).status, number).toBe(404)
  })

  it('are kept fifty times, and replaced by one of two that come at once', async () => {
    const { desk, put } = await open()
    for (let n = 10; n < 62; n++) await put([HEAD, `GH,,,,0.${n},GHS`].join('\n'))
    const lists = () => desk.gateway.database.read((tx) => earlierLists(tx))
    const numbers = (await lists()).map(({ number }) => number)
    expect([numbers.length, numbers[0], numbers.at(-1)]).toEqual([50, 52, 3])
    const list = await desk.gateway.database.read((tx) => earlierRates(tx, 3))
    const { version } = await desk.gateway.database.read(readRates)
    if (!list) throw new Error('expected the third list')
    const parts = { ...desk.gateway, newId }
    const both = await Promise.all([
      restoreRates(parts, list, version),
      importRates(parts, [{ country: 'KE', price: micros(1), currency: 'GHS' }], version),
    ])
    expect(both.filter((done) => done !== undefined)).toEqual([{ kept: 53 }])
    expect((await lists())[0]).toMatchObject({ number: 53, prices: 1 })
  })

  it('stay as they are when a line is wrong, which is named, with what was typed', async () => {
    const { put, check, audited } = await open()
    await put(IN_FORCE)
    const refused = async (values: Record<string, string>) => {
      const page = await check(values)
      return [page.status, wordsOf(page)]
    }
    const wrong = [HEAD, 'GH,,,,0.04,GHS', 'Ghana,,,,cheap,GHS', 'GH,,,,0.05,GHS'].join('\n')
    const page = await check({ csv: wrong })
    expect([page.status, wordsOf(page)]).toEqual([422, expect.stringContaining('2 lines are wrong')])
    expect(wordsOf(page)).toContain('Line 3: expected country to be the two capital letters')
    expect(wordsOf(page)).toContain('Line 4: expected one price for each destination, but line 2 has one too')
    expect(page.text).toContain('Ghana,,,,cheap,GHS')
    for (const [values, text] of [
      [{}, 'Expected a price list, got nothing.'],
      [{ csv: LIST, file: LIST }, 'Expected a file or lines, and both came.'],
      [{ csv: 'country,price' }, 'Line 1: expected the columns country,mcc'],
      [{ csv: HEAD }, 'expected at least one rate'],
      [{ file: `${HEAD}\nGH,620,01,M\uFFFD,1,GHS` }, 'Expected text in UTF-8'],
      [{ csv: `${HEAD}\n${'x'.repeat(1_100_000)}` }, 'Expected at most 1 MiB.'],
    ] as [Record<string, string>, string][])
      expect(await refused(values), text).toEqual([422, expect.stringContaining(text)])
    expect(wordsOf(await check({ csv: `${HEAD}\nGH,620,99,New,3,GHS` }))).toContain(
      'Line 2: no numbers are known for network 620/99 in GH',
    )
    expect(await audited()).toEqual([])
  })
})

it('asks who looks for nothing but to look, and who acts for a passkey or code before an import', async () => {
  const desk = await openDesk()
  const { person, secret } = await desk.operator('ada')
  const asked = await press(person, await person.visit(`${desk.deskUrl}/prices/import`), '/prices/check', {
    csv: LIST,
  })
  await desk.pass(11 * 60_000)
  const proof = await press(person, asked, '/prices/import')
  expect([proof.status, proof.text.includes('Is it you?')]).toEqual([401, true])
  expect(wordsOf(await person.visit(`${desk.deskUrl}/prices`))).toContain('built-in sample')
  const code = desk.codeNow(secret)
  const form = {
    ...proof,
    text: proof.text.slice(proof.text.lastIndexOf('<form', proof.text.indexOf('id="code"'))),
  }
  expect(wordsOf(await press(person, form, '/prices/import', { code }))).toContain('are in force')

  const { person: lou } = await desk.operator('lou', 'look')
  expect((await lou.visit(`${desk.deskUrl}/prices`)).text).not.toContain('/prices/import')
  expect((await lou.visit(`${desk.deskUrl}/prices/import`)).status).toBe(403)
  expect((await lou.visit(`${desk.deskUrl}/prices/file.csv`)).text).toContain('"TG"')
})
