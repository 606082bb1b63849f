import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, describe, expect, it } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { shareFront } from '../../support/front.ts'
import { shareBrowser } from '../chromium.ts'
import { openResident } from './resident.ts'

const front = await shareFront(':memory:', { callbackAllowedCidrs: ['127.0.0.0/8'] })
const browser = await shareBrowser()
let posted = 0
const receiver = createServer((request, response) => {
  request.resume()
  posted++
  response.end('ok')
})

await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
afterAll(() => receiver.close())
const receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`

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
    await send(message('233241234567', 'passed by'))
    const next = await send(message('233241234567', 'walked on to'))
    const ticket = await send(message('233241234567', 'walked to'))
    const focused = (id: string) => page.locator(`#m-${id} a.go:focus`).waitFor()
    await page.goto(`${front.url}/messages`)
    await page.locator(`#m-${ticket}`).waitFor()
    // With a modifier it is the browser's own.
    await page.keyboard.press('Alt+c')
    await page.keyboard.press('j')
    await focused(ticket)
    await page.keyboard.press('j')
    await focused(next)
    await page.keyboard.press('k')
    await focused(ticket)
    await page.keyboard.press('Enter')
    await page.waitForURL(`${front.url}/messages/${ticket}`)
    await page.keyboard.press('Escape')
    await page.waitForURL(`${front.url}/messages`)
    await page.getByLabel('Filter messages').focus()
    await page.keyboard.type('cjg')
    expect(await page.getByLabel('Filter messages').inputValue()).toBe('cjg')
    await page.keyboard.press('Escape')
    expect(await page.getByLabel('Filter messages').inputValue()).toBe('')
    await page.keyboard.press('Escape')
    expect(page.url()).toBe(`${front.url}/messages`)
    await page.keyboard.press('g')
    await page.keyboard.press('w')
    await page.waitForURL(`${front.url}/wallet`)
  })

  it('has no single keys once they are turned off, and Escape still', async () => {
    const { page, send } = await openResident(browser, front)
    const ticket = await send(message('233241234567', 'untouched'))
    await page.goto(`${front.url}/messages/${ticket}`)
    await page.keyboard.press('?')
    await page.getByText('Single keys do something').click()
    await page.getByRole('button', { name: 'Close', exact: true }).first().click()
    await page.reload()
    await page.locator('#keys-on').waitFor({ state: 'attached' })
    await page.keyboard.press('/')
    expect(await page.locator('#q:focus').count()).toBe(0)
    await page.keyboard.press('Escape')
    await page.waitForURL(`${front.url}/messages`)
  })

  it('has a callback posted again from its message', async () => {
    const { page, send } = await openResident(browser, front)
    const ticket = await send({ ...message('233241234567', 'tell me'), CallbackUrl: receiverUrl })
    await eventually('it is posted', async () => posted === 1)
    await page.goto(`${front.url}/messages/${ticket}`)
    const isBack = page.waitForEvent('load')
    await page.getByRole('button', { name: 'Post it again' }).click()
    await isBack
    await eventually('it is posted again', async () => posted === 2)
    await page.reload()
    await page.getByText('attempt 2').first().waitFor()
  })
})
