import { readFile } from 'node:fs/promises'
import { micros } from '@wigwag/contract'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { shareFront } from '../../support/front.ts'
import { shareBrowser } from '../chromium.ts'
import { createOfficialClient, UnauthorizedError } from '../official-client.ts'
import { onEachScreen } from '../walk.ts'

const MESSAGE = { from: 'WIGWAG', to: '233241234567', content: 'Hello from an assistant' }
const PASSWORD = 'a long enough password'

const front = await shareFront(':memory:')
// Browsers make passkeys at localhost, not at an address.
const url = front.url.replace('127.0.0.1', 'localhost')
front.gateway.servedAt(url)
const browser = await shareBrowser()
const contexts: BrowserContext[] = []
afterAll(() => Promise.all(contexts.map((context) => context.close())))

/** Somebody with a device of their own, whose passkey store always says yes, and what their browser complained of. */
async function somebody({ passkeys = true } = {}): Promise<{ page: Page; complaints: string[] }> {
  const context = await browser.newContext({ viewport: { width: 1_440, height: 900 } })
  contexts.push(context)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('request', (request) => {
    // An assistant's answer goes to the machine that it is on.
    if (!request.url().startsWith(url) && !request.url().includes('/callback?'))
      complaints.push(`asked for ${request.url()}`)
  })
  if (passkeys) {
    const devtools = await context.newCDPSession(page)
    await devtools.send('WebAuthn.enable')
    await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
  }
  return { page, complaints }
}

async function follow(page: Page, link: string): Promise<void> {
  await page.goto(link)
  // The secret is out of the address as soon as it is in the form.
  expect(page.url()).toBe(`${url}/invited`)
  await page.getByRole('button', { name: 'Come in' }).click()
  await page.waitForURL('**/join')
}

async function byPasskey(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Make a passkey' }).click()
  await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor()
}

async function byPassword(page: Page): Promise<void> {
  const instead = page.getByText('Use a password instead')
  if (await instead.isVisible()) await instead.click()
  await page.getByLabel('A password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Use a password' }).click()
  await page.waitForURL('**/messages')
}

/** Invites somebody as an owner does. Gives the link. */
async function invite(owner: Page, email: string, role: string): Promise<string> {
  await owner.goto(`${url}/people`)
  await owner.getByLabel('E-mail').fill(email)
  await owner.getByRole('main').getByLabel('Role').last().selectOption(role)
  await owner.getByRole('button', { name: 'Make a link' }).click()
  await owner.getByText('Send this link to').waitFor()
  return (await owner.locator('#link').innerText()).trim()
}

