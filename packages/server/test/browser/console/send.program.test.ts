import { micros } from '@wigwag/contract'
import { describe, expect, it } from 'vitest'
import { shareFront } from '../../support/front.ts'
import { shareBrowser } from '../chromium.ts'
import { openResident } from './resident.ts'

const front = await shareFront(':memory:', { demoBalance: micros(1_000_000_000) })
const browser = await shareBrowser()

const TWI = 'Maakye Abena! Wo adeɛ no bɛba ɔkyena anɔpa nnɔn nkron. Yɛda wo ase paa.'

describe('writing a message', () => {
  it('counts, cuts and prices while somebody types, and sends for the price on the button', async () => {
    const { page, look } = await openResident(browser, front)
    await page.goto(`${front.url}/send?to=233241234567`)
    await page.getByLabel('Text').fill('Hello')
    await page.getByRole('button', { name: 'Send for GHS 0.042' }).waitFor()
    let price = () => {}
    const priced = new Promise<void>((resolve) => {
      price = resolve
    })
    await page.route('**/send/estimate', async (route) => {
      await priced
      await route.continue()
    })
    await page.getByLabel('Text').fill(TWI)
    expect(await page.locator('#count').textContent()).toBe('2 segments · 71 of 134 characters · UCS-2')
    await page.getByText('“ɛ” and 1 other character are not in the GSM alphabet.').waitFor()
    expect(await page.locator('.bubble').textContent()).toBe(`${TWI.slice(0, 67)}Segment 2${TWI.slice(67)}`)
    expect(await page.locator('#go').getAttribute('aria-busy')).toBe('true')
    price()
    await page.getByRole('button', { name: 'Send for GHS 0.084' }).waitFor()
    expect(await page.locator('#go').getAttribute('aria-busy')).toBe('false')
    await page.getByText('MTN, Ghana, GHS 0.042 a segment').waitFor()
    expect(await page.locator('#sample-curl').textContent()).toContain(TWI)
    await look()
    await page.getByRole('button', { name: 'Send for GHS 0.084' }).click()
    await page.waitForURL(/\/messages\/[\w-]{36}$/)
  })

  it('shows the price of what was typed last, though an earlier answer comes later', async () => {
    const { page } = await openResident(browser, front)
    let asked = 0
    let answerFirst = () => {}
    const secondShown = new Promise<void>((resolve) => {
      answerFirst = resolve
    })
    await page.route('**/send/estimate', async (route) => {
      const isFirst = ++asked === 1
      const response = await route.fetch()
      if (isFirst) await secondShown
      await route.fulfill({ response })
    })
    await page.goto(`${front.url}/send?to=233241234567`)
    await page.getByLabel('Text').fill(TWI)
    await page.getByRole('button', { name: 'Send for GHS 0.084' }).waitFor()
    const first = page.waitForResponse('**/send/estimate')
    answerFirst()
    await (await first).finished()
    await page.evaluate('new Promise(requestAnimationFrame)')
    expect(await page.locator('#go').textContent()).toBe('Send for GHS 0.084')
  })

  it('says what is wrong, with a way from the summary to the field', async () => {
    const { page, look } = await openResident(browser, front, { width: 360, theme: 'dark' })
    await page.goto(`${front.url}/send`)
    await page.getByLabel('To').fill('23324')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByRole('alert').getByText('Nothing was sent.').waitFor()
    await look()
    await page.getByRole('alert').getByRole('link', { name: 'To' }).click()
    await page.locator('#To:target').waitFor()
    expect(await page.getByLabel('To').inputValue()).toBe('23324')
  })

  it('works without scripts', async () => {
    const { page } = await openResident(browser, front, { scripts: false })
    await page.goto(`${front.url}/send`)
    await page.getByLabel('To').fill('+233 24 123 4567')
    await page.getByLabel('Text').fill(`${'a'.repeat(158)}\n\n`)
    await page.getByRole('button', { name: 'Check the price' }).click()
    await page.getByText('160 of 160 characters').waitFor()
    expect(await page.getByLabel('To').inputValue()).toBe('233241234567')
    await page.getByRole('button', { name: 'Send for GHS 0.042' }).click()
    await page.waitForURL(/\/messages\/[\w-]{36}$/)
  })
})

describe.each([
  ['with scripts', true, 1_440],
  ['without scripts', false, 360],
] as const)('sending to many %s', (_, scripts, width) => {
  it('mends a list of 2,000, shows the price, sends, and shows how far it is', async () => {
    const { page, look } = await openResident(browser, front, { scripts, width })
    const see = () => (scripts ? look() : Promise.resolve())
    const good = Array.from({ length: 1_997 }, (_, index) => `${233_241_100_010 + 10 * index},r-${index}`)
    const list = ['(233) 241234567', ...good, '23324', 'Ama,"x'].join('\n')
    await page.goto(`${front.url}/send/many`)
    await page
      .getByLabel('Or a CSV file')
      .setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(list) })
    await page.getByLabel('Text').fill('We open at 9 on Friday')
    await page.getByRole('button', { name: 'Check the list' }).click()
    await page.getByText('A list goes whole or not at all, and 3 of 2,000 lines can’t be sent.').waitFor()
    await see()
    await page.getByRole('button', { name: 'Clean line 1, leave out 2 lines' }).click()
    const send = page.getByRole('button', { name: /^Send 1,998 for GHS [\d.]+$/ })
    await send.waitFor()
    await see()
    await send.click()
    await page.waitForURL(/\/send\/many\/[\w-]+$/)
    await page.getByText(/ of 1,998 are final/).waitFor()
    await see()
    if (!scripts) {
      await expect
        .poll(() => page.reload().then(() => page.locator('#progress-count').textContent()))
        .toBe('1,998 of 1,998 are final')
      return
    }
    const first = await page.evaluate<number>('performance.timeOrigin')
    await page.getByText('1,998 of 1,998 are final').waitFor()
    expect(await page.evaluate<number>('performance.timeOrigin')).toBe(first)
    await page.getByText('1,998 delivered').waitFor()
    await see()
  })
})
