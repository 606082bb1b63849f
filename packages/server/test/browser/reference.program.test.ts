import type { Page } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { call, shareFront } from '../support/front.ts'
import { shareBrowser } from './chromium.ts'
import { onEachScreen } from './walk.ts'

const front = await shareFront(':memory:')
const browser = await shareBrowser()

interface Look {
  page: Page
  /** Errors, and requests to other hosts. */
  complaints: string[]
}

async function open(options: Parameters<typeof browser.newContext>[0] = {}, path = '/docs'): Promise<Look> {
  const context = await browser.newContext({ viewport: { width: 1_280, height: 900 }, ...options })
  onTestFinished(() => context.close())
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('request', (request) => {
    if (!request.url().startsWith(front.url)) complaints.push(`asked for ${request.url()}`)
  })
  await page.goto(front.url + path)
  return { page, complaints }
}

const formOf = (page: Page, operation: string) => page.locator(`#${operation}-try`)

/** Presses the button of an operation's form, and waits for the answer. */
async function tryIt(page: Page, operation: string): Promise<{ status: string; body: string }> {
  const form = formOf(page, operation)
  await form.getByRole('button', { name: 'Send this request' }).click()
  const status = (await form.locator('.status').textContent()) ?? ''
  return { status, body: (await page.locator(`#${operation}-got`).textContent()) ?? '' }
}

