import { describe, expect, it } from 'vitest'
import { shareWorld } from '../assistants/oauth/world.ts'
import { eventually } from '../support/eventually.ts'
import { call } from '../support/front.ts'
import { moneyOf, sheetOf, stepsOf, textOf } from './reading.ts'
import {
  openMessages,
  openReceivers,
  RECEIVER,
  SILENT,
  sendOne,
  sendToItsEnd,
  untilAttempts,
} from './receivers.ts'

const world = await openReceivers({}, shareWorld)

const open = () => openMessages(world)

describe('the page of a message', () => {
  it('shows what happened in order, with the answers of the receiver, and not who the carrier is', async () => {
    const { ama, show } = await open()
    world.react({ status: 500, text: 'TypeError' })
    const ticket = await sendToItsEnd(world, ama, { CallbackUrl: RECEIVER })
    const failed = await show(ticket)
    expect(stepsOf(failed)).toEqual([
      'Accepted',
      'Handed to the carrier',
      'Delivered',
      'Callback failed',
      'Waiting to post the callback again',
    ])
    world.react({ status: 204 })
    await ama.person.submit(failed, {}, (to) => to.endsWith('/replay'))
    await untilAttempts(world, ama, ticket, 2)
    const page = await show(ticket)
    expect(stepsOf(page)).toEqual([
      'Accepted',
      'Handed to the carrier',
      'Delivered',
      'Callback failed',
      'Callback delivered',
    ])
    const said = textOf(sheetOf(page, 'What happened'))
    expect(said).toMatch(/^What happened in [\d.]+ (ms|s) Accepted GHS 0\.042 held 0\d\d:/)
    expect(said).toMatch(/GHS 0\.042 charged/)
    expect(said).not.toMatch(/simulator|sim-success/)
    expect(said).toMatch(/attempt 1, answered 500 .*attempt 2, answered 204/)
    const times = [...sheetOf(page, 'What happened').matchAll(/datetime="([^"]+)"/g)].map(([, at]) => at)
    expect(times).toEqual([...times].sort())
  })

  it.each([
    [
      '233241234567',
      'Delivered',
      'Posted balance before GHS 100.00 Charged 1 × 0.042 − 0.042 Posted balance after GHS 99.958',
    ],
    ...[
      ['233241200001', 'Undelivered'],
      ['233241200002', 'Expired'],
      ['233241200003', 'Rejected'],
      ['233241200004', 'Failed'],
    ].map(([to = '', word = '']): [string, string, string] => [
      to,
      word,
      'Posted balance before GHS 100.00 Held, then released 1 × 0.042 0.042 Charged 0 Posted balance after GHS 100.00',
    ]),
  ])('shows the money of %s, which ends as %s', async (To, word, money) => {
    const { ama, show } = await open()
    const page = await show(await sendToItsEnd(world, ama, { To }))
    expect(moneyOf(page)).toBe(money)
    expect(page.text).toContain(`<span class="word">${word}</span>`)
  })

  it('shows the money of one that was cancelled as released', async () => {
    const { ama, show } = await open()
    const SendAt = new Date(Date.now() + 3_600_000).toISOString()
    const body = { From: 'WIGWAG', To: '233241234567', Content: 'Hello', SendAt }
    const made = await call(world.url, ama, { path: '/v1/messages/sms/scheduled', body })
    const { Ticket } = JSON.parse(made.text)
    const waiting = await show(Ticket)
    expect(moneyOf(waiting)).toMatch(
      /^Posted balance GHS 100\.00 Held for this message .* 0\.042 Charged so far GHS 0$/,
    )
    expect(stepsOf(waiting)).toEqual(['Scheduled', 'Waiting for its time'])
    await call(world.url, ama, { path: `/v1/messages/sms/scheduled/${Ticket}`, method: 'DELETE' })
    const page = await show(Ticket)
    expect(moneyOf(page)).toContain('released 1 × 0.042 0.042 Charged 0 Posted balance after GHS 100.00')
    expect(stepsOf(page)).toEqual(['Scheduled', 'Cancelled'])
  })

  it('shows what a pending one waits for, since when, and what it holds', async () => {
    const { ama, show } = await open()
    const ticket = await sendOne(world, ama, { To: SILENT, CallbackUrl: RECEIVER })
    const last = async () => stepsOf(await show(ticket)).at(-1)
    await eventually('the carrier has it', async () => (await last()) === 'Waiting for the carrier')
    const page = await show(ticket)
    expect(textOf(sheetOf(page, 'What happened'))).toMatch(
      /expires \d+ \w+ \d{4}, \d\d:\d\d, unless told before \d s$/,
    )
    expect(page.text).toMatch(/<span data-elapsed="\d+">\d s<\/span> so far/)
    expect(moneyOf(page)).toBe(
      'Posted balance GHS 100.00 Held for this message 1 × 0.042 0.042 Charged so far GHS 0',
    )
    expect(textOf(sheetOf(page, 'Callback'))).toContain(
      'when the message is final, to https://shop.example/hooks/sms',
    )
  })

  it('shows receipts that came too late', async () => {
    const { ama, show } = await open()
    const Ticket = await sendToItsEnd(world, ama)
    await call(world.url, ama, { path: '/sandbox/receipts', body: { Ticket, Status: 'undelivered' } })
    const page = await show(Ticket)
    expect(stepsOf(page)).toContain('Late receipt')
    expect(textOf(sheetOf(page, 'What happened'))).toContain('undelivered, after the message was final')
  })

  it('says why one failed, in the words of the carrier', async () => {
    const { ama, show } = await open()
    const page = await show(await sendToItsEnd(world, ama, { To: '233241200001' }))
    expect(textOf(sheetOf(page, 'What happened'))).toContain(
      'Undelivered The simulator says that the phone cannot be reached. GHS 0.042 released',
    )
  })

  it('shows where a text is cut, and the character that made it longer', async () => {
    const { ama, show } = await open()
    const page = await show(await sendToItsEnd(world, ama, { Content: `${'a'.repeat(70)}🎉` }))
    expect(page.text).toContain(
      `dir="auto">${'a'.repeat(67)}<span class="segment tinted"><sup><span class="unseen">Segment </span>2</sup>aaa🎉</span></div>`,
    )
    expect(textOf(page.text)).toContain('72 characters, 2 segments, UCS-2 because of 🎉 (U+1F389)')
  })

  it('says what the API answers for it, byte by byte', async () => {
    const { ama, show } = await open()
    const ticket = await sendToItsEnd(world, ama, { Reference: '<b>"&\u202e', CallbackUrl: RECEIVER })
    const { text } = await show(ticket)
    const [, json = ''] = /<pre tabindex="0" id="json">(.*?)<\/pre>/s.exec(text) ?? []
    const unescaped = json
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&')
    const answer = await call(world.url, ama, { path: `/v1/messages/${ticket}` })
    expect(JSON.stringify(JSON.parse(unescaped))).toBe(answer.text)
  })

  it('opens beside the list, in which it is marked, under the filter that it was opened from', async () => {
    const { ama, show } = await open()
    const ticket = await sendToItsEnd(world, ama)
    const other = await sendToItsEnd(world, ama)
    const { text } = await show(ticket, '?q=from:WIGWAG')
    expect(text).toContain(`id="m-${ticket}" aria-current="true"`)
    expect(text).toContain(`id="m-${other}"><td`)
    expect(text).toContain('href="/messages?q=from%3AWIGWAG" id="shut">Close</a>')
    expect(text).toContain(`href="/send?again=${ticket}"`)
    expect([...text.matchAll(/<h1\b/g)]).toHaveLength(1)
  })
})
