import { expect, it } from 'vitest'
import { shareFront } from '../../support/front.ts'
import { shareBrowser } from '../chromium.ts'
import { openResident } from './resident.ts'

const front = await shareFront(':memory:')
const browser = await shareBrowser()

it('without scripts the menu, the help, tabs and folds open, and every page is there', async () => {
  const { page, send } = await openResident(browser, front, { width: 360, scripts: false })
  const ticket = await send({ From: 'WIGWAG', To: '233241234567', Content: 'plain' })
  await page.goto(`${front.url}/messages`)
  for (const name of [
    'Scheduled',
    'Insights',
    'Wallet',
    'Sender IDs',
    'Rates',
    'Callbacks',
    'API keys',
    'Assistants',
  ]) {
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.getByRole('navigation').getByRole('link', { name, exact: false }).first().click()
    await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor()
  }
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('button', { name: 'Keyboard' }).click()
  await page.getByText('next and previous message').waitFor()
  await page.goto(`${front.url}/developers`)
  await page.getByText('TypeScript', { exact: true }).first().click()
  await page.getByText("import { createClient } from '@wigwag/sdk'").first().waitFor()
  await page.goto(`${front.url}/messages/${ticket}`)
  await page.getByText('As JSON').click()
  await page.getByText('"MessageId"').waitFor()
  expect(await page.locator('[data-copy]:visible').count()).toBe(0)
})
