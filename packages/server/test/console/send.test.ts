import { micros } from '@wigwag/contract'
import { describe, expect, it } from 'vitest'
import { Problem } from '../../src/kernel/errors.ts'
import { problemOf } from '../../src/net/server/problems.ts'
import { StoreUnavailable } from '../../src/store/database.ts'
import { LABELS } from '../../src/web/console/send/fields.tsx'
import { refusalOf, refusalWithFigures } from '../../src/web/console/send/refusal.tsx'
import { formsOf, type Page } from '../assistants/oauth/person.ts'
import { type Resident, shareWorld } from '../assistants/oauth/world.ts'
import { keyOf, press, wordsOf } from './forms.ts'
import { comparable } from './reading.ts'

const world = await shareWorld()
const MESSAGE = { From: 'WIGWAG', To: '233241234567', Content: 'Hello' }

interface Stored {
  id: string
  price: number
  content: string
  recipient: string
  reference: string
  callbackUrl: string | null
  status: string
}

function sentBy({ accountId }: Resident): Promise<Stored[]> {
  return world.gateway.database.read(({ run }) =>
    run<Stored>(
      'SELECT id, price, content, recipient, reference, callback_url AS "callbackUrl", status FROM messages WHERE account_id = $1',
      [accountId],
    ),
  )
}

async function open(name?: string) {
  const ama = await world.resident(name)
  const page = await ama.person.visit(`${world.url}/send`)
  const send = (values: Record<string, string> = {}, from: Page = page) =>
    press(ama.person, from, '/send', { ...MESSAGE, ...values })
  return { ama, page, send }
}

