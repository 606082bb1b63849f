import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually, type Front, openFront } from '../../support/front.ts'
import { launchBrowser } from '../chromium.ts'
import { openResident } from './resident.ts'

let front: Front
let browser: Browser
let receiverUrl: string
let posted = 0
const receiver = createServer((request, response) => {
  request.resume()
  posted++
  response.end('ok')
})

beforeAll(async () => {
  front = await openFront(':memory:', { callbackAllowedCidrs: ['127.0.0.0/8'] })
  browser = await launchBrowser()
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
}, 60_000)
afterAll(async () => {
  receiver.close()
  await browser?.close()
  await front?.close()
})

const message = (To: string, Content: string) => ({ From: 'WIGWAG', To, Content })

describe('the inbox in a browser', () => {
  it('is filtered by words, by a chip, and by its address, and says what is wrong with a filter', async () => {
    const { page, send } = await openResident(browser, front)
    await send(message('233241234567', 'a parcel for Ama'))
    await send(message('233241200001', 'a parcel for Kofi'))
    await page.goto(`${front.url}/messages`)
    const rows = page.locator('#rows tr')
    await rows.filter({ hasText: 'Undelivered' }).waitFor()

    await page.keyboard.press('/')
    await page.keyboard.type('Kofi')
    await page.keyboard.press('Enter')
    await page.waitForURL(/q=Kofi/)
    expect(await rows.count()).toBe(1)

    await page.getByRole('link', { name: 'Delivered', exact: true }).click()
    await page.getByText('No message matches.').waitFor()
    expect(await page.getByLabel('Filter messages').inputValue()).toBe('Kofi status:delivered')

    await page.goto(`${front.url}/messages?q=form:WIGWAG`)
    await page.getByText('There is no filter “form:”.').waitFor()
    await page.getByRole('link', { name: 'from:WIGWAG' }).click()
    await rows.first().waitFor()
    expect(await rows.count()).toBe(2)
  })

  it('is walked through by keys, which do nothing while somebody types', async () => {
    const { page, send } = await openResident(browser, front)
    const ticket = await send(message('233241234567', 'walked to'))
    await page.goto(`${front.url}/messages`)
    await page.locator(`#m-${ticket}`).waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.waitForURL(`${front.url}/messages/${ticket}`)
    await page.keyboard.press('Escape')
    await page.waitForURL(`${front.url}/messages`)
    await page.getByLabel('Filter messages').focus()
    await page.keyboard.type('cjg')
    expect(page.url()).toBe(`${front.url}/messages`)
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await page.keyboard.press('g')
    await page.keyboard.press('w')
    await page.waitForURL(`${front.url}/wallet`)
  })

  it('has a callback posted again from its message', async () => {
    const { page, send } = await openResident(browser, front)
    const ticket = await send({ ...message('233241234567', 'tell me'), CallbackUrl: receiverUrl })
    await eventually('it is posted', async () => posted === 1)
    await page.goto(`${front.url}/messages/${ticket}`)
    await page.getByRole('button', { name: 'Post it again' }).click()
    await eventually('it is posted again', async () => posted === 2)
    await page.reload()
    await page.getByText('attempt 2').first().waitFor()
  })
})
