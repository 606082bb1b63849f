import { expect, it } from 'vitest'
import { shareFront } from '../../support/front.ts'
import { shareBrowser } from '../chromium.ts'
import { onEachScreen } from '../walk.ts'
import { openResident } from './resident.ts'

const front = await shareFront(':memory:')
const browser = await shareBrowser()

it('a list is scheduled by the clocks of the browser, from numbers as people write them, and cancelled whole', async () => {
  const { page, look } = await openResident(browser, front, { timeZone: 'Africa/Lagos' })
  await page.goto(`${front.url}/people`)
  await page.getByLabel('Country').selectOption({ label: 'Ghana' })
  await page.getByRole('button', { name: 'Keep this' }).click()
  await page.getByText('Numbers without a country code are read so').waitFor()
  await onEachScreen(page, look)
  await page.goto(`${front.url}/send/many`)
  expect(await page.getByLabel('Time zone').inputValue()).toBe('Africa/Lagos')
  await page.getByLabel('Recipients').fill('024 123 4567\n020 123 4568\n+233 27 123 4569')
  await page.getByLabel('Text').fill('We open at 9')
  const day = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
  await page.getByLabel('Send at').fill(`${day}T09:00`)
  await onEachScreen(page, look)
  await page.getByRole('button', { name: 'Check the list' }).click()
  await page.getByText(`${day} 09:00 Africa/Lagos, which is ${day} 08:00 UTC`).waitFor()
  await page.getByText('2 numbers had no country code').waitFor()
  await onEachScreen(page, look)
  await page.getByRole('button', { name: 'Schedule 3 for' }).click()
  await page.getByText(`it goes out at ${day} 09:00 Africa/Lagos`).waitFor()
  await onEachScreen(page, look)
  await page.getByRole('link', { name: '3 numbers' }).click()
  await page.getByRole('heading', { name: '3 messages that wait together' }).waitFor()
  await onEachScreen(page, look)
  await page.getByText('Cancel all 3 messages of the list').click()
  await page.getByRole('button', { name: 'Yes, cancel all 3' }).click()
  await page.getByText('3 messages cancelled.').waitFor()
})
