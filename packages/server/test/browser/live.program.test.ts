import { randomBytes } from 'node:crypto'
import { micros } from '@wigwag/contract'
import type { Page } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { AccountSecrets } from '../../src/accounts/operator.ts'
import type { Ticket } from '../../src/kernel/ids.ts'
import { listen } from '../../src/net/server/listen.ts'
import { cheapHash } from '../assistants/oauth/cheap-hash.ts'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/free-port.ts'
import { BULK, bulk, call, type Front, openFront, SINGLE, shareFront, single } from '../support/front.ts'
import { shareBrowser } from './chromium.ts'

const PASSWORD = 'a long enough password'
/** A phone of the simulator that never answers by itself. */
const UNTOLD = '233241200005'

const front = await shareFront(':memory:')
const browser = await shareBrowser()

interface Opened {
  page: Page
  secrets: AccountSecrets
  send(times?: number): Promise<Ticket[]>
  /** The tickets of the rows, from the top. */
  rows(): Promise<string[]>
  live(text: string): Promise<void>
  waiting(text: string): Promise<void>
}

interface OpenOptions {
  /** How many messages the person has. */
  sent?: number
  at?: Front
  /** Where the browser finds the gateway. */
  url?: string
}

/** A person with some messages, at the inbox. */
async function open({ sent = 3, at = front, url = at.url }: OpenOptions = {}): Promise<Opened> {
  const email = `${randomBytes(4).toString('hex')}@example.com`
  const secrets = await at.gateway.operator.createAccount({
    name: 'Ama Mensah',
    email,
    passwordHash: cheapHash(PASSWORD),
    currency: 'GHS',
    balance: micros(1_000_000_000),
    senders: ['WIGWAG'],
  })
  async function send(times = 1): Promise<Ticket[]> {
    const tickets: Ticket[] = []
    for (let index = 0; index < times; index++) {
      const { text } = await call(at.url, secrets, { path: SINGLE, body: single(UNTOLD) })
      tickets.push(JSON.parse(text).Ticket)
    }
    return tickets
  }
  await send(sent)
  const context = await browser.newContext({ viewport: { width: 1_280, height: 500 } })
  onTestFinished(() => context.close())
  const page = await context.newPage()
  await page.goto(`${url}/sign-in?next=/messages`)
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.locator('#live', { hasText: 'Live' }).waitFor()
  return {
    page,
    secrets,
    send,
    rows: () => page.locator('#rows tr').evaluateAll((rows) => rows.map(({ id }) => id.slice(2))),
    live: (text) => page.locator('#live', { hasText: text }).waitFor(),
    waiting: (text) => page.locator('#arrivals button', { hasText: text }).waitFor(),
  }
}

