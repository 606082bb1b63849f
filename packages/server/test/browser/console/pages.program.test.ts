import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, describe, expect, it } from 'vitest'
import { epochMs } from '../../../src/kernel/ids.ts'
import { insertRows } from '../../../src/store/rows.ts'
import { call, shareFront } from '../../support/front.ts'
import { shareBrowser } from '../chromium.ts'
import { onEachScreen } from '../walk.ts'
import { openResident } from './resident.ts'

const HOSTILE = `\u202e<script>document.title="stolen"</script><img src=x onerror=alert(1)> “'"&amp; ${'W'.repeat(80)}`

const front = await shareFront(':memory:', { callbackAllowedCidrs: ['127.0.0.0/8'] })
const browser = await shareBrowser()
const receiver = createServer((request, response) => {
  request.resume()
  response.statusCode = request.url === '/gone' ? 410 : 200
  response.end(HOSTILE)
})

await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
afterAll(() => receiver.close())

/** Messages of every kind, with texts and replies that try to be more than text. */
async function furnish(receiverUrl: string): Promise<string[]> {
  const { demo } = front.gateway
  if (!demo) throw new Error('expected a demo account')
  const send = async (body: object, path = '/v1/messages/sms') => {
    const { text } = await call(front.url, demo, { path, body })
    const { Ticket }: { Ticket: string } = JSON.parse(text)
    return Ticket
  }
  const tickets: string[] = []
  for (const ending of ['67890', '00001', '00002', '00003', '00005']) {
    tickets.push(
      await send({
        From: 'WIGWAG',
        To: `2332412${ending}`,
        Content: HOSTILE,
        Reference: HOSTILE.slice(0, 60),
        CallbackUrl: `${receiverUrl}/${ending === '00001' ? 'gone' : 'hook'}`,
      }),
    )
  }
  const SendAt = new Date(Date.now() + 3_600_000).toISOString()
  const waits = { From: 'WIGWAG', To: '233241234567', Content: HOSTILE, SendAt }
  const scheduled = await send(waits, '/v1/messages/sms/scheduled')
  const now = front.gateway.clock.now()
  const alert = { accountId: demo.accountId, text: HOSTILE, seenAt: now, toldAt: now, goneAt: null }
  await front.gateway.database.write((tx) =>
    insertRows(tx, tx.t.accountAlerts, [
      { ...alert, id: 'there', key: 'receiver:a', overAt: null },
      { ...alert, id: 'known', key: 'address:k:192.0.2.1', overAt: epochMs(now + 1_000_000) },
      { ...alert, id: 'over', key: 'spend:w', overAt: now },
    ]),
  )
  return [
    '/messages',
    `/scheduled/${scheduled}`,
    ...tickets.map((ticket) => `/messages/${ticket}`),
    ...PLACES,
  ]
}

const PLACES = [
  '/messages?q=status:failed',
  '/messages?q=form:x',
  '/send',
  '/send/many',
  '/scheduled',
  '/insights',
  '/wallet',
  '/alerts',
  '/sender-ids',
  '/rates?country=GH',
  '/developers',
  '/callbacks',
  '/keys',
  '/connections',
  '/sandbox',
]

const { port } = receiver.address() as AddressInfo
const places = await furnish(`http://127.0.0.1:${port}`)

describe('every page, in three widths and two themes', () => {
  it('is accessible, fits its window, keeps the strict policy, and shows texts as text', async () => {
    const { page, look } = await openResident(browser, front)
    for (const path of places) {
      await page.goto(front.url + path)
      expect(await page.title(), path).toMatch(/ · Wigwag TEST$/)
      expect(await page.locator('h1').count(), path).toBe(1)
      await onEachScreen(page, look)
    }
  })
})
