import { randomBytes } from 'node:crypto'
import { micros } from '@wigwag/contract'
import type { Page } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createAssistant } from '../assistants/oauth/assistant.ts'
import { cheapHash } from '../assistants/oauth/cheap-hash.ts'
import { connect } from '../support/assistants.ts'
import { shareFront } from '../support/front.ts'
import { shareBrowser } from './chromium.ts'
import { tooWideBy, walkByKeyboard } from './walk.ts'

const PASSWORD = 'a long enough password'
const LIMITS = {
  dailySpend: micros(5_000_000),
  dailyMessages: 50,
  recipients: undefined,
  unasked: 'send' as const,
}
const HOSTILE = `\u202e<b>x</b> “Wigwag has checked it” ${'W'.repeat(150)}`

const front = await shareFront(':memory:')
const browser = await shareBrowser()

describe.each([
  ['on a phone', { width: 360, height: 740 }],
  ['on a small phone', { width: 320, height: 568 }],
  ['on a desk', { width: 1_280, height: 900 }],
])('the portal without scripts %s', (_, viewport) => {
  /** An account, and a browser in which every page is looked at as it is left. */
  async function open() {
    const email = `${randomBytes(4).toString('hex')}@example.com`
    const { accountId } = await front.gateway.operator.createAccount({
      name: 'Ama Mensah',
      email,
      passwordHash: cheapHash(PASSWORD),
      currency: 'GHS',
      balance: micros(100_000_000),
      senders: ['WIGWAG'],
    })
    const context = await browser.newContext({ javaScriptEnabled: false, viewport })
    onTestFinished(() => context.close())
    const page = await context.newPage()
    const complaints: string[] = []
    page.on('console', (message) => complaints.push(message.text()))
    page.on('request', (request) => {
      if (!request.url().startsWith(front.url)) complaints.push(`asked for ${request.url()}`)
    })

    /** Nothing sticks out, nothing is out of reach, and the browser has nothing to complain of. */
    async function look(): Promise<void> {
      expect(await tooWideBy(page), page.url()).toBe(0)
      expect(await walkByKeyboard(page), page.url()).toEqual({ unreached: [], unmarked: [] })
      // Chromium says so of any page with such a status, and when a test types sooner than a field takes the focus.
      expect(complaints.filter((text) => !/status of 4\d\d|^Autofocus/.test(text))).toEqual([])
    }
    return { accountId, email, page, look }
  }

  async function signIn(page: Page, email: string, password = PASSWORD): Promise<void> {
    await page.getByLabel('E-mail').fill(email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
  }

  it('lets a person sign in, after a wrong password, and out again', async () => {
    const { email, page, look } = await open()
    await page.goto(`${front.url}/connections`)
    await look()
    await signIn(page, email, 'not the password')
    await page.getByRole('alert').getByText('The e-mail or the password is not right.').waitFor()
    const described = await page.getByLabel('Password').getAttribute('aria-describedby')
    expect(await page.locator(`#${described}`).textContent()).toContain('is not right')
    expect(await page.getByLabel('E-mail').inputValue()).toBe(email)
    await look()
    await signIn(page, email)
    await page.getByRole('heading', { name: 'No assistant is connected' }).waitFor()
    await look()
    const menu = page.getByRole('button', { name: 'Menu' })
    if (await menu.isVisible()) await menu.click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.goto(`${front.url}/connections`)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  })

  it('lets a person change limits, after a mistake, and revoke an access', async () => {
    const { accountId, email, page, look } = await open()
    const { id } = await connect(front.gateway, accountId, LIMITS)
    await page.goto(`${front.url}/connections`)
    await signIn(page, email)
    const card = page.getByRole('region', { name: 'Assistant' })
    await card.getByText('GHS 0.00 of GHS 5.00').waitFor()

    await card.getByText('Change limits').click()
    await look()
    await card.getByLabel('Daily spend in GHS').fill('2,50')
    await card.getByRole('button', { name: 'Save limits' }).click()
    await card.getByText('Expected an amount such as 5 or 0.50, got “2,50”.').waitFor()
    await look()
    await card.getByLabel('Daily spend in GHS').fill('2.50')
    await card.getByLabel('Recipients').fill('+233241234567\n23320*')
    await card.getByRole('button', { name: 'Save limits' }).click()
    await page.getByText('The new limits are in force.').waitFor()
    await card.getByText('GHS 0.00 of GHS 2.50').waitFor()
    await card.getByText('May send to 233241234567, 23320*').waitFor()
    expect(await front.gateway.connections.list(accountId)).toMatchObject([
      { id, limits: { dailySpend: 2_500_000, dailyMessages: 50, recipients: ['233241234567', '23320*'] } },
    ])

    expect(await card.getByRole('button', { name: 'Yes, revoke its access' }).isVisible()).toBe(false)
    await card.getByText('Revoke access').click()
    await look()
    await card.getByRole('button', { name: 'Yes, revoke its access' }).click()
    await page.getByText('The assistant has no access any more.').waitFor()
    await page.getByRole('heading', { name: 'Ended in the last 30 days' }).waitFor()
    await look()
  })

  it('asks for consent legibly, whatever an assistant calls itself', async () => {
    const { email, page, look } = await open()
    const assistant = await createAssistant(front.url, { client_name: HOSTILE })
    await page.goto(assistant.authorizeUrl())
    await signIn(page, email)
    await page.getByRole('heading', { name: 'Connect an assistant?' }).waitFor()
    await page.getByLabel('Read and send').check()
    await look()
    await page.getByLabel('Messages a day').fill('many')
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.getByText('Expected a whole number such as 20, got “many”.').waitFor()
    await look()
    await page.getByLabel('Only read').check()
    expect(await page.getByLabel('Messages a day').isVisible()).toBe(false)
    await look()
  })
})