describe('the inbox', () => {
  it('shows new messages at the top, and says so', async () => {
    const { page, send, rows } = await open()
    const before = await rows()
    const [ticket] = await send()
    await page.locator(`#m-${ticket}.new`).waitFor()
    expect(await rows()).toEqual([ticket, ...before])
    await page.locator('#says', { hasText: '1 new message' }).waitFor()
    await page.locator('#purse strong', { hasText: 'GHS 999.832' }).waitFor()
  })

  it('has new messages read out at most every five seconds, and those in between together', async () => {
    const { page, send } = await open()
    await page.evaluate(`
      window.said = []
      const says = document.getElementById('says')
      new MutationObserver(() => said.push({ text: says.textContent, at: performance.now() }))
        .observe(says, { childList: true })`)
    const said = () => page.evaluate<{ text: string; at: number }[]>('said')
    await send()
    await eventually('the first is read out', async () => (await said()).length === 1)
    await send(2)
    await eventually('the others are read out', async () => (await said()).length === 2)
    const [first, second] = await said()
    expect([first?.text, second?.text]).toEqual(['1 new message', '2 new messages'])
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(4_900)
  })

  it('changes rows in place, and keeps the focus in them', async () => {
    const { page, send, rows } = await open({ sent: 0 })
    const [ticket] = await send()
    await page.locator(`#m-${ticket}`).waitFor()
    const before = await rows()
    await page.locator(`#m-${ticket} a.go`).focus()
    await front.gateway.tell(ticket as Ticket, 'undelivered')
    await page.locator(`#m-${ticket} .state.bad`).waitFor()
    expect(await rows()).toEqual(before)
    expect(await page.evaluate('document.activeElement.closest("tr").id')).toBe(`m-${ticket}`)
  })

  it.each<[string, (page: Page) => Promise<unknown>]>([
    ['is scrolled down', (page) => page.evaluate('scrollTo(0, 300)')],
    [
      'has something selected',
      (page) => page.evaluate("getSelection().selectAllChildren(document.querySelector('h1'))"),
    ],
    ['has a row in focus', (page) => page.locator('#rows a.go').first().focus()],
    ['is paused', (page) => page.keyboard.press('l')],
  ])('moves nothing while it %s', async (_, hold) => {
    const { page, send, rows, waiting } = await open({ sent: 40 })
    await hold(page)
    const before = await rows()
    const tickets = await send(2)
    await waiting('2 new messages')
    expect(await rows()).toEqual(before)
    expect(await page.title()).toMatch(/^\(2\) Inbox/)
    await page.locator('#arrivals button').click()
    expect(await rows()).toEqual([...tickets.reverse(), ...before])
    expect(await page.title()).toMatch(/^Inbox/)
    expect(await page.evaluate('scrollY')).toBe(0)
  })

  it('says that it is paused and how many wait, and goes on', async () => {
    const { page, send, rows, live } = await open()
    await page.keyboard.press('l')
    await live('Paused')
    await send(2)
    await live('Paused, 2 wait')
    await page.keyboard.press('l')
    await live('Live')
    expect(await rows()).toHaveLength(5)
  })

  it('goes to the newest message by a key', async () => {
    const { page, send, waiting } = await open({ sent: 40 })
    await page.evaluate('scrollTo(0, 400)')
    const [ticket] = await send()
    await waiting('1 new message')
    await page.keyboard.press('n')
    await page.locator(`#m-${ticket} a.go:focus`).waitFor()
    expect(await page.evaluate('scrollY')).toBe(0)
  })

  it('gives the focus back to the row that one came from', async () => {
    const { page, rows } = await open()
    const [, second] = await rows()
    await page.locator(`#m-${second} a.go`).focus()
    await page.keyboard.press('Enter')
    await page.waitForURL('**/messages/*')
    await page.goBack()
    await page.locator(`#m-${second} a.go:focus`).waitFor()
  })

  it('is left for the sign-in when the person signs out elsewhere', async () => {
    const { page } = await open()
    const other = await page.context().newPage()
    await other.goto(`${front.url}/messages`)
    await other.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(page.url()).toContain('next=%2Fmessages')
  })
})

describe('an inbox into which thousands of messages come', () => {
  /** Sends bulks, each of which is told as rows. */
  async function pour(secrets: AccountSecrets, count: number, each: number): Promise<void> {
    for (let sent = 0; sent < count; sent += each) {
      const to = Array.from({ length: each }, (_, index) => `23324${1_000_000 + sent + index}`)
      const { status } = await call(front.url, secrets, { path: BULK, body: bulk(to) })
      expect(status).toBe(200)
    }
  }
  const countRows = (page: Page) => page.locator('#rows tr').count()

  it('counts more than fifty at a time, and shows the newest page when it is asked to', async () => {
    const { page, secrets, waiting } = await open()
    await pour(secrets, 200, 200)
    await waiting('200 new messages')
    expect(await countRows(page)).toBe(3)
    await page.locator('#arrivals button').click()
    await eventually('the newest page is shown', async () => (await countRows(page)) === 60)
    expect(await page.locator('#arrivals').isHidden()).toBe(true)
  })

  it('counts up to 500, and says when there are more', async () => {
    const { page, secrets, waiting } = await open()
    await page.keyboard.press('l')
    await pour(secrets, 700, 700)
    await waiting('More than 500 new messages')
    expect(await page.title()).toMatch(/^\(500\+\) Inbox/)
  })

  it('holds at most 200 rows, and no more memory than before, after ten thousand', async () => {
    const { page } = await open()
    const heap = await page.context().newCDPSession(page)
    async function heapMb(): Promise<number> {
      await heap.send('HeapProfiler.collectGarbage')
      const { usedSize } = await heap.send('Runtime.getHeapUsage')
      return usedSize / 2 ** 20
    }
    // The server tells no more than 200 rows a second, so another stream takes its place.
    await page.addInitScript(POURING)
    const before = await heapMb()
    await page.reload()
    await eventually('all have come', async () => (await page.locator(`#m-${ticketOf(9_999)}`).count()) === 1)
    expect(await countRows(page)).toBe(200)
    expect((await heapMb()) - before).toBeLessThan(10)
  })
})

function ticketOf(index: number): string {
  return `ffffffff-${String(index).padStart(4, '0')}-7000-8000-000000000000`
}

