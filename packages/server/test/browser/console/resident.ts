import type { Browser, BrowserContext, Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import type { AccountSecrets } from '../../../src/accounts/operator.ts'
import { call, type Front } from '../../support/front.ts'
import { looksRight, type Rules, type Screen } from '../walk.ts'

export interface Resident {
  page: Page
  context: BrowserContext
  /** Sends with the account's own program. Returns the ticket. */
  send(message: object, path?: string): Promise<string>
  /** Nothing sticks out, nothing breaks the policy, and axe finds nothing. */
  look(rules?: Rules): Promise<void>
}

/** The demo account of a sandbox, or another account, with a browser in which it is signed in. */
export async function openResident(
  browser: Browser,
  front: Front,
  {
    width = 1_440,
    theme = 'light',
    scripts = true,
    timeZone,
    account = front.gateway.demo,
  }: Partial<Screen> & {
    scripts?: boolean
    /** Of the browser; the machine's if it is left out. */
    timeZone?: string
    account?: (AccountSecrets & { password?: string }) | undefined
  } = {},
): Promise<Resident> {
  if (account?.password === undefined) throw new Error('expected an account with a password')
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    colorScheme: theme,
    javaScriptEnabled: scripts,
    ...(timeZone !== undefined && { timezoneId: timeZone }),
  })
  onTestFinished(() => context.close())
  const signedIn = await front.gateway.portal.signIn({
    email: 'demo@wigwag.dev',
    password: account.password,
    address: '127.0.0.1',
  })
  if (signedIn.kind !== 'in') throw new Error(`expected to be signed in, got ${signedIn.kind}`)
  await context.addCookies([
    { name: 'wigwag_portal', value: signedIn.token, url: front.url, httpOnly: true, sameSite: 'Lax' },
  ])
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('request', (request) => {
    if (!request.url().startsWith(front.url)) complaints.push(`asked for ${request.url()}`)
  })

  return {
    page,
    context,
    async send(message, path = '/v1/messages/sms') {
      const { status, text } = await call(front.url, account, { path, body: message })
      if (status !== 200) throw new Error(`expected to send, got ${status}: ${text}`)
      const sent: { Ticket: string } = JSON.parse(text)
      return sent.Ticket
    },
    async look(rules) {
      await looksRight(page, rules)
      // Chromium says so of any page with such a status.
      expect(
        complaints.filter((text) => !/status of 4\d\d/.test(text)),
        page.url(),
      ).toEqual([])
    },
  }
}
