import { describe, expect, it } from 'vitest'
import { shareFront } from '../../support/front.ts'
import { shareBrowser } from '../chromium.ts'
import { openResident } from './resident.ts'

const front = await shareFront(':memory:')
const browser = await shareBrowser()
await front.gateway.operator.setSender('demo@wigwag.dev', 'MAKOLA 2', 'pending')

describe.each([
  { width: 360, theme: 'light' },
  { width: 1_440, theme: 'dark' },
] as const)('at $width in $theme', (look) => {
  it('a key is replaced, its secret copied, and the old one ended', async () => {
    const { page, context, look: see } = await openResident(browser, front, look)
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: front.url })
    await page.goto(`${front.url}/keys`)
    await see()
    await page.getByText('Rotate the wallet token').click()
    await see()
    await page.getByRole('button', { name: 'Make a new token' }).click()
    await see()
    const secret = await page.locator('#secret').textContent()
    expect(secret).toMatch(/^wt_/)
    await page.locator('[data-copy=secret]').click()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(secret)
    await page
      .getByRole('button', { name: /^End it now/ })
      .first()
      .click()
    await page.getByText('The old key has ended.').waitFor()
    await see()
  }, 60_000)

  it('a sender ID is asked for, and a wrong one is explained', async () => {
    const { page, look: see } = await openResident(browser, front, look)
    await page.goto(`${front.url}/sender-ids`)
    await see()
    await page.getByLabel('Sender ID').fill('Shop & Co')
    await page.getByRole('button', { name: 'Ask for this sender ID' }).click()
    await page.getByRole('alert').waitFor()
    await see()
    expect(await page.getByLabel('Sender ID').inputValue()).toBe('Shop & Co')
  }, 60_000)

  it('every tab of Developers can be read', async () => {
    const { page, look: see } = await openResident(browser, front, look)
    await page.goto(`${front.url}/developers`)
    for (const tab of await page.locator('.tabs > label').all()) {
      await tab.click()
      await see()
    }
  }, 60_000)

  it('a theme is chosen in the help, whatever the system says', async () => {
    const { page, look: see } = await openResident(browser, front, look)
    await page.goto(`${front.url}/keys`)
    const paper = () => page.evaluate('getComputedStyle(document.documentElement).colorScheme')
    await page.evaluate("document.getElementById('help').showPopover()")
    await see()
    const other = look.theme === 'light' ? 'Dark' : 'Light'
    await page.getByRole('button', { name: other }).click()
    await page.waitForURL(`${front.url}/keys`)
    expect(await paper()).toBe(other.toLowerCase())
    await see()
  }, 60_000)
})