/** Gives the page a stream of 10,000 new rows, 200 at a time. */
const POURING = `
  const real = window.fetch
  const rowOf = (index) => {
    const id = 'ffffffff-' + String(index).padStart(4, '0') + '-7000-8000-000000000000'
    return 'event: row\\nid: ' + id + '\\ndata: <tr role="row" id="m-' + id + '"><td role="cell"><a class="go" href="/messages">' +
      'text '.repeat(40) + '</a></td></tr>\\n\\n'
  }
  let index = 0
  window.fetch = (url, init) => String(url).includes('/messages/live')
    ? Promise.resolve(new Response(new ReadableStream({
        async pull(controller) {
          await new Promise((resolve) => setTimeout(resolve))
          if (index >= 10000) return new Promise(() => {})
          let text = ''
          for (let rows = 0; rows < 200; rows++) text += rowOf(index++)
          controller.enqueue(new TextEncoder().encode(text))
        },
      })))
    : real(url, init)
`

describe('the open message', () => {
  it('shows each attempt to post its callback, though it goes on being retried', async () => {
    const { page, secrets } = await open()
    const body = { ...single(), CallbackUrl: 'http://127.0.0.1:1/' }
    const ticket: string = JSON.parse((await call(front.url, secrets, { path: SINGLE, body })).text).Ticket
    const callback = async () => {
      const { text } = await call(front.url, secrets, { path: `/v1/callbacks?Ticket=${ticket}` })
      const [found]: { Id: string; Attempts: object[] }[] = JSON.parse(text).Items
      return found
    }
    await eventually('it was posted once', async () => (await callback())?.Attempts.length === 1)
    // When its stream opens, the page is told what it may have missed, and asks for the message once.
    const asked = page.waitForResponse(
      (response) => response.url().endsWith(ticket) && response.request().resourceType() === 'fetch',
    )
    await page.goto(`${front.url}/messages/${ticket}`)
    await (await asked).finished()
    const attempts = page.locator('article.pane details', { hasText: 'What went wrong' })
    expect(await attempts.count()).toBe(1)
    await call(front.url, secrets, {
      path: `/v1/callbacks/${(await callback())?.Id}/replay`,
      method: 'POST',
    })
    await attempts.nth(1).waitFor()
  })

  it('is brought up to date when its row changes, with its folds and focus as they are', async () => {
    const { page, rows } = await open({ sent: 1 })
    const [ticket = ''] = await rows()
    let version = 'old'
    let asked = 0
    await page.route(`**/messages/${ticket}`, async (route) => {
      const list = await (await route.fetch({ url: `${front.url}/messages` })).text()
      const pane = `<article class="pane"><p>the ${version} one</p><details><summary>Attempt</summary><button>Post</button></details></article>`
      if (route.request().resourceType() === 'fetch') asked++
      return route.fulfill({ contentType: 'text/html', body: list.replace(/<main[^>]*>/, `$&${pane}`) })
    })
    // The page may ask for it once more when the test is over.
    onTestFinished(() => page.unrouteAll({ behavior: 'wait' }))
    await page.goto(`${front.url}/messages/${ticket}`)
    await eventually('the page asked for what it may have missed', () => asked === 1)
    await page.getByText('Attempt').click()
    await page.getByRole('button', { name: 'Post' }).focus()
    version = 'new'
    await front.gateway.tell(ticket as Ticket, 'success')
    await page.getByText('the new one').waitFor()
    expect(await page.getByRole('button', { name: 'Post' }).isVisible()).toBe(true)
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Post')
  })
})

describe('a first message', () => {
  it('shows up in place of what waits for it', async () => {
    const { page, send } = await open({ sent: 0 })
    const [ticket] = await send()
    await page.locator(`#m-${ticket}`).waitFor()
    expect(await page.locator('#waits').count()).toBe(0)
    await front.gateway.tell(ticket as Ticket, 'success')
    await page.locator(`#m-${ticket} .state.good`).first().waitFor()
  })
})

describe('an inbox that loses its server', () => {
  it('says so, and catches up when the server is back', async () => {
    const at = await openFront(':memory:')
    onTestFinished(() => at.close())
    const { app, requestId } = at.gateway
    const port = await freePort()
    const start = () => listen({ app, host: '127.0.0.1', port, requestId })
    const listener = await start()
    at.gateway.servedAt(listener.url)
    const { page, send, rows } = await open({ at, url: listener.url })
    await page.clock.install()
    /** Lets time pass in the page until it says so. */
    const says = (text: string) =>
      eventually(`it says ${text}`, async () => {
        await page.clock.runFor(500)
        return page.locator('#live', { hasText: text }).isVisible()
      })
    const before = await rows()
    await listener.close(0)
    await says('Reconnecting')
    const tickets = await send(3)
    await says('Offline, checking every 10 s')
    expect(await rows()).toEqual(before)
    const again = await start()
    onTestFinished(() => again.close(0))
    await says('Live')
    await eventually('it has caught up', async () => (await rows()).length === before.length + 3)
    expect(await rows()).toEqual([...tickets.reverse(), ...before])
  })
})
