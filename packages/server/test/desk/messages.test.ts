import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Config } from '../../src/config/config.ts'
import { createPerson, formsOf, type Page } from '../assistants/oauth/person.ts'
import { press, wordsOf } from '../console/forms.ts'
import { ENGINES } from '../support/bench.ts'
import { call, SINGLE, single } from '../support/front.ts'
import { simulated } from '../support/simulated.ts'
import { openDesk, openDeskOn } from './desk.ts'

const UNCERTAIN = '/messages/uncertain'
/** The carrier neither answers nor sends receipts. */
const SILENT = { simulator: simulated({ unanswered: 100, forget: 100 }) }

async function openOn(engine: (typeof ENGINES)[number], config: Partial<Config> = {}) {
  const { desk, person, visit } = await openDeskOn(engine, config)
  const audited = async (action: string) => {
    const rows = await desk.gateway.database.read(({ run }) =>
      run<{ actor: string; detail: string }>(
        'SELECT actor, detail FROM audit WHERE action = $1 ORDER BY id',
        [action],
      ),
    )
    return rows.map(({ actor, detail }) => [actor, JSON.parse(detail)])
  }
  const acme = await desk.account('acme', 5_000_000)
  const send = async (body: object = {}) => {
    const { text } = await call(desk.url, acme, { path: SINGLE, body: { ...single(), ...body } })
    return (JSON.parse(text) as { Ticket: string }).Ticket
  }
  const uncertain = async (count: number) => {
    const tickets: string[] = []
    for (let n = 0; n < count; n++) tickets.push(await send())
    await desk.until('all are uncertain', async () =>
      (await desk.gateway.carriers.uncertain(1)).total === count ? true : undefined,
    )
    // Lists are of what was before now.
    await desk.pass(1_000)
    return tickets
  }
  return { desk, person, visit, audited, acme, send, uncertain }
}

