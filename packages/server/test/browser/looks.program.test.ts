import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { openDesk } from '../desk/desk.ts'
import { shareFront } from '../support/front.ts'
import { shareBrowser } from './chromium.ts'
import { openResident } from './console/resident.ts'
import { tooWideBy } from './walk.ts'

const browser = await shareBrowser()
const front = await shareFront(':memory:')
const PICTURES = process.env.LOOKS_PICTURES

describe.each([1_280, 1_366])('the console in a window of %i px', (width) => {
  it('keeps the inbox readable beside a message and the open controls', async () => {
    const { page, send } = await openResident(browser, front, { width })
    const ticket = await send({
      From: 'WIGWAG',
      To: '233241234567',
      Content: 'Hello Ama, your order 1042 from Makola Fresh is on its way.',
    })
    await page.goto(`${front.url}/messages/${ticket}`)
    await page.getByRole('button', { name: 'Controls' }).click()
    await page.locator('#sandbox').waitFor()
    const list = await page.locator('.others').boundingBox()
    expect(list?.width).toBeGreaterThanOrEqual(360)
    // Nothing of the list is below the controls.
    const controls = await page.locator('#sandbox').boundingBox()
    expect((list?.x ?? 0) + (list?.width ?? 0)).toBeLessThanOrEqual(controls?.x ?? 0)
    if (PICTURES) await page.screenshot({ path: `${PICTURES}-controls-${width}.png` })
  })

  it('gives the room of the list to the text', async () => {
    const { page, send } = await openResident(browser, front, { width })
    await send({ From: 'WIGWAG', To: '233241234567', Content: 'Hello Ama, your order is on its way.' })
    await page.goto(`${front.url}/messages`)
    const text = await page.locator('#rows .cell-text').first().boundingBox()
    expect(text?.width).toBeGreaterThanOrEqual(300)
    if (PICTURES) await page.screenshot({ path: `${PICTURES}-inbox-${width}.png` })
  })
})

describe('the desk in a window of 390 px', async () => {
  const desk = await openDesk(':memory:', {}, {}, (close) => afterAll(close))

  async function open(name: string) {
    const context = await browser.newContext({ viewport: { width: 390, height: 844 } })
    onTestFinished(() => context.close())
    const value = (await desk.operator(name)).person.cookies.get('wigwag_desk') ?? ''
    await context.addCookies([
      { name: 'wigwag_desk', value, url: desk.deskUrl, httpOnly: true, sameSite: 'Lax' },
    ])
    return context.newPage()
  }

  it('shows every column of customers, carriers and the audit log, or at which side there is more', async () => {
    const page = await open('ada')
    for (const path of ['/customers', '/carriers', '/audit', '/', '/deliveries']) {
      await page.goto(desk.deskUrl + path)
      expect(await tooWideBy(page), path).toBe(0)
      const tables = await page.evaluate<
        { hidden: boolean; scrolled: boolean; shade: string; tall: number }[]
      >(
        `[...document.querySelectorAll('.wide-table')].map((it) => ({
          hidden: it.scrollWidth > it.clientWidth,
          scrolled: (it.scrollLeft = 9999, it.scrollLeft + it.clientWidth >= it.scrollWidth - 1),
          shade: getComputedStyle(it).backgroundAttachment,
          tall: Math.max(...[...it.querySelectorAll('tbody tr')].map((row) => row.offsetHeight)),
        }))`,
      )
      for (const { hidden, scrolled, shade, tall } of tables) {
        expect(scrolled, path).toBe(true)
        if (hidden) expect(shade, path).toContain('scroll')
        expect(tall, path).toBeLessThanOrEqual(100)
      }
      await page.evaluate(`document.querySelectorAll('.wide-table').forEach((it) => { it.scrollLeft = 0 })`)
      if (PICTURES) await page.screenshot({ path: `${PICTURES}-desk390${path.replaceAll('/', '-')}.png` })
    }
  })
})
