import { micros } from '@wigwag/contract'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { cheapHash } from '../../assistants/oauth/cheap-hash.ts'
import { eventually } from '../../support/eventually.ts'
import { call, SINGLE, shareFront } from '../../support/front.ts'
import { shareBrowser } from '../chromium.ts'
import { axeFindings, tooWideBy, walkByKeyboard } from '../walk.ts'

const PASSWORD = 'a long enough password'
const EMAIL = 'ama@example.com'
const LONG = 'W'.repeat(90)

const gone = { kind: 'reply', status: 410, headers: {}, truncated: false, latencyMs: 38 } as const
const outbound = async () => ({ ...gone, body: new TextEncoder().encode(`<h1>${LONG}</h1>`) })
const front = await shareFront(':memory:', {}, { outbound })
const browser = await shareBrowser()
const ama = await front.gateway.operator.createAccount({
  name: 'Ama Mensah',
  email: EMAIL,
  passwordHash: cheapHash(PASSWORD),
  currency: 'GHS',
  balance: micros(100_000_000),
  senders: ['WIGWAG'],
})

async function send(To: string, fields: object = {}): Promise<string> {
  const body = { From: 'WIGWAG', To, Content: `${LONG} \u202e ${'long '.repeat(40)}`, ...fields }
  const { text } = await call(front.url, ama, { path: SINGLE, body })
  return JSON.parse(text).Ticket
}

async function open(options: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext({ ...options, bypassCSP: options.javaScriptEnabled !== false })
  onTestFinished(() => context.close())
  const page = await context.newPage()
  await page.goto(`${front.url}/sign-in?next=/callbacks`)
  await page.getByLabel('E-mail').fill(EMAIL)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Callbacks' }).waitFor()
  return page
}

describe.each([
  ['on a phone', { width: 360, height: 740 }, 'light'],
  ['on a desk, in the dark', { width: 1_440, height: 900 }, 'dark'],
] as const)('a message and its callback %s', (_, viewport, colorScheme) => {
  it('can be read and used by all, whatever is in them', async () => {
    const reference = { Reference: LONG, CallbackUrl: `https://shop.example/${LONG}` }
    const failed = await send('233241200001', reference)
    const pending = await send('233241200005', reference)
    const page = await open({ viewport, colorScheme })
    const given = page.getByText('Given up', { exact: true })
    await eventually('it is given up', async () => {
      await page.reload()
      return (await given.count()) > 1
    })
    for (const path of [
      '/callbacks',
      '/callbacks?q=what:ever',
      `/messages/${failed}`,
      `/messages/${pending}`,
    ]) {
      await page.goto(`${front.url}${path}`)
      expect(await tooWideBy(page), path).toBe(0)
      expect(await axeFindings(page), path).toEqual([])
      expect(await walkByKeyboard(page), path).toMatchObject({ unreached: [] })
    }
  })
})

it('a pending message counts up, and ends when the sandbox says so, without scripts too', async () => {
  const pending = await send('233241200005')
  const page = await open({})
  await page.goto(`${front.url}/messages/${pending}`)
  const running = page.locator('[data-elapsed]').last()
  const first = await running.textContent()
  await expect.poll(() => running.textContent()).not.toBe(first)
  const plain = await open({ javaScriptEnabled: false })
  await plain.goto(`${front.url}/messages/${pending}`)
  await plain.getByLabel('Fail as').selectOption('expired')
  await plain.getByRole('button', { name: 'Fail now' }).click()
  await plain.getByText('Expired', { exact: true }).first().waitFor()
  await plain.getByText('As JSON').click()
  await plain.getByText('"Status": "expired"').waitFor()
})