describe('the form for one message', () => {
  it('sends it, and leads to the message', async () => {
    const { ama, send } = await open()
    const landed = await send({
      Content: ' two\r\nlines ',
      Reference: ' order-1 ',
      CallbackUrl: 'https://example.com/hook',
    })
    const [message] = await sentBy(ama)
    expect(landed.url).toBe(`${world.url}/messages/${message?.id}`)
    expect(message).toMatchObject({
      content: ' two\nlines ',
      recipient: '233241234567',
      reference: 'order-1',
      callbackUrl: 'https://example.com/hook',
    })
  })

  it('is audited as a write of the person, not of a program', async () => {
    const { ama, send } = await open()
    await send()
    const rows = await world.gateway.database.read(({ run }) =>
      run<{ actor: string; action: string }>(
        `SELECT actor, action FROM audit WHERE account_id = $1 AND action LIKE 'console%'`,
        [ama.accountId],
      ),
    )
    expect(rows).toEqual([{ actor: expect.stringMatching(/^person:/), action: 'console sendSms' }])
  })

  it.each([
    ['GSM-7', 'Hello'],
    ['a letter that takes two places', '€'.repeat(81)],
    ['just below two segments', 'a'.repeat(160)],
    ['just above one segment', 'a'.repeat(161)],
    ['line breaks at the limit', `${'a'.repeat(158)}\n\n`],
    ['UCS-2', 'Maakye Abena! Wo adeɛ no bɛba ɔkyena anɔpa nnɔn nkron. Yɛda wo ase paa.'],
    ['an emoji at a cut', `${'ɛ'.repeat(66)}🎉${'ɛ'.repeat(20)}`],
    ['ten segments', 'a'.repeat(1_530)],
  ])('charges the price that stood on its button: %s', async (_, Content) => {
    const { ama } = await open()
    const numbers = ['233241234567', '233272190300', '2348032774352', '254722312795']
    for (const [sent, To] of numbers.entries()) {
      const page = await ama.person.visit(`${world.url}/send`)
      const priced = await press(ama.person, page, '/send', { ...MESSAGE, To, Content, do: 'price' })
      const [, cost = ''] = /Send for GHS ([\d.]+)/.exec(wordsOf(priced)) ?? []
      expect(await sentBy(ama)).toHaveLength(sent)
      await press(ama.person, priced, '/send', { ...MESSAGE, To, Content })
      const messages = await sentBy(ama)
      const message = messages.find(({ recipient }) => recipient === To)
      expect([Math.round(Number(cost) * 1_000_000), message?.content]).toEqual([message?.price, Content])
    }
  })

  it('sends once however often it is pressed, and the page after it can be loaded again', async () => {
    const { ama, send } = await open()
    const landed = await Promise.all([send(), send(), send()])
    landed.push(await send())
    expect(new Set(landed.map(({ url }) => url)).size).toBe(1)
    await ama.person.visit(landed[0]?.url ?? '')
    expect(await sentBy(ama)).toHaveLength(1)
  })

  it('asks again before it sends something else with the form that went back', async () => {
    const { ama, page, send } = await open()
    await send()
    const asked = await send({ Content: 'Hello again' })
    expect(asked.status).toBe(422)
    expect(wordsOf(asked)).toContain('Not sent: this form was sent before, with something else in it.')
    expect(keyOf(asked)).not.toBe(keyOf(page))
    await send({ Content: 'Hello again' }, asked)
    expect((await sentBy(ama)).map(({ content }) => content).sort()).toEqual(['Hello', 'Hello again'])
  })

  it('does not take a time to send at for another form', async () => {
    const { ama, send } = await open()
    await send()
    const asked = await send({ SendAt: new Date(Date.now() + 3_600_000).toISOString().slice(0, 16) })
    expect(asked.status).toBe(422)
    expect(wordsOf(asked)).toContain('Not sent: this form was sent before, with something else in it.')
    expect(await sentBy(ama)).toHaveLength(1)
  })

  it('says what is wrong with each field, keeps what was typed, and sends nothing', async () => {
    const { ama, send } = await open()
    const wrong = await send({
      To: '23324',
      Content: 'a'.repeat(1_531),
      Reference: 'r'.repeat(129),
      CallbackUrl: 'ftp://<b>',
      SendAt: 'tomorrow',
    })
    expect(wrong.status).toBe(422)
    for (const field of ['To', 'Content', 'Reference', 'CallbackUrl', 'SendAt'] as const) {
      const [, said] =
        new RegExp(`<span class="wrong" id="${field}-error">([^<]+)</span>`).exec(wrong.text) ?? []
      expect(wrong.text).toContain(`<a href="#${field}">${LABELS[field]}</a>: ${said}</li>`)
      expect(wrong.text).toMatch(
        new RegExp(
          `<(?:input|textarea)[^>]* id="${field}" aria-describedby="${field}-error[^"]*" aria-invalid="true"`,
        ),
      )
    }
    expect(wrong.text).toContain('id="To" aria-describedby="To-error To-hint"')
    expect(wrong.text).toContain('role="alert"')
    expect(wrong.text).toContain('value="ftp://&lt;b&gt;"')
    expect(wrong.text).toContain('a'.repeat(1_531))
    expect(wordsOf(wrong)).toContain('Nothing was sent.')
    expect(await sentBy(ama)).toEqual([])
  })

  it('refuses callbacks into the gateway’s own network, as the API does', async () => {
    const { send } = await open()
    const wrong = await send({ CallbackUrl: 'http://169.254.169.254/latest' })
    expect([wrong.status, wordsOf(wrong).includes('Expected a URL that the gateway may call')]).toEqual([
      422,
      true,
    ])
  })

  it('tidies a number as people write it, and shows it so', async () => {
    const { ama, page } = await open()
    const typed = { ...MESSAGE, To: '+233 24 123 4567' }
    const priced = await press(ama.person, page, '/send', { ...typed, do: 'price' })
    expect(priced.text).toContain('value="233241234567"')
    await press(ama.person, priced, '/send', typed)
    expect(await sentBy(ama)).toMatchObject([{ recipient: '233241234567' }])
  })

  it('keeps a message until its time', async () => {
    const { ama, send } = await open()
    const landed = await send({ SendAt: new Date(Date.now() + 7_200_000).toISOString().slice(0, 16) })
    expect(new URL(landed.url).pathname).toBe('/scheduled')
    expect(await sentBy(ama)).toMatchObject([{ status: 'scheduled' }])
    const late = await send({ SendAt: '2020-01-01T00:00', key: 'another' })
    expect([late.status, late.text.includes('id="SendAt-error"')]).toEqual([422, true])
  })

  it('says what it costs and what the balance is when the money is not enough', async () => {
    const { ama, send } = await open()
    await world.gateway.database.write(({ run }) =>
      run('UPDATE wallets SET posted = $1 WHERE account_id = $2', [30_000, ama.accountId]),
    )
    const refused = await send()
    expect(refused.status).toBe(402)
    expect(wordsOf(refused)).toContain('Not sent: it costs GHS 0.042 and the balance is GHS 0.03.')
    expect(await sentBy(ama)).toEqual([])
    await world.gateway.operator.credit(ama.accountId, micros(1_000_000))
    await send({}, refused)
    expect(await sentBy(ama)).toHaveLength(1)
  })

  it('begins with a message of the own wallet, and with no other', async () => {
    const { ama, send } = await open()
    const { url } = await send({ Content: 'Once more <b>', Reference: 'order-7' })
    const ticket = url.split('/').at(-1) ?? ''
    const again = await ama.person.visit(`${world.url}/send?again=${ticket}`)
    expect(again.text).toContain('Once more &lt;b&gt;</textarea>')
    expect(again.text).toContain('value="order-7"')
    expect(wordsOf(again)).toContain('Send for GHS 0.042')
    const { ama: kofi } = await open()
    const unknown = '01a1f89c-3b65-7c3a-9f0e-2b6d5a1c8e4f'
    const pages = await Promise.all(
      [ticket, unknown].map((id) => kofi.person.visit(`${world.url}/send?again=${id}`)),
    )
    const [foreign, never] = pages
    expect([foreign?.status, comparable(foreign?.text ?? '', ticket)]).toEqual([
      404,
      comparable(never?.text ?? '', unknown),
    ])
  })

  it('begins with the number of its address, tidied', async () => {
    const { ama } = await open()
    const { text } = await ama.person.visit(`${world.url}/send?to=${encodeURIComponent('+233 24 123 4567')}`)
    expect(text).toContain('value="233241234567"')
  })

  it('offers approved sender IDs only, and says what the others wait for', async () => {
    const { ama } = await open()
    const set = (name: string, status: 'approved' | 'pending' | 'rejected') =>
      world.gateway.operator.setSender(ama.accountId, name, status)
    await set('LATER', 'pending')
    await set('NEVER', 'rejected')
    const visit = () => ama.person.visit(`${world.url}/send`)
    const { text } = await visit()
    expect(text).toContain('<option disabled value="LATER">LATER (waits for approval)</option>')
    expect(text).toContain('<option disabled value="NEVER">NEVER (was not approved)</option>')
    await set('WIGWAG', 'pending')
    const none = await visit()
    expect(formsOf(none).map(({ action }) => new URL(action).pathname)).not.toContain('/send')
    expect(none.text).toContain('href="/sender-ids"')
  })

  it('refuses a sender ID that was made up', async () => {
    const { ama, send } = await open()
    const refused = await send({ From: 'BANK' })
    expect([refused.status, refused.text.includes('id="From-error"')]).toEqual([422, true])
    expect(await sentBy(ama)).toEqual([])
  })

  it('leads to the sign-in when the session is over, and sends nothing', async () => {
    const { ama, send } = await open()
    ama.person.cookies.delete('wigwag_portal')
    const landed = await send()
    expect(landed.url).toContain('/sign-in?next=')
    expect(await sentBy(ama)).toEqual([])
  })
})

