import { describe, expect, it } from 'vitest'
import { formsOf } from '../assistants/oauth/person.ts'
import { type Resident, shareWorld } from '../assistants/oauth/world.ts'
import { eventually } from '../support/eventually.ts'
import { BULK, call } from '../support/front.ts'
import { csvRows } from './csv-rows.ts'
import { textOf } from './reading.ts'
import { auditOf, callbackOf, openReceivers, RECEIVER, sendToItsEnd, untilAttempts } from './receivers.ts'

const world = await openReceivers({}, shareWorld)
const GONE = { status: 410, text: 'gone' }

async function open() {
  world.react({ status: 200, text: 'ok' })
  const ama = await world.resident()
  const show = (query = '') => ama.person.visit(`${world.url}/callbacks${query}`)
  const send = (fields: object = {}) => sendToItsEnd(world, ama, { CallbackUrl: RECEIVER, ...fields })
  return { ama, show, send }
}

const rowsOf = ({ text }: { text: string }) =>
  [...text.matchAll(/<tr role="row"><td(.*?)<\/tr>/gs)].map(([row]) => textOf(row))
const again = (to: string) => to === `${world.url}/callbacks/replay`

describe('the log of callbacks', () => {
  it('says how to get a first one', async () => {
    const { show } = await open()
    const { text } = await show()
    expect(textOf(text)).toContain(
      "wigwag listen wigwag send --from WIGWAG --to 233241234567 --content 'Hello' --callback-url http://127.0.0.1:8090",
    )
    expect(text).not.toContain('given up.')
  })

  it('shows the newest first: its state, message, receiver, last answer and next attempt', async () => {
    const { show, send } = await open()
    const delivered = await send()
    world.react({ status: 500 })
    await send({ To: '233201234567' })
    world.react(GONE)
    await send({ CallbackUrl: 'https://shop.example/"><script>alert(1)</script>?key=secret' })
    const page = await show()
    expect(rowsOf(page)).toEqual([
      expect.stringMatching(/^Given up shop\.example\/.* 233241234567 1 of 10 410 Gone 38 ms –none \d\d:/),
      expect.stringMatching(
        /^Retrying shop\.example\/hooks\/sms 233201234567 1 of 10 500 Internal Server Error 38 ms (?:now|[\d.]+ s) \d\d:/,
      ),
      expect.stringMatching(
        /^Delivered shop\.example\/hooks\/sms 233241234567 1 of 10 200 OK 38 ms –none \d\d:/,
      ),
    ])
    expect(page.text).toContain(`<a class="go mono" href="/messages/${delivered}">`)
    expect(page.text).not.toContain('<script>alert')
    expect(page.text).not.toContain('key=secret')
    expect(textOf(page.text)).toContain('Today: 1 delivered, 1 retrying, 1 given up')
  })

  it.each([
    ['state:delivered', ['Delivered']],
    ['state:dead', ['Given up']],
    ['since:1h', ['Given up', 'Delivered']],
    ['state:pending', []],
    ['since:2099-01-01', []],
  ])('filters by %s', async (q, states) => {
    const { show, send } = await open()
    await send()
    world.react(GONE)
    await send()
    const page = await show(`?q=${encodeURIComponent(q)}`)
    expect(rowsOf(page).map((row) => /^(Delivered|Given up)/.exec(row)?.[0])).toEqual(states)
    if (states.length === 0) expect(textOf(page.text)).toContain(`No callback matches Without ${q}`)
  })

  it('finds the callback of a ticket', async () => {
    const { show, send } = await open()
    const ticket = await send({ To: '233201234567' })
    await send()
    for (const q of [ticket, `ticket:${ticket.toUpperCase()}`]) {
      expect(rowsOf(await show(`?q=${q}`))).toEqual([expect.stringContaining('233201234567')])
    }
  })

  it('shows nothing under a filter that it can’t read, and says so', async () => {
    const { show, send } = await open()
    await send()
    const page = await show('?q=status:dead')
    expect(page.status).toBe(422)
    expect(rowsOf(page)).toEqual([])
    expect(textOf(page.text)).toContain(
      'There is no “status:” here. Did you mean “state:”? Nothing is shown.',
    )
    expect(page.text).toContain('value="status:dead"')
    const hostile = await show(`?q=${encodeURIComponent('"><script>alert(1)</script>')}`)
    expect([hostile.status, hostile.text.includes('<script>alert')]).toEqual([422, false])
  })

  it('goes on to older ones page by page, each shown once', async () => {
    const { ama, show } = await open()
    const Recipients = Array.from({ length: 65 }, (_, index) => ({ To: `2332412345${10 + index}` }))
    const body = { From: 'WIGWAG', Content: 'Hello', CallbackUrl: RECEIVER, Recipients }
    await call(world.url, ama, { path: BULK, body })
    const all = async () => (await show('.csv')).text.split('\r\n').slice(1, -1)
    await eventually(
      'all are posted',
      async () => (await all()).filter((row) => row.includes(',200,')).length === 65,
    )
    const first = await show('?q=since:1h')
    const [, older = ''] = /href="([^"]*)">Older callbacks/.exec(first.text) ?? []
    expect(older).toMatch(/^\/callbacks\?q=since%3A1h&amp;cursor=/)
    expect(first.text).toContain('<a href="/callbacks.csv?q=since%3A1h">Export CSV</a>')
    const second = await ama.person.visit(`${world.url}${older.replaceAll('&amp;', '&')}`)
    expect([rowsOf(first).length, rowsOf(second).length]).toEqual([60, 5])
    const numbers = [...rowsOf(first), ...rowsOf(second)].map((row) => /2332412345\d\d/.exec(row)?.[0])
    expect(new Set(numbers).size).toBe(65)
    expect(second.text).not.toContain('Older callbacks')
  })
})

