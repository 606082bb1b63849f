import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { epochMs } from '../../../src/kernel/ids.ts'
import { systemClock } from '../../../src/kernel/process/clock.ts'
import { type Desk, openDesk } from '../../desk/desk.ts'
import { call, SINGLE, single } from '../../support/front.ts'
import { simulated } from '../../support/simulated.ts'
import { shareBrowser } from '../chromium.ts'
import { onEachScreen } from '../walk.ts'

let ahead = 0
const clock = { ...systemClock, now: () => epochMs(systemClock.now() + ahead) }
const desk = await openDesk(':memory:', {}, { clock }, (close) => afterAll(close))
const browser = await shareBrowser()

/** A browser with a passkey store that always says yes, and what it complained of. */
async function openBrowser(
  scripts = true,
): Promise<{ page: Page; context: BrowserContext; complaints: string[] }> {
  const context = await browser.newContext({
    viewport: { width: 1_440, height: 900 },
    javaScriptEnabled: scripts,
  })
  onTestFinished(() => context.close())
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  page.on('request', (request) => {
    if (!request.url().startsWith(desk.deskUrl)) complaints.push(`asked for ${request.url()}`)
  })
  if (scripts) {
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
  return { page, context, complaints }
}

/** The browser of an operator who is signed in already. */
async function openAs(name: string, { operator, deskUrl }: Desk = desk) {
  const opened = await openBrowser()
  const value = (await operator(name)).person.cookies.get('wigwag_desk') ?? ''
  await opened.context.addCookies([
    { name: 'wigwag_desk', value, url: deskUrl, httpOnly: true, sameSite: 'Lax' },
  ])
  return opened
}

/** Chromium complains of any page with such a status. */
function isOurs(complaint: string): boolean {
  return !/status of 4\d\d/.test(complaint)
}

describe('the desk in a browser', () => {
  it('registers a passkey by a link, signs in with it, and asks for it again', async () => {
    const { page, complaints } = await openBrowser()
    await page.goto(await desk.invite('ada'))
    // The secret is out of the address as soon as it is in the form.
    expect(page.url()).toBe(`${desk.deskUrl}/enter`)
    await onEachScreen(page)
    await page.getByRole('button', { name: 'Come in' }).click()
    await page.getByRole('heading', { name: 'Welcome, ada' }).waitFor()
    await onEachScreen(page)
    await page.getByRole('button', { name: 'Make a passkey' }).click()
    await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor()
    expect(await page.locator('.codes li').count()).toBe(10)
    await onEachScreen(page)
    await page.getByRole('link', { name: 'I have kept them' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()

    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor()
    await onEachScreen(page)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()

    ahead += 11 * 60_000
    await page.goto(`${desk.deskUrl}/operators`)
    await page.getByLabel('Name').fill('grace')
    await page.getByRole('button', { name: 'Make the link' }).click()
    await page.getByRole('heading', { name: 'Is it you?' }).waitFor()
    await onEachScreen(page)
    await page.getByRole('button', { name: 'Go on with the passkey' }).click()
    await page.getByRole('heading', { name: 'The link for grace' }).waitFor()
    await onEachScreen(page)
    expect(complaints.filter(isOurs)).toEqual([])
  })

  it('refuses a passkey of somebody who has ended', async () => {
    const { page } = await openBrowser()
    await page.goto(await desk.invite('eve'))
    await page.getByRole('button', { name: 'Come in' }).click()
    await page.getByRole('button', { name: 'Make a passkey' }).click()
    await page.getByRole('link', { name: 'I have kept them' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await desk.gateway.operators.end('eve')
    // Her page hears of it and goes to the sign-in by itself.
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByText('That did not fit').waitFor()
  })

  it('has pages that are accessible, fit their window and load nothing else', async () => {
    const { page, complaints } = await openAs('lin')
    const made = await desk.account('acme', 5_000_000)
    await desk.gateway.operator.rotateSecret(made.accountId, 3_600_000)
    const theirs = `/customers/${made.accountId}`
    await desk.gateway.operator.setSender(made.accountId, 'Wigwam', 'pending')
    await desk.gateway.operator.setSender(made.accountId, 'AcmeShop', 'rejected', { reason: 'No papers.' })
    const places = [
      '/',
      '/senders',
      `/senders/reject?account=${made.accountId}&sender=Wigwam`,
      '/prices',
      '/prices?q=nowhere',
      '/prices/import',
      '/prices/earlier',
      '/customers',
      '/customers?q=nobody',
      '/customers/new',
      theirs,
      `${theirs}/statement`,
      `${theirs}/statement?since=soon`,
      `${theirs}/money`,
      `${theirs}/money?kind=debit&amount=99&reference=R1`,
      `${theirs}/money?kind=credit&amount=2.5&reference=R1`,
      `${theirs}/edit`,
      `${theirs}/standing`,
      `${theirs}/erase`,
      ...['messages', 'send', 'send/many', 'wallet', 'sender-ids', 'developers', 'keys', 'connections'].map(
        (place) => `${theirs}/console/${place}`,
      ),
      '/carriers',
      '/carriers/plan/way?number=233241234567',
      '/carriers/plan/way?number=12&from=A!&account=x',
      '/carriers/plan/reload',
      '/carriers/plan/reload?asked=0',
      '/carriers/simulator',
      '/carriers/simulator/switch',
      '/deliveries',
      '/deliveries?since=week',
      '/carriers/simulator/test?number=12&from=A!&text=',
      '/carriers/simulator/test?number=233241234567&from=ACME&text=Hello',
      '/audit',
      '/audit?since=soon',
      '/audit?action=nothing',
      '/operators',
      '/operators/end?name=lin',
    ]
    for (const path of places) {
      await page.goto(desk.deskUrl + path)
      expect(await page.title(), path).toMatch(/ · Wigwag desk$/)
      expect(await page.locator('h1').count(), path).toBe(1)
      await onEachScreen(page)
    }
    const check = async (lines: string) => {
      await page.goto(`${desk.deskUrl}/prices/import`)
      await page.getByLabel('Or its lines').fill(`country,mcc,mnc,network,price,currency\n${lines}`)
      await page.getByRole('button', { name: 'See what would change' }).click()
    }
    await check('Ghana,,,,cheap,GHS')
    await page.getByText('1 line is wrong').waitFor()
    await onEachScreen(page)
    await check('GH,,,,1.5,GHS\nGH,620,99,New,3,GHS')
    await page.getByRole('heading', { name: 'What would change' }).waitFor()
    await onEachScreen(page)
    await page.getByRole('button', { name: 'Put 2 prices in force' }).click()
    await page.getByText('The new prices are in force.').waitFor()
    await page.goto(`${desk.deskUrl}/senders`)
    await page.getByRole('button', { name: 'Approve Wigwam of acme' }).click()
    await page.getByText('Wigwam is approved.').waitFor()
    await onEachScreen(page)
    expect(complaints.filter(isOurs)).toEqual([])
  })

  it('has pages of messages that are accessible and fit their window, with what is uncertain and its decision', async () => {
    const silent = await openDesk(
      ':memory:',
      { simulator: simulated({ unanswered: 100, forget: 100 }) },
      { clock },
      onTestFinished,
    )
    const { page, complaints } = await openAs('max', silent)
    const acme = await silent.account('acme', 5_000_000)
    const tickets: string[] = []
    for (let n = 0; n < 3; n++) {
      const { text } = await call(silent.url, acme, { path: SINGLE, body: single() })
      tickets.push((JSON.parse(text) as { Ticket: string }).Ticket)
    }
    await expect.poll(async () => (await silent.gateway.carriers.uncertain(1)).total).toBe(3)
    await silent.gateway.carriers.settle(tickets[0] ?? '', 'success')
    await silent.gateway.database.write(({ run }) =>
      run(
        `INSERT INTO callbacks (id, account_id, wallet_id, message_id, url, state, created_at)
         SELECT '01a2029e-8ad2-75bc-9683-eabb224e9afc', account_id, wallet_id, id,
           'https://acme.example/sms?key=1', 'dead', created_at FROM messages WHERE id = $1`,
        [tickets[0] ?? ''],
      ),
    )
    const places = [
      '/messages',
      `/messages?account=${acme.accountId}`,
      '/messages?account=nobody',
      '/messages?q=nobody',
      `/messages/${tickets[0]}`,
      `/messages/${tickets[1]}`,
      '/messages/waiting',
      '/messages/waiting?before=soon',
      '/messages/set-aside',
      '/messages/callbacks',
      '/messages/callbacks/replay',
      ...['messages', `messages/${tickets[0]}`, 'scheduled', 'insights', 'rates', 'callbacks'].map(
        (place) => `/customers/${acme.accountId}/console/${place}`,
      ),
      '/messages/uncertain',
    ]
    for (const path of places) {
      await page.goto(silent.deskUrl + path)
      expect(await page.title(), path).toMatch(/ · Wigwag desk$/)
      expect(await page.locator('h1').count(), path).toBe(1)
      await onEachScreen(page)
    }
    const marks = page.getByRole('checkbox')
    await marks.first().check()
    await page.getByRole('button', { name: 'Delivered', exact: true }).click()
    await page.getByRole('heading', { name: 'Decide about 1 message?' }).waitFor()
    await onEachScreen(page)
    await page.getByRole('button', { name: 'Decide: delivered' }).click()
    await page.getByText('1 message was decided.').waitFor()
    await onEachScreen(page)
    await page.getByLabel('File').setInputFiles({
      name: 'north.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(`reference,status\n${tickets[2]},perhaps\n`),
    })
    await page.getByRole('button', { name: 'See what it would decide' }).click()
    await page.getByText('Line 2: status').waitFor()
    await onEachScreen(page)
    await page.goto(`${silent.deskUrl}/messages/${tickets[0]}`)
    await page.getByRole('button', { name: 'Open the text' }).click()
    await page.getByText('Hello').waitFor()
    await onEachScreen(page)
    expect(complaints.filter((one) => isOurs(one) && !one.startsWith(`asked for ${silent.deskUrl}`))).toEqual(
      [],
    )
  })

  it('keeps the overview up to date', async () => {
    const { page } = await openAs('kay')
    await page.goto(`${desk.deskUrl}/`)
    await page.getByText('Live', { exact: true }).waitFor()
    await desk.gateway.carriers.pause('simulator')
    await page.getByText('Paused since').waitFor()
    await desk.gateway.carriers.resume('simulator')
  })

  it('keeps a link that is pressed while news comes, so that its click leads on', async () => {
    const { page } = await openAs('may')
    const pressed = Promise.withResolvers<void>()
    const news = {
      headers: { 'content-type': 'text/event-stream' },
      body: 'event: part\ndata: <p>News</p>\n\n',
    }
    await page.route('**/live', async (route) => {
      await pressed.promise
      await route.fulfill(news)
    })
    const told = page.waitForResponse('**/live')
    await page.goto(`${desk.deskUrl}/`)
    const link = page.locator('#part a').first()
    const target = await link.getAttribute('href')
    await link.hover()
    await page.mouse.down()
    pressed.resolve()
    await (await told).finished()
    // The page reads the news in a turn of its own.
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)))
    await page.mouse.up()
    await page.waitForURL(desk.deskUrl + target)
  })
})