describe('the price while a message is written', () => {
  async function ask(values: Record<string, string>) {
    const { ama, page } = await open()
    const [ticket] = formsOf(page).flatMap(({ hidden }) => hidden.form_ticket ?? [])
    const response = await ama.person.send(`${world.url}/send/estimate`, {
      method: 'POST',
      headers: { origin: world.url },
      body: new URLSearchParams({ ...MESSAGE, form_ticket: ticket ?? '', key: 'k1', ...values }),
    })
    const answer: { price?: object; place: string; samples: { curl: string } } = JSON.parse(
      await response.text(),
    )
    return { answer, response }
  }

  it('is the one of the function that charges, with what is left and the same as a program', async () => {
    const { answer, response } = await ask({ Content: 'ɛ'.repeat(71) })
    expect(answer).toMatchObject({
      price: { cost: 'GHS 0.084', left: 'Leaves GHS 99.916', segments: '2 segments' },
      place: 'MTN, Ghana, GHS 0.042 a segment',
    })
    expect(answer.samples.curl).toContain('ɛɛɛ')
    expect(answer.samples.curl).toContain('Idempotency-Key: k1')
    expect(response.headers.get('cache-control')).toBe('no-store')
  })

  it('says what is wrong with the number, and asks for one while there is none', async () => {
    expect((await ask({ To: '23324' })).answer).toMatchObject({
      place: 'Expected 7 to 15 digits beginning with a country code; got "23324".',
    })
    expect((await ask({ To: '' })).answer.place).toBe('With the country code, such as 233241234567.')
  })

  it('is told only to our own pages', async () => {
    const { ama } = await open()
    const response = await ama.person.send(`${world.url}/send/estimate`, {
      method: 'POST',
      body: new URLSearchParams(MESSAGE),
    })
    expect(response.status).toBe(403)
  })
})

describe('a failure while sending', () => {
  const failures = { problemOf, onFault: () => 'an id' }

  it('is said to be unknown only when it is', () => {
    expect(refusalOf(new Problem('outcome_unknown', 'gone'), failures)).toMatchObject({
      status: 503,
      what: 'It is not known whether it was sent.',
      advice: 'Press the button again to find out. However often you press it, this form sends once.',
    })
    expect(refusalOf(new StoreUnavailable('gone'), failures)).toMatchObject({
      status: 503,
      what: 'Nothing was sent.',
    })
  })

  it('says that the money does not suffice, even while the figures can’t be read', async () => {
    const poor = new Problem('insufficient_funds', 'It costs 0.042 and 0.01 is available.')
    const figures = () => Promise.reject(new StoreUnavailable('gone'))
    expect(await refusalWithFigures(poor, failures, { figures, advice: 'Add money.' })).toMatchObject({
      what: 'Nothing was sent.',
      advice: 'It costs 0.042 and 0.01 is available.',
    })
  })
})
