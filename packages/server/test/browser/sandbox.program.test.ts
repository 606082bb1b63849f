import type { Page } from 'playwright-core'
import { expect, it, onTestFinished } from 'vitest'
import { settled } from '../support/books.ts'
import { call, SINGLE, shareFront } from '../support/front.ts'
import { shareBrowser } from './chromium.ts'
import { tooWideBy } from './walk.ts'

const front = await shareFront(':memory:')
const browser = await shareBrowser()

/** A browser that has opened the console with one press. */
async function open(options: { javaScriptEnabled: boolean }) {
  const viewport = { width: 360, height: 740 }
  const context = await browser.newContext({ ...options, viewport })
  onTestFinished(() => context.close())
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  await page.goto(`${front.url}/`)
  expect(await tooWideBy(page)).toBe(0)
  await page.getByRole('button', { name: 'Open the console' }).click()
  await page.waitForURL(`${front.url}/messages`)
  return { page, complaints, drawer: page.getByRole('complementary', { name: 'Sandbox controls' }) }
}

it('the drawer stays open, and keeps its place, after one of its buttons', async () => {
  const { page, drawer, complaints } = await open({ javaScriptEnabled: true })
  await page.keyboard.press('t')
  const add = drawer.getByRole('button', { name: 'Add GHS 50' })
  const before = await page.locator('#purse strong').textContent()
  await add.click()
  await expect.poll(() => page.locator('#purse strong').textContent()).not.toBe(before)
  await drawer.waitFor({ state: 'visible' })
  expect(page.url()).toBe(`${front.url}/messages`)
  expect(await add.evaluate('document.activeElement.textContent')).toBe('Add GHS 50')
  expect(await tooWideBy(page)).toBe(0)
  await page.keyboard.press('Escape')
  await drawer.waitFor({ state: 'hidden' })
  expect(complaints).toEqual([])
})

it('the drawer works without scripts', async () => {
  const { page, drawer, complaints } = await open({ javaScriptEnabled: false })
  await page.getByRole('button', { name: 'Controls' }).click()
  await drawer.getByLabel('Carrier takes longer').check()
  await drawer.getByLabel('By how long').fill('for ever')
  await drawer.getByRole('button', { name: 'Apply faults' }).click()
  await page.getByRole('alert').getByText('got “for ever”').waitFor()
  const main = page.getByRole('main')
  expect(await main.getByLabel('By how long').inputValue()).toBe('for ever')
  await main.getByLabel('By how long').fill('500 ms')
  await main.getByRole('button', { name: 'Apply faults' }).click()
  expect(front.gateway.sandbox?.faults.settings()).toMatchObject({ slowMs: 500 })
  await page.getByText('Fault on').waitFor()
  await main.getByRole('button', { name: 'All off' }).click()
  expect(await page.getByText('Fault on').count()).toBe(0)
  expect(await tooWideBy(page)).toBe(0)
  expect(complaints.filter((text) => !/status of 4\d\d/.test(text))).toEqual([])
})

it('its ribbon is one line on a phone, and no time of another day is cut off in a list', async () => {
  const { page } = await open({ javaScriptEnabled: false })
  const { demo } = front.gateway
  if (!demo) throw new Error('expected a demo account')
  const CallbackUrl = 'http://127.0.0.1:9/hooks/sms'
  const body = { From: 'WIGWAG', To: '233241234567', Content: 'Hello', CallbackUrl }
  await call(front.url, demo, { path: SINGLE, body })
  await settled(front.gateway.database)
  await page.goto(`${front.url}/sandbox`)
  const main = page.getByRole('main')
  for (const name of ['+1 day', '+1 hour', '+1 minute']) await main.getByRole('button', { name }).click()
  await main.getByLabel('Carrier takes longer').check()
  await main.getByRole('button', { name: 'Apply faults' }).click()
  await page.getByText('Fault on').waitFor()
  for (const width of [390, 360]) {
    await page.setViewportSize({ width, height: 800 })
    expect(await page.evaluate<number>(`document.querySelector('.ribbon').offsetHeight`)).toBeLessThan(48)
    expect(await tooWideBy(page)).toBe(0)
  }
  await page.setViewportSize({ width: 1_280, height: 800 })
  for (const path of ['/messages', '/callbacks', '/wallet']) {
    await page.goto(front.url + path)
    expect(await page.locator('.list time').count(), path).toBeGreaterThan(0)
    expect(await cutOff(page), path).toEqual([])
  }
})

/** The times and the heads of columns that are wider than their place. */
function cutOff(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`[...document.querySelectorAll('.list td:has(time), .list th')]
    .filter((it) => it.checkVisibility() && it.scrollWidth > it.clientWidth).map((it) => it.textContent)`)
}