describe('what was given up', () => {
  it('is posted again at a click, all of it, with the same ids, and that is audited', async () => {
    const { ama, show, send } = await open()
    world.react(GONE)
    const tickets = [await send(), await send()]
    world.react({ status: 200 })
    await send()
    const page = await show()
    expect(textOf(page.text)).toContain('2 callbacks are given up.')
    expect(page.text).toContain('<button>Post 2 again</button>')
    const done = await ama.person.submit(page, {}, again)
    expect(textOf(done.text)).toContain('2 callbacks are posted again.')
    for (const ticket of tickets) {
      await untilAttempts(world, ama, ticket, 2)
      const [first, second] = world.postedOf(ticket)
      expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
      expect((await callbackOf(world, ama, ticket))?.State).toBe('delivered')
    }
    expect(await auditOf(world, ama)).toEqual(['console replayFailedCallbacks'])
    expect((await show()).text).not.toContain('are given up.')
  })

  it('is counted and posted from the time of the filter on', async () => {
    const { ama, show, send } = await open()
    world.react(GONE)
    const before = await send()
    const since = new Date(Date.parse(await createdAt(ama, before)) + 1).toISOString()
    await eventually('the next millisecond', async () => Date.now() > Date.parse(since))
    const after = await send()
    const page = await show(`?q=${encodeURIComponent(`since:${since} state:delivered`)}`)
    expect(page.text).toContain('<button>Post 1 again</button>')
    world.react({ status: 200 })
    const done = await ama.person.submit(page, {}, again)
    expect(done.url).toContain('posted=1')
    await untilAttempts(world, ama, after, 2)
    expect((await callbackOf(world, ama, before))?.State).toBe('dead')
  })

  it('is posted together with what waits for a later attempt, which a click alone posts too', async () => {
    const { ama, show, send } = await open()
    world.react({ status: 503 })
    const ticket = await send()
    const waits = await show()
    expect(textOf(waits.text)).toContain('1 callback is posted again later. When your receiver works again')
    world.react(GONE)
    await send()
    const page = await show()
    expect(textOf(page.text)).toContain('1 callback is given up. 1 callback is posted again later.')
    world.react({ status: 200 })
    await ama.person.submit(page, {}, again)
    await eventually('both are delivered', async () => rowsOf(await show('?q=state:delivered')).length === 2)
    expect((await callbackOf(world, ama, ticket))?.State).toBe('delivered')
  })

  it.each(['', 'soon', '-1', '1e3'])('is left alone when the time is %j', async (since) => {
    const { ama, show, send } = await open()
    world.react(GONE)
    const ticket = await send()
    await ama.person.submit(await show(), { since }, again)
    expect((await callbackOf(world, ama, ticket))?.State).toBe('dead')
    expect(await auditOf(world, ama)).toEqual([])
  })
})