describe('a new company of four people', () => {
  it('goes from the operator’s link to an assistant that loses its right when its person leaves', async () => {
    const { accountId } = await front.gateway.operator.createAccount({
      name: 'Makola',
      email: 'boss@makola.example',
      currency: 'GHS',
      balance: micros(100_000_000),
      senders: ['WIGWAG'],
    })
    const secret = await front.gateway.people.firstLink(accountId, 'boss@makola.example')

    const boss = await somebody()
    await follow(boss.page, `${url}/invited#${secret}`)
    await onEachScreen(boss.page)
    await byPasskey(boss.page)
    await onEachScreen(boss.page)
    await boss.page.getByText('I have kept them').click()
    await boss.page.waitForURL('**/messages')

    const sender = await somebody()
    await follow(sender.page, await invite(boss.page, 'sue@makola.example', 'sender'))
    await byPasskey(sender.page)
    const developer = await somebody({ passkeys: false })
    await follow(developer.page, await invite(boss.page, 'dev@makola.example', 'developer'))
    await byPassword(developer.page)
    const bookkeeper = await somebody({ passkeys: false })
    await follow(bookkeeper.page, await invite(boss.page, 'books@makola.example', 'viewer'))
    await byPassword(bookkeeper.page)
    await boss.page.goto(`${url}/people`)
    await onEachScreen(boss.page)

    const official = await createOfficialClient(`${url}/mcp`)
    const client = await official.connect(async (address) => {
      await sender.page.goto(address)
      await sender.page.getByText('Official client').first().waitFor()
      await sender.page.getByLabel('Read and send').check()
      await sender.page.getByLabel('Send without asking').check()
      await sender.page.getByRole('button', { name: 'Allow' }).click()
      await sender.page.getByText('You may close this window').waitFor()
    })
    const sent = await client.callTool({ name: 'send_sms', arguments: MESSAGE })
    expect(sent.isError, JSON.stringify(sent.content)).toBeFalsy()

    await developer.page.goto(`${url}/keys`)
    await developer.page.getByRole('heading', { name: 'API keys' }).waitFor()
    expect(await developer.page.getByRole('link', { name: 'Send', exact: true }).count()).toBe(0)

    await bookkeeper.page.goto(`${url}/wallet`)
    const coming = bookkeeper.page.waitForEvent('download')
    await bookkeeper.page.getByRole('link', { name: 'Export CSV' }).click()
    const csv = await readFile(await (await coming).path(), 'utf8')
    expect(csv.split('\r\n').length).toBeGreaterThan(2)

    await boss.page.goto(`${url}/people`)
    const sheet = boss.page.locator('section', {
      has: boss.page.getByRole('heading', { name: 'sue@makola.example' }),
    })
    await sheet.getByText('Remove', { exact: true }).click()
    await sheet.getByRole('button', { name: 'Yes, remove them' }).click()
    await boss.page.getByText('no way in any more').waitFor()
    await expect(client.callTool({ name: 'get_balance', arguments: {} })).rejects.toThrow(UnauthorizedError)
    await sender.page.goto(`${url}/messages`)
    expect(new URL(sender.page.url()).pathname).toBe('/sign-in')

    await boss.page.goto(`${url}/log`)
    for (const words of ['removed sue@makola.example', 'let the assistant', 'joined as', 'as developer'])
      expect(await boss.page.getByText(words).count(), words).toBeGreaterThan(0)
    await onEachScreen(boss.page)
    expect([boss, sender, developer, bookkeeper].flatMap(({ complaints }) => complaints)).toEqual([])
  })
})

describe('a person in a browser', () => {
  it('signs in by passkey, gets another and a generator, and ends other sessions', async () => {
    const { accountId } = await front.gateway.operator.createAccount({
      name: 'Solo',
      email: 'solo@example.com',
      currency: 'GHS',
      balance: micros(0),
      senders: [],
    })
    const secret = await front.gateway.people.firstLink(accountId, 'solo@example.com')
    const { page, complaints } = await somebody()
    await follow(page, `${url}/invited#${secret}`)
    await byPasskey(page)
    await page.goto(`${url}/you`)
    await onEachScreen(page)
    await page.getByRole('button', { name: 'Sign out' }).click()
    // The browser offers the passkey where it fills in the name, and this one says yes by itself.
    await page.waitForURL('**/messages')
    await page.goto(`${url}/you/generator`)
    await onEachScreen(page)
    await page.goto(`${url}/you`)
    await page.getByText('Change the passkey').click()
    await page.getByLabel('Name', { exact: true }).fill('Work laptop')
    await page.getByRole('button', { name: 'Name it' }).click()
    await page.getByText('Work laptop').first().waitFor()
    await page.getByRole('button', { name: 'Make ten new ones' }).click()
    await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor()
    const codes = await page.locator('.codes li').allInnerTexts()
    expect(codes).toHaveLength(10)

    // After ten minutes it asks again; here by an old session.
    await front.gateway.database.write(({ run }) => run('UPDATE portal_sessions SET proven_at = 0', []))
    await page.goto(`${url}/you`)
    await page.getByRole('button', { name: 'Make ten new ones' }).click()
    await page.getByRole('heading', { name: 'Is it you?' }).waitFor()
    await onEachScreen(page)
    await page.getByRole('button', { name: 'Go on with the passkey' }).click()
    await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor()

    for (const path of ['/sign-in', '/second', '/invited', '/accounts', '/prove']) {
      await page.goto(url + path)
      await onEachScreen(page)
    }
    expect(complaints).toEqual([])
  })
})
