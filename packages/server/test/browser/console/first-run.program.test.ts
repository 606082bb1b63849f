import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Front, openFront } from '../../support/front.ts'
import { shareBrowser } from '../chromium.ts'

const browser = await shareBrowser()

/** A sandbox that has just started, and a browser that has never seen it. */
async function open() {
  const front: Front = await openFront(':memory:')
  onTestFinished(() => front.close())
  const context = await browser.newContext({ viewport: { width: 1_440, height: 900 } })
  onTestFinished(() => context.close())
  return { front, page: await context.newPage() }
}

describe('the first minute with a sandbox', () => {
  it('goes from the start page to a delivered message, without a reload', async () => {
    const { front, page } = await open()
    await page.goto(`${front.url}/`)
    await page.getByRole('heading', { name: 'Wigwag is running' }).waitFor()
    await page.getByRole('button', { name: 'Open the console' }).click()
    await page.getByRole('heading', { name: 'Send your first message' }).waitFor()
    await page.getByText('Waiting for your first message.').waitFor()

    const curl = await page.locator('.tab-1 pre').first().textContent()
    await promisify(execFile)('bash', ['-c', `${curl} -sS --fail`])

    const row = page.locator('#rows tr').first()
    await row.getByText('Hello from Wigwag').waitFor()
    await row.getByText('Delivered').first().waitFor()
    await row.getByRole('link').click()
    await page.getByRole('heading', { name: 'What happened' }).waitFor()
    expect(await page.getByText('GHS 99.958').count()).toBeGreaterThan(0)
  })

  it('shows why the first request was refused', async () => {
    const { front, page } = await open()
    await page.goto(`${front.url}/`)
    await page.getByRole('button', { name: 'Open the console' }).click()
    const curl = (await page.locator('.tab-1 pre').first().textContent()) ?? ''
    await page.getByText('Waiting for your first message.').waitFor()
    await page.locator('#live', { hasText: 'Live' }).waitFor()
    await promisify(execFile)('bash', ['-c', `${curl.replace('WIGWAG', 'NOTMINE')} -sS`])
    await page.locator('#refusal').getByText('403 sender_not_approved').waitFor()
  })
})
