// sign-in.spec.ts
import { test as base, expect } from '@playwright/test'
import { type Inbox, inboxFixture } from '@wigwag/sdk/testing'

const test = base.extend<{ inbox: Inbox }>(inboxFixture)

test('a person signs in with the code on the phone', async ({ page, inbox }) => {
  await page.goto('/')
  await page.getByLabel('Phone').fill('+233 24 100 0105')
  await page.getByRole('button').click()
  const { code = '' } = await inbox.waitForMessage({ to: '233241000105' })
  await page.getByLabel('Code').fill(code)
  await page.getByRole('button').click()
  await expect(page.getByText('Welcome')).toBeVisible()
})