describe('the file of callbacks', () => {
  it('has a line for each that the filter matches', async () => {
    const { ama, show, send } = await open()
    await send()
    world.react(GONE)
    const ticket = await send({ To: '233201234567' })
    const file = await show('.csv?q=state:dead')
    expect(file.headers.get('content-disposition')).toBe('attachment; filename="callbacks.csv"')
    const callback = await callbackOf(world, ama, ticket)
    const created = await createdAt(ama, ticket)
    expect(csvRows(file.text)).toEqual([
      'time,state,id,ticket,to,url,attempts,last_status,last_error,last_took_ms,next'.split(','),
      [created, 'dead', callback?.Id, ticket, '233201234567', RECEIVER, '1', '410', 'http_status', '38', ''],
    ])
  })

  it('says how often each was posted, the last answer, and when it is posted next', async () => {
    const { ama, show, send } = await open()
    world.react({ status: 500 })
    const ticket = await send()
    const line = async () => (await show('.csv')).text.split('\r\n')[1]
    expect(await line()).toMatch(/,1,500,"http_status",38,"20\d\d-\d\d-\d\dT[\d:.]+Z"$/)
    world.react(GONE)
    const { Id } = (await callbackOf(world, ama, ticket)) ?? {}
    await call(world.url, ama, { path: `/v1/callbacks/${Id}/replay`, method: 'POST' })
    await untilAttempts(world, ama, ticket, 2)
    expect(await line()).toMatch(/,2,410,"http_status",38,$/)
  })

  it('is not made of a filter that can’t be read', async () => {
    const { show } = await open()
    expect((await show('.csv?q=what:ever')).status).toBe(422)
  })
})

describe('the callbacks of another account', () => {
  it('are neither shown nor counted, nor in the file, nor posted again', async () => {
    const { ama, show, send } = await open()
    const kofi = await world.resident()
    world.react(GONE)
    const ticket = await send()
    const theirs = (path: string) => kofi.person.visit(`${world.url}${path}`)
    for (const q of ['', '?q=state:dead', `?q=${ticket}`]) {
      const { text } = await theirs(`/callbacks${q}`)
      expect(text).not.toContain(RECEIVER.slice(8))
      expect(text).not.toContain('given up.')
      expect(textOf(text)).toContain('Today: 0 delivered, 0 retrying, 0 given up')
      expect((await theirs(`/callbacks.csv${q}`)).text.split('\r\n')).toHaveLength(2)
    }
    const { hidden } = formsOf(await theirs('/callbacks'))[0] ?? {}
    const body = new URLSearchParams({ ...hidden, since: '0' })
    const posted = await kofi.person.send(`${world.url}/callbacks/replay`, { method: 'POST', body })
    expect(posted.headers.get('location')).toBe('/callbacks?posted=0')
    expect(rowsOf(await show())).toEqual([expect.stringMatching(/^Given up/)])
    expect((await callbackOf(world, ama, ticket))?.State).toBe('dead')
  })
})

async function createdAt(resident: Resident, ticket: string): Promise<string> {
  const { text } = await call(world.url, resident, { path: `/v1/callbacks?Ticket=${ticket}` })
  return JSON.parse(text).Items[0].DateCreated
}
