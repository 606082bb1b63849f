import { describe, expect, it } from 'vitest'
import { shareWorld } from '../assistants/oauth/world.ts'
import { call } from '../support/front.ts'
import { sheetOf, textOf } from './reading.ts'
import { auditOf, openMessages, openReceivers, RECEIVER, sendToItsEnd, untilAttempts } from './receivers.ts'

const HOSTILE = `<script>alert(1)</script>"'&\u202e https://evil.example/ <a href="https://evil.example">x</a>`
const world = await openReceivers({}, shareWorld)

const open = () => openMessages(world)

describe('words of other people', () => {
  it('stay text on the page of a message', async () => {
    const { ama, show } = await open()
    world.react({ status: 200, text: `${HOSTILE}\0${'z'.repeat(5_000)}` })
    const fields = {
      Content: HOSTILE,
      Reference: HOSTILE,
      CallbackUrl: 'https://shop.example/"><script>/?k=secret',
    }
    const page = await show(await sendToItsEnd(world, ama, fields))
    const { text } = page
    expect(text).not.toContain('<script>alert')
    expect(text).not.toContain('href="https://evil')
    expect(text).not.toContain('<script>/')
    expect(text).not.toContain('k=secret')
    // Script tags and right-to-left marks stay inside what is set apart from the rest of the line.
    const escaped = HOSTILE.slice(0, 30)
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
    const bare = escaped.replace("'", '&#39;').slice(0, 40)
    expect(text).toContain(`<div class="bubble" dir="auto">${bare}`)
    expect(text).toContain(`<bdi class="mono">${bare}`)
    expect(text).toContain(`\n\n<bdi>${bare}`)
    expect(text).not.toContain('\0')
  })

  it('shows the first 2 kB of a receiver’s reply', async () => {
    const { ama, show } = await open()
    world.react({ status: 500, text: 'z'.repeat(5_000) })
    const { text } = await show(await sendToItsEnd(world, ama, { CallbackUrl: RECEIVER }))
    expect(/z{1000,}/.exec(text)?.[0]).toHaveLength(2_048)
  })
})

describe('the callback on the page of a message', () => {
  it('shows what was sent, as it was sent, but for the signature', async () => {
    const { ama, show } = await open()
    const ticket = await sendToItsEnd(world, ama, { CallbackUrl: RECEIVER, Reference: 'order-1042' })
    const [sent] = world.postedOf(ticket)
    const said = textOf(sheetOf(await show(ticket), 'Callback'))
    expect(said).toContain(
      `webhook-id: ${sent?.headers['webhook-id']} webhook-timestamp: ${sent?.headers['webhook-timestamp']} webhook-signature: v1,… ${sent?.body}`,
    )
    expect(said).toMatch(/Delivered ?attempt 1 ?200 in 38 ms/)
    expect(said).toContain('Answered 200 OK ok')
    expect(said).not.toContain(sent?.headers['webhook-signature'])
  })

  it.each([
    ['timeout', 'no answer in 15 s'],
    ['connect_failed', 'could not connect'],
    ['dns_failed', 'name not found'],
    ['blocked_address', 'refused address'],
    ['tls_failed', 'no secure connection'],
    ['connection_lost', 'connection lost'],
    ['invalid_url', 'not a URL that can be posted to'],
  ] as const)('says %s in words', async (failure, words) => {
    const { ama, show } = await open()
    world.react({ failure, detail: 'the detail' })
    const ticket = await sendToItsEnd(world, ama, { CallbackUrl: RECEIVER })
    const said = textOf(sheetOf(await show(ticket), 'Callback'))
    expect(said).toMatch(new RegExp(`Failed ?attempt 1 ?${words}`))
    expect(said).toContain(`What went wrong ${words} the detail`)
  })

  it('offers no other post after ten on a day', async () => {
    const { ama, show } = await open()
    const ticket = await sendToItsEnd(world, ama, { CallbackUrl: RECEIVER })
    const replayIt = { path: '', method: 'POST' }
    for (let times = 1; times <= 10; times++) {
      const { text } = await call(world.url, ama, { path: `/v1/callbacks?Ticket=${ticket}` })
      replayIt.path = `/v1/callbacks/${JSON.parse(text).Items[0].Id}/replay`
      await call(world.url, ama, replayIt)
      await untilAttempts(world, ama, ticket, times + 1)
    }
    const said = textOf(sheetOf(await show(ticket), 'Callback'))
    expect(said).toContain('Posted again 10 times today')
    expect(said).not.toContain('Post it again')
    expect(said).toContain('attempt 11')
  })

  it('is posted again at a click, with the same id and bytes, and that is audited', async () => {
    const { ama, show } = await open()
    world.react({ status: 410 })
    const ticket = await sendToItsEnd(world, ama, { CallbackUrl: RECEIVER })
    world.react({ status: 200 })
    const page = await show(ticket, '?q=to:233241234567')
    const back = await ama.person.submit(page, {}, (to) => to.endsWith('/replay'))
    expect(back.url).toBe(`${world.url}/messages/${ticket}?q=to%3A233241234567`)
    await untilAttempts(world, ama, ticket, 2)
    const [first, second] = world.postedOf(ticket)
    expect([second?.body, second?.headers['webhook-id']]).toEqual([first?.body, first?.headers['webhook-id']])
    expect(await auditOf(world, ama)).toEqual(['console replayCallback'])
    const folds = sheetOf(await show(ticket), 'Callback').split('<details')
    expect(folds.map((fold) => /attempt (\d)/.exec(fold)?.[1])).toEqual([undefined, '2', '1'])
    expect(folds.map((fold) => fold.startsWith(' open'))).toEqual([false, true, false])
  })
})