/** A receiver of callbacks. After a failure it asks for an hour's rest, so that only what a test presses posts again. */
async function receiver(status: () => number): Promise<{ url: string; posted: () => number }> {
  let posted = 0
  const server = createServer((request, response) => {
    posted++
    request.resume()
    response.writeHead(status(), { 'retry-after': '3600' }).end('out of order')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/sms`, posted: () => posted }
}

const buttonOf = (page: Page, action: string, values: Record<string, string>) => ({
  ...page,
  text: page.text.replace(/<form(?:(?!<\/form>).)*<\/form>/gs, (form) =>
    Object.entries(values).every(([name, value]) => form.includes(`name="${name}" value="${value}"`)) ||
    !form.includes(`action="${action}"`)
      ? form
      : '',
  ),
})

describe.each(ENGINES)('the messages, on %s', (engine) => {
  it('are found by ticket, number, reference and carrier’s reference, and the audit log says so', async () => {
    const { desk, visit, audited, acme, send } = await openOn(engine, {
      simulator: simulated({ forget: 100 }),
    })
    const other = await desk.account('other', 5_000_000)
    await call(desk.url, other, { path: SINGLE, body: single('233201112222') })
    const ticket = await send({ To: '233244000111', Reference: 'order 7', Content: 'covered words' })
    const { references } = await desk.until('it was submitted', async () => {
      const found = await desk.gateway.messages.show(ticket, { text: false })
      return found?.references.length ? found : undefined
    })
    for (const q of [ticket.toUpperCase(), '+233 24 400 0111', 'order 7', references[0] ?? '']) {
      const page = await visit(`/messages?q=${encodeURIComponent(q)}`)
      expect(page.text, q).toContain(`href="/messages/${ticket}"`)
      expect(page.text.match(/<tr>/g), q).toHaveLength(2)
      expect(page.text).not.toContain('covered words')
      expect(wordsOf(page)).toContain('acme')
    }
    for (const q of ['order', 'nobody', '%', '\0', '233244000112'])
      expect(wordsOf(await visit(`/messages?q=${encodeURIComponent(q)}`)), q).toContain('No message fits')
    expect(wordsOf(await visit(`/messages?account=${acme.accountId}`))).toContain('Messages of acme')
    const theirs = await visit(`/messages?q=233244000111&account=${other.accountId}`)
    expect(wordsOf(theirs)).toContain('No message fits')
    const wrong = await visit('/messages?account=nobody')
    expect([wrong.status, wordsOf(wrong)]).toEqual([
      422,
      expect.stringContaining('There is no customer nobody'),
    ])
    expect(await audited('message.find')).toContainEqual([
      'operator:ada',
      { to: '233244000112', reference: '233244000112', carrierReference: '233244000112' },
    ])
  })

  it('are listed fifty a page, newest first, without one twice', async () => {
    const { visit, acme, send } = await openOn(engine)
    const sent: string[] = []
    for (let n = 0; n < 52; n++) sent.push(await send({ Reference: 'campaign' }))
    const ticketsOn = ({ text }: Page) =>
      [...text.matchAll(/href="\/messages\/([0-9a-f-]{36})"/g)].map(([, id]) => id)
    for (const query of [`account=${acme.accountId}`, 'q=campaign']) {
      const first = await visit(`/messages?${query}`)
      const older = /href="([^"]+after=[^"]+)"/.exec(first.text)?.[1]?.replaceAll('&amp;', '&') ?? ''
      const second = await visit(older)
      expect(ticketsOn(first)).toHaveLength(50)
      expect([...ticketsOn(first), ...ticketsOn(second)]).toEqual(sent.toReversed())
      expect(second.text).toContain('Newest messages')
    }
  })

  it('have a page with where they are, the steps, the carrier and the callback, and a text that is opened', async () => {
    const { url } = await receiver(() => 500)
    const { desk, visit, person, audited, send } = await openOn(engine, {
      callbackAllowedCidrs: ['127.0.0.0/8'],
    })
    const ticket = await send({ Content: 'covered words', CallbackUrl: url, Reference: 'r-1' })
    const page = await desk.until('it was posted once', async () => {
      const found = await visit(`/messages/${ticket}`)
      return found.text.includes('out of order') ? found : undefined
    })
    const words = wordsOf(page)
    for (const text of [
      'It was delivered',
      'Handed to the carrier',
      'simulator',
      'charged',
      'the one for everything',
      'r-1',
    ])
      expect(words).toContain(text)
    expect(page.text).not.toContain('covered words')
    const opened = await press(person, page, `/messages/${ticket}/text`)
    expect(opened.text).toContain('covered words')
    const shown = await audited('message.show')
    expect(shown.at(-1)).toEqual(['operator:ada', { ticket, text: true }])
    expect(shown.at(-2)).toEqual(['operator:ada', { ticket, text: false }])
    expect((await visit('/messages/nothing')).status).toBe(404)
    expect(
      (await visit(`/messages/${ticket.replace(/.$/, (last) => (last === '0' ? '1' : '0'))}`)).status,
    ).toBe(404)
  })

  it('that are uncertain are decided one by one, after the money is said, and once', async () => {
    const { desk, visit, person, audited, acme, uncertain } = await openOn(engine, SILENT)
    const [first = '', second = ''] = await uncertain(2)
    const page = await visit(`/messages/${first}`)
    expect(wordsOf(page)).toContain('never said whether it took it')
    const asked = await press(person, page, `${UNCERTAIN}/check`, { as: 'success' })
    expect(wordsOf(asked)).toMatch(/1 message as delivered, which charges GHS 0\.\d+/)
    expect((await desk.gateway.carriers.uncertain(1)).total).toBe(2)
    const tooLong = await press(person, asked, `${UNCERTAIN}/settle`, { reason: 'x'.repeat(501) })
    expect([tooLong.status, wordsOf(tooLong)]).toEqual([
      422,
      expect.stringContaining('Expected 1 to 500 characters'),
    ])
    expect(tooLong.text).toContain(`value="${'x'.repeat(501)}"`)
    expect(await audited('message.settle')).toEqual([])
    const settle = () => press(person, asked, `${UNCERTAIN}/settle`, { reason: 'case 17' })
    expect(wordsOf(await settle())).toContain('It is decided, and its customer is told.')
    expect(wordsOf(await settle())).toContain('It was not uncertain any more')
    const given = await press(person, await visit(`/messages/${second}`), `${UNCERTAIN}/check`, {
      as: 'failed',
    })
    expect(wordsOf(given)).toMatch(/1 message as failed, which releases GHS 0\.\d+/)
    await press(person, given, `${UNCERTAIN}/settle`)
    expect(await audited('message.settle')).toEqual([
      ['operator:ada', { ticket: first, carrier: 'simulator', status: 'success', reason: 'case 17' }],
      ['operator:ada', { ticket: second, carrier: 'simulator', status: 'failed' }],
    ])
    const seen = await call(desk.url, acme, { path: `/v1/messages/${first}` })
    expect(JSON.parse(seen.text)).toMatchObject({ Status: 'success' })
  })

  it('that are uncertain are decided together: those with a mark, and all of a carrier', async () => {
    const { desk, visit, person, uncertain } = await openOn(engine, SILENT)
    const tickets = await uncertain(4)
    const page = await visit(UNCERTAIN)
    expect(page.text.match(/type="checkbox"/g)).toHaveLength(4)
    const none = await press(person, page, `${UNCERTAIN}/check`, { as: 'success' })
    expect([none.status, wordsOf(none)]).toEqual([
      422,
      expect.stringContaining('a mark at one message or more'),
    ])
    const marked = await postAll(desk.deskUrl, person, page, tickets.slice(0, 2))
    expect(wordsOf(marked)).toMatch(/Decide about 2 messages\?.*2 messages as delivered/)
    const [form] = formsOf(marked).filter(({ action }) => action.endsWith('/settle'))
    expect(form?.hidden).toMatchObject({ as: 'success' })
    await settleAll(desk.deskUrl, person, marked)
    expect((await desk.gateway.carriers.uncertain(1)).total).toBe(2)

    const all = buttonOf(await visit(UNCERTAIN), `${UNCERTAIN}/check`, { by: 'carrier' })
    const wrong = await press(person, all, `${UNCERTAIN}/check`, {
      as: 'failed',
      carrier: 'simulator',
      until: 'soon',
    })
    expect([wrong.status, wordsOf(wrong)]).toEqual([422, expect.stringContaining('got “soon”')])
    const asked = await press(person, all, `${UNCERTAIN}/check`, {
      as: 'failed',
      carrier: 'simulator',
      until: '',
    })
    expect(wordsOf(asked)).toMatch(/2 messages as failed, which releases GHS/)
    const done = await press(person, asked, `${UNCERTAIN}/settle`)
    expect(wordsOf(done)).toContain('2 messages were decided.')
    expect(wordsOf(done)).toContain('No message is uncertain.')
    expect(wordsOf(await press(person, asked, `${UNCERTAIN}/settle`))).toContain('0 messages were decided.')
  })

  it('that are uncertain are decided by a carrier’s list, whose mistakes are said by their lines', async () => {
    const { desk, visit, person, uncertain } = await openOn(engine, SILENT)
    const [first, second] = await uncertain(3)
    const uploaded = async (text: string) => upload(desk.deskUrl, person, await visit(UNCERTAIN), text)
    const wrong = await uploaded(`reference,status\n${first},delivered\n${second},perhaps\nx,delivered,1\n`)
    expect(wrong.status).toBe(422)
    expect(wordsOf(wrong)).toContain('Line 3: status: expected one of success')
    expect(wordsOf(wrong)).toContain('Line 4: expected 2 cells')
    expect(wordsOf(await uploaded('ticket,end\n'))).toContain('Line 1: expected the columns reference,status')
    const asked = await uploaded(`Reference;Status\n${first};DELIVRD\n${second};undelivered\nnobody;failed\n`)
    const words = wordsOf(asked)
    expect(words).toMatch(
      /1 message as delivered, which charges GHS .* 1 message as failed, which releases GHS/,
    )
    expect(words).toContain('1 row names no message under way: nobody')
    expect((await desk.gateway.carriers.uncertain(1)).total).toBe(3)
    expect(wordsOf(await press(person, asked, `${UNCERTAIN}/settle`))).toContain('2 messages were decided.')
    expect((await desk.gateway.carriers.uncertain(1)).total).toBe(1)
  })

  it('that are uncertain have the receipts beside them that may be theirs, and one press takes one', async () => {
    const { desk, visit, person, audited, uncertain } = await openOn(engine, SILENT)
    const [ticket = ''] = await uncertain(1)
    const { carriers, database } = desk.gateway
    const [message] = (await carriers.uncertain(1)).messages
    const at = (message?.handedAt ?? 0) + 1
    expect(wordsOf(await visit(UNCERTAIN))).not.toContain('Receipts that may be its')
    for (const [ref, verdict] of [
      ['F1', 'success'],
      ['F2', 'undelivered'],
    ])
      await database.write(({ run }) =>
        run(
          `INSERT INTO carrier_refs (carrier, ref, verdict, at, part, parts, recipient)
           VALUES ('simulator', $1, $2, $3, 0, 1, '233241234567')`,
          [ref ?? '', verdict ?? '', at],
        ),
      )
    const page = await visit(UNCERTAIN)
    expect(wordsOf(page)).toMatch(/Receipts that may be its .*F1 delivered, .*F2 not delivered, /)
    const asked = await press(person, page, `${UNCERTAIN}/check`, { receipt: `${ticket} F2` })
    expect(wordsOf(asked)).toMatch(/1 message as failed, which releases GHS 0\.\d+/)
    expect(wordsOf(await press(person, asked, `${UNCERTAIN}/settle`))).toContain('1 message was decided.')
    expect(await desk.gateway.messages.show(ticket, { text: false })).toMatchObject({
      message: { status: 'undelivered' },
      references: ['F2'],
    })
    const detail = { ticket, carrier: 'simulator', status: 'undelivered', carrierReference: 'F2' }
    expect(await audited('message.settle')).toEqual([['operator:ada', detail]])
    const gone = await press(person, page, `${UNCERTAIN}/check`, { receipt: `${ticket} F1` })
    expect([gone.status, wordsOf(gone)]).toEqual([422, expect.stringContaining('is gone')])
  })

  it('that are uncertain are a file for their carrier, which its answer is read from', async () => {
    const { desk, visit, person, uncertain } = await openOn(engine, SILENT)
    const [ticket = ''] = await uncertain(1)
    const file = `${desk.deskUrl}${UNCERTAIN}/file.csv`
    const { text } = await person.visit(`${file}?carrier=simulator`)
    const time = /"(\d{4}-\S+Z)"/.exec(text)?.[1] ?? ''
    expect(text).toBe(`"reference","to","from","time"\r\n"${ticket}","233241234567","WIGWAG","${time}"\r\n`)
    expect((await person.visit(`${file}?carrier=north`)).text).toBe('"reference","to","from","time"\r\n')
    const list = `to,time,status,message_id\n+233 24 123 4567,${time},DELIVRD,F7\n233241234560,${time},failed,\n`
    const asked = await upload(desk.deskUrl, person, await visit(UNCERTAIN), list)
    expect(wordsOf(asked)).toMatch(
      /1 message as delivered, .* 1 row names no message under way: 233241234560 at 20/,
    )
    await press(person, asked, `${UNCERTAIN}/settle`)
    const shown = await desk.gateway.messages.show(ticket, { text: false })
    expect(shown).toMatchObject({ message: { status: 'success' }, references: ['F7'] })
  })

  it('that wait for too long are listed with why, and what was set aside', async () => {
    const { desk, visit, send } = await openOn(engine)
    await desk.gateway.carriers.pause('simulator')
    await desk.until('it is paused', async () => {
      const [report] = await desk.gateway.carriers.reports()
      return report?.carriers.some(({ paused }) => paused) || undefined
    })
    const ticket = await send()
    expect(wordsOf(await visit('/messages/waiting'))).toContain('No message waits for longer')
    await desk.pass(1)
    const page = await visit('/messages/waiting?before=0s')
    expect(page.text).toContain(`href="/messages/${ticket}"`)
    expect(wordsOf(page)).toContain('Its carrier is paused')
    expect(wordsOf(await visit(`/messages/${ticket}`))).toContain('It waits to be handed to simulator')
    expect((await visit('/messages/waiting?before=soon')).status).toBe(422)
    expect(wordsOf(await visit('/messages/set-aside'))).toContain('Nothing was set aside.')
    await desk.gateway.database.write(({ run }) =>
      run('UPDATE outbox SET faults = 30, run_at = 9999999999999 WHERE id = $1', [ticket]),
    )
    expect(wordsOf(await visit('/messages/set-aside'))).toMatch(/A message, to be handed over .* 30 /)
    expect((await visit('/')).text).toContain('href="/messages/set-aside"')
  })

  it('have their callback posted again, one or all that were given up, and twice is once', async () => {
    let status = 500
    const { url, posted } = await receiver(() => status)
    const { desk, visit, person, audited, send } = await openOn(engine, {
      callbackAllowedCidrs: ['127.0.0.0/8'],
    })
    const ticket = await send({ CallbackUrl: url })
    const path = `/messages/${ticket}`
    const page = await desk.until('it was posted once', async () => {
      const found = await visit(path)
      // A page from before the attempt was stored would ask for what has happened meanwhile.
      return found.text.includes('Post it again') && found.text.includes('out of order') ? found : undefined
    })
    status = 200
    expect(wordsOf(await press(person, page, `${path}/callback`))).toContain(
      'is posted again, within seconds',
    )
    await desk.until('it was taken', async () => (posted() === 2 ? true : undefined))
    await desk.until(
      'and that is stored',
      async () => wordsOf(await visit(path)).includes('attempt 2') || undefined,
    )
    expect(wordsOf(await press(person, page, `${path}/callback`))).toContain('Nothing was changed')
    expect(await audited('callback.replay')).toHaveLength(1)

    const others = [await send({ CallbackUrl: url }), await send({ CallbackUrl: url })]
    await desk.until('they were posted', async () => (posted() === 4 ? true : undefined))
    await desk.until(
      'and that is stored',
      async () =>
        (await Promise.all(others.map((each) => visit(`/messages/${each}`)))).every((found) =>
          wordsOf(found).includes('Callback Delivered'),
        ) || undefined,
    )
    await desk.gateway.database.write(({ run }) =>
      run("UPDATE callbacks SET state = 'dead' WHERE message_id <> $1", [ticket]),
    )
    const list = await visit('/messages/callbacks')
    expect(list.text.match(/<tr>/g)).toHaveLength(3)
    const asked = await visit('/messages/callbacks/replay')
    expect(wordsOf(asked)).toContain('2 of 1 customer')
    const done = await press(person, asked, '/messages/callbacks/replay')
    expect(wordsOf(done)).toContain('2 callbacks are posted again')
    await desk.until('they were posted again', async () => (posted() === 6 ? true : undefined))
    expect(wordsOf(await press(person, asked, '/messages/callbacks/replay'))).toContain(
      '0 callbacks are posted again',
    )
  })

  it('are shown to who looks, who decides nothing', async () => {
    const { desk, uncertain } = await openOn(engine, SILENT)
    const [ticket] = await uncertain(1)
    const { person } = await desk.operator('lou', 'look')
    const visit = (path: string) => person.visit(desk.deskUrl + path)
    for (const path of [UNCERTAIN, `/messages/${ticket}`]) {
      const page = await visit(path)
      expect([page.status, page.text.includes('/check"')], path).toEqual([200, false])
    }
    expect((await visit('/messages/callbacks/replay')).status).toBe(403)
    const opened = await press(person, await visit(`/messages/${ticket}`), `/messages/${ticket}/text`)
    expect(opened.status).toBe(200)
    expect((await createPerson().visit(`${desk.deskUrl}/messages`)).url).toContain('/sign-in?next=')
  })
})

/** Chooses a file for the form that takes a carrier's list. */
async function upload(deskUrl: string, person: ReturnType<typeof createPerson>, page: Page, text: string) {
  const list = buttonOf(page, `${UNCERTAIN}/check`, { by: 'list' })
  const form = formsOf(list).find(({ action }) => action.endsWith('/check'))
  const body = new FormData()
  for (const [name, value] of Object.entries(form?.hidden ?? {})) body.set(name, value)
  body.set('file', new File([text], 'north.csv', { type: 'text/csv' }))
  const encoded = new Response(body)
  const response = await person.send(`${deskUrl}${UNCERTAIN}/check`, {
    method: 'POST',
    body: await encoded.text(),
    headers: {
      origin: new URL(deskUrl).origin,
      'content-type': encoded.headers.get('content-type') ?? '',
    },
  })
  return asPage(response)
}

/** Marks messages on the list, which carry one name. */
async function postAll(
  deskUrl: string,
  person: ReturnType<typeof createPerson>,
  page: Page,
  tickets: readonly string[],
) {
  const form = formsOf(page).find(({ action }) => action.endsWith('/check'))
  const body = new URLSearchParams({ ...form?.hidden, as: 'success' })
  body.delete('by')
  body.delete('ticket')
  for (const ticket of tickets) body.append('ticket', ticket)
  return posted(deskUrl, person, '/messages/uncertain/check', body)
}

async function settleAll(deskUrl: string, person: ReturnType<typeof createPerson>, page: Page) {
  const fields = [...page.text.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)]
  const body = new URLSearchParams(fields.map(([, name = '', value = '']) => [name, value]))
  return posted(deskUrl, person, '/messages/uncertain/settle', body)
}

async function posted(
  deskUrl: string,
  person: ReturnType<typeof createPerson>,
  path: string,
  body: URLSearchParams,
) {
  const response = await person.send(deskUrl + path, {
    method: 'POST',
    body,
    headers: { origin: new URL(deskUrl).origin },
  })
  return asPage(response)
}

async function asPage(response: Response): Promise<Page> {
  const { status, url, headers } = response
  return { status, url, headers, left: undefined, text: await response.text() }
}

it('asks again who it is before anything is decided', async () => {
  const desk = await openDesk(':memory:', SILENT)
  const { person } = await desk.operator('ada')
  const acme = await desk.account('acme', 5_000_000)
  await call(desk.url, acme, { path: SINGLE, body: single() })
  await desk.until(
    'it is uncertain',
    async () => (await desk.gateway.carriers.uncertain(1)).total || undefined,
  )
  await desk.pass(11 * 60_000)
  // A gateway looks after it, now that its time has moved.
  const asked = await desk.until('it can be decided', async () => {
    const page = await person.visit(desk.deskUrl + UNCERTAIN)
    const all = buttonOf(page, `${UNCERTAIN}/check`, { by: 'carrier' })
    if (!all.text.includes('value="carrier"')) return undefined
    const found = await press(person, all, `${UNCERTAIN}/check`, { as: 'failed', carrier: 'simulator' })
    return found.text.includes('/settle"') ? found : undefined
  })
  const proof = await press(person, asked, `${UNCERTAIN}/settle`)
  expect([proof.status, proof.text.includes('Is it you?')]).toEqual([401, true])
  // Not always at once: a gateway that looks after it takes it out of the count for a moment.
  await desk.until(
    'it is uncertain still',
    async () => (await desk.gateway.carriers.uncertain(1)).total === 1 || undefined,
  )
})