describe('the API reference page', () => {
  it('reads without a script, and offers no form that would do nothing', async () => {
    const { page, complaints } = await open({ javaScriptEnabled: false })
    expect(await page.getByRole('heading', { name: 'Send one SMS' }).isVisible()).toBe(true)
    expect(await page.locator('#sendSms-curl').textContent()).toContain(
      'curl "$WIGWAG_BASE_URL/v1/messages/sms"',
    )
    for (const hidden of ['form.try', '#keys', '[data-copy]'])
      expect(await page.locator(hidden).first().isVisible(), hidden).toBe(false)
    expect(complaints).toEqual([])
  })

  it('sends a message with one press in a sandbox, and shows the answer and the command', async () => {
    const { page, complaints } = await open()
    await page.locator('#keys-filled').waitFor()
    const { status, body } = await tryIt(page, 'sendSms')
    expect(status).toMatch(/^200 OK · \d+ ms$/)
    const { Ticket } = JSON.parse(body)
    const { demo } = front.gateway
    if (!demo) throw new Error('expected a demo account')
    const found = await call(front.url, demo, { path: `/v1/transactions/${Ticket}/status` })
    expect(JSON.parse(found.text)).toMatchObject({ MessageId: Ticket, To: '233241234567' })
    const headers = await page.locator('#sendSms-got-headers').textContent()
    expect(headers).toContain('content-type: application/json')
    const curl = await page.locator('#sendSms-curl').textContent()
    expect(curl).toContain(`curl ${front.url}/v1/messages/sms \\`)
    expect(curl).toContain(`-u ${demo.clientId}:${demo.clientSecret}`)
    expect(curl).toContain(`-H 'X-Wallet: Token ${demo.walletToken}'`)

    // The forms that ask for a ticket have this one.
    const read = await tryIt(page, 'getTransactionStatus')
    expect(read.status).toContain('200 OK')
    expect(JSON.parse(read.body)).toMatchObject({ MessageId: Ticket })
    expect(complaints).toEqual([])
  })

  it('tries every other operation that changes no key, and none is refused for its form', async () => {
    const { page } = await open()
    await page.locator('#keys-filled').waitFor()
    await tryIt(page, 'sendSms')
    const statuses = new Map<string, string>()
    for (const form of await page.locator('form.try').all()) {
      const operation = (await form.getAttribute('data-operation')) ?? ''
      if (operation === 'rotateKey') continue
      for (const field of await form.locator('[required]').all())
        if ((await field.inputValue()) === '')
          await field.fill((await field.getAttribute('placeholder')) ?? '')
      const { status } = await tryIt(page, operation)
      statuses.set(operation, status.slice(0, 3))
    }
    expect(statuses.size).toBeGreaterThan(15)
    const others = [...statuses].filter(([, status]) => status !== '200')
    // The message that is cancelled is the one that was scheduled before. The callback is the example's.
    expect(others).toEqual([['replayCallback', '404']])
  })

  it('shows how a wrong request is refused, and the command for what is typed', async () => {
    const { page } = await open()
    await page.locator('#keys-filled').waitFor()
    const form = formOf(page, 'sendSms')
    await form.getByLabel('Idempotency-Key').fill("it's once")
    await form.getByLabel('Body').fill('{ "From": "WIGWAG",\n "To": "0241234567", "Content": "Hi" }')
    const curl = await page.locator('#sendSms-curl').textContent()
    expect(curl).toContain(`-H 'Idempotency-Key: it'\\''s once'`)
    expect(curl).toContain(`-d '{"From":"WIGWAG","To":"0241234567","Content":"Hi"}'`)
    await form.getByLabel('Idempotency-Key').fill('once')
    const { status, body } = await tryIt(page, 'sendSms')
    expect(status).toContain('422 Unprocessable')
    expect(JSON.parse(body)).toMatchObject({ code: 'invalid_recipient' })
    await form.getByLabel('Example').selectOption({ label: 'With a reference and a callback' })
    expect(await form.getByLabel('Body').inputValue()).toContain('"Reference": "order-1042"')
    expect(await page.locator('#sendSms-curl').textContent()).toContain('order-1042')
  })

  it('puts no credentials in for a browser that comes by another name, and keeps none', async () => {
    const { page } = await open()
    await page.locator('#keys-filled').waitFor()
    expect(await page.getByLabel('Client secret').inputValue()).toMatch(/^ws_/)
    const kept = 'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])'
    expect(await page.evaluate(kept)).toBe('[{},{},""]')

    const { page: other } = await open()
    await other.route('**/docs/demo', (route) => route.fulfill({ status: 204 }))
    const asked = other.waitForResponse('**/docs/demo')
    await other.reload()
    await asked
    expect(await other.getByLabel('Client secret').inputValue()).toBe('')
    expect(await other.locator('#keys-filled').isVisible()).toBe(false)
    const { status, body } = await tryIt(other, 'getBalance')
    expect(status).toContain('401')
    expect(JSON.parse(body)).toMatchObject({ code: 'invalid_credentials' })
    expect(await other.locator('#getBalance-curl').textContent()).toContain(
      '"$WIGWAG_CLIENT_ID:$WIGWAG_CLIENT_SECRET"',
    )
  })

  it('closes its contents in a small window when one is chosen', async () => {
    const { page } = await open({ viewport: { width: 390, height: 844 } })
    await page.getByRole('button', { name: 'Menu' }).click()
    const link = page.getByRole('link', { name: "Read the wallet's balance" })
    await link.click()
    await link.waitFor({ state: 'hidden' })
    expect(new URL(page.url()).hash).toBe('#getBalance')
  })

  it('breaks no word of a table in a small window', async () => {
    const { page } = await open({ viewport: { width: 390, height: 844 } })
    const broken = await page.evaluate<string[]>(`[...document.querySelectorAll('.scrolls td:last-child')]
      .filter((cell) => {
        const range = document.createRange()
        range.selectNodeContents(cell)
        return range.getClientRects().length !== 1
      })
      .map((cell) => cell.textContent)`)
    expect(broken).toEqual([])
    expect(await page.locator('.scrolls td').count()).toBeGreaterThan(20)
  })

  it('fits each screen, in the light and in the dark, with an answer on it', async () => {
    const { page } = await open()
    await page.locator('#keys-filled').waitFor()
    await tryIt(page, 'sendSms')
    await onEachScreen(page)
  })
})
