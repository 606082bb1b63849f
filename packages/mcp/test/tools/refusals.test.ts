import { problemCodes } from '@wigwag/contract/operations'
import { createFileJournal, parseAmount } from '@wigwag/mcp'
import { describe, expect, it } from 'vitest'
import { closed, no, openAsking } from '../confirm/asking.ts'
import { type ConnectorOptions, openConnector } from '../fixtures/connector.ts'
import { MESSAGE } from '../fixtures/message.ts'

const LATER = { ...MESSAGE, send_at: '2026-01-06T09:00:00Z' }
const CALLS = [
  ['get_balance', {}],
  ['send_sms', MESSAGE],
  ['schedule_sms', LATER],
  ['cancel_scheduled', { ticket: 'some' }],
] as const

const STATUSES = [400, 401, 402, 403, 404, 409, 422, 429, 500, 503]

/** The end of a refusal: the next step for the model or its person. */
const TODO = /; (ask|call|check|correct|do not|do without|follow|shorten|try|use|wait) [^;]+$/

/** One sentence that ends with what to do, and does not say anything twice. Lines of arguments may follow. */
function expectRefusal(text = '', about = text): void {
  const [sentence = '', ...lines] = text.split(/(?<=call again):\n/)
  expect(sentence, about).toMatch(/^\p{Lu}/u)
  expect(text, about).toMatch(lines.length === 0 ? /[^.]\.$/ : /\n- \w+: \S/)
  expect(sentence, about).toMatch(TODO)
  expect(sentence, about).not.toMatch(/\. \p{Lu}/u)
  const words = sentence.toLowerCase().match(/[\w.']+/g) ?? []
  const threes = words.slice(2).map((_, index) => words.slice(index, index + 3).join(' '))
  const twice = threes.filter(
    (three, index) => threes.indexOf(three) < index && !three.startsWith('the message'),
  )
  expect(twice, about).toEqual([])
}

describe('a refusal is one sentence that ends with what to do', () => {
  const first = { ...MESSAGE, content: 'First' }
  const past = { ...MESSAGE, send_at: '2020-01-01T00:00:00Z' }
  const cases: [what: string, options: ConnectorOptions, ...calls: [tool: string, args: object][]][] = [
    ['a connection that may only read', { canSend: false }, ['send_sms', MESSAGE]],
    ['a person who can not be asked', { unasked: 'refuse' }, ['send_sms', MESSAGE]],
    ['arguments that do not fit', {}, ['send_sms', { to: '+233' }]],
    ['a filter that does not fit', {}, ['search_messages', { limit: 0 }]],
    ['a recipient', { limits: { recipients: ['44*'] } }, ['send_sms', MESSAGE]],
    ['nobody to send to', { limits: { recipients: [] } }, ['send_sms', MESSAGE]],
    ['max_cost', {}, ['send_sms', { ...MESSAGE, max_cost: 0.01 }]],
    ['the daily spend', { limits: { dailySpend: parseAmount('0.01') } }, ['send_sms', MESSAGE]],
    ['the messages of a day', { limits: { dailyMessages: 1 } }, ['send_sms', first], ['send_sms', MESSAGE]],
    ['the same message again', {}, ['send_sms', MESSAGE], ['send_sms', MESSAGE]],
    [
      'a key of another message',
      {},
      ['send_sms', { ...first, idempotency_key: 'k' }],
      ['send_sms', { ...MESSAGE, idempotency_key: 'k' }],
    ],
    [
      'a journal that can not be written',
      { journal: createFileJournal({ path: '/dev/null/j' }) },
      ['send_sms', MESSAGE],
    ],
    ['a sender', {}, ['send_sms', { ...MESSAGE, from: 'ACME' }]],
    ['a time that is past', {}, ['schedule_sms', past]],
    ['a text that is too long', {}, ['send_sms', { ...MESSAGE, content: 'x'.repeat(1_600) }]],
    ['a country without a rate', {}, ['send_sms', { ...MESSAGE, to: '3545551234' }]],
    ['the money', { balance: 0.01 }, ['send_sms', MESSAGE]],
    ['a message that is not there', {}, ['get_message_status', { id: 'some' }]],
    ['a message that is not there to cancel', {}, ['cancel_scheduled', { ticket: 'some' }]],
  ]

  it.each(cases)('when it is %s', async (_, options, ...calls) => {
    const { call } = await openConnector(options)
    const texts: string[] = []
    for (const [tool, args] of calls) texts.push((await call(tool, { ...args })).text)
    expectRefusal(texts.at(-1))
  })

  it('when a message can not be cancelled', async () => {
    const { call } = await openConnector()
    const { data } = await call('send_sms', MESSAGE)
    expectRefusal((await call('cancel_scheduled', { ticket: data.ticket })).text)
  })

  it.each([
    ['says no', no],
    ['closes the question', closed],
  ])('when the person %s', async (_, answer) => {
    const { ask } = await openAsking()
    expectRefusal((await ask('send_sms', MESSAGE, answer(await ask('send_sms', MESSAGE)))).text)
  })

  it.each(CALLS)('of %s, whatever the gateway answers', async (tool, args) => {
    let answer = (): Response => new Response()
    const { call } = await openConnector({ before: async () => answer() })
    const expectAnswered = async (about: string) => {
      // The same message again would be refused before the gateway is asked.
      const own = 'content' in args ? { ...args, content: about } : args
      expectRefusal((await call(tool, own)).text, about)
    }
    const problems = [
      ...STATUSES.map((status) => ({ code: 'of_the_future', status })),
      ...problemCodes.flatMap((code, at) =>
        // Each code comes with one of the first half and one of the second.
        [at, at + STATUSES.length / 2].map((place) => ({
          code,
          status: STATUSES[place % STATUSES.length] ?? 0,
        })),
      ),
    ]
    for (const { code, status } of problems) {
      const detail = 'Something is not as it has to be. Expected this, got that.'
      answer = () => Response.json({ code, detail, requestId: 'r-1' }, { status })
      await expectAnswered(`${code} ${status}`)
    }
    for (const status of [404, 405, 418, 501, 502]) {
      answer = () => new Response('<html>A proxy. Try later.</html>', { status })
      await expectAnswered(`a page with ${status}`)
    }
    answer = () => Response.json({})
    await expectAnswered('an answer that is not documented')
    answer = () => {
      throw new TypeError('fetch failed')
    }
    await expectAnswered('no answer')
  })
})
