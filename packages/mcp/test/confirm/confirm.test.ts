import { createAsking, createGate, parseAmount } from '@wigwag/mcp'
import { describe, expect, it } from 'vitest'
import { MESSAGE } from '../fixtures/message.ts'
import { closed, no, openAsking, unticked, yes } from './asking.ts'

const SEND = 'POST /v1/messages/sms'
const A_MINUTE = 60_000
const LATER = { ...MESSAGE, send_at: '2026-01-06T09:00:00Z' }
const sends = (requests: readonly string[]) => requests.filter((request) => request === SEND)

describe('before it sends, an assistant that can ask its person', () => {
  it('shows what goes to whom, in how many segments, for how much and what is left', async () => {
    const limits = { dailySpend: parseAmount('5'), dailyMessages: 20 }
    const { ask, requests } = await openAsking({ limits })
    const { question } = await ask('send_sms', { ...MESSAGE, content: `${'ö'.repeat(70)}✓` })
    expect(question?.message.split('\n')).toEqual([
      'Send this SMS now?',
      '',
      'To: 233241234567 (MTN, GH)',
      'From: WIGWAG',
      'Price: 0.084 GHS for 2 segments',
      "Left of today's limits before it: 5 GHS and 20 messages",
      'Text:',
      `> ${'ö'.repeat(70)}✓`,
    ])
    expect(question?.requestedSchema).toEqual({
      type: 'object',
      properties: { confirm: { type: 'boolean', title: 'Send it' } },
      required: ['confirm'],
    })
    expect(sends(requests)).toEqual([])
  })

  it('sends once after a yes, however often the same yes comes', async () => {
    const { ask, requests, sandbox, audit } = await openAsking()
    const asked = await ask('send_sms', MESSAGE)
    const sent = await ask('send_sms', MESSAGE, yes(asked))
    expect(sent).toMatchObject({ isError: false, data: { status: 'pending', to: MESSAGE.to, asked: true } })
    expect(sent.text).toContain('Your program answered the question before it with yes.')
    const again = await Promise.all([1, 2, 3].map(() => ask('send_sms', MESSAGE, yes(asked))))
    expect(again.map(({ data }) => data?.ticket)).toEqual(Array(3).fill(sent.data?.ticket))
    expect((await sandbox.client.searchMessages().page()).Items).toHaveLength(1)
    expect(sends(requests)).toHaveLength(4)
    expect(audit[0]).toMatchObject({ outcome: 'done', program: 'accept', person: 'not known' })
  })

  it('sends once when the person was asked twice about the same message, and said yes twice', async () => {
    const { ask, sandbox } = await openAsking()
    const [first, second] = [await ask('send_sms', MESSAGE), await ask('send_sms', MESSAGE)]
    const { data } = await ask('send_sms', MESSAGE, yes(first))
    expect(await ask('send_sms', MESSAGE, yes(second))).toMatchObject({
      isError: true,
      text: expect.stringContaining(`its ticket is ${data?.ticket}`),
    })
    expect((await sandbox.client.searchMessages().page()).Items).toHaveLength(1)
  })

  it('is asked about a repeat with the same key, though its time has come and its price was the last money', async () => {
    const { ask, sandbox } = await openAsking({ balance: 0.042, limits: { dailyMessages: 1 } })
    const send_at = new Date(sandbox.clock.now().getTime() + 60 * A_MINUTE).toISOString()
    const keyed = { ...MESSAGE, send_at, idempotency_key: 'mine' }
    const { data } = await ask('schedule_sms', keyed, yes(await ask('schedule_sms', keyed)))
    await sandbox.clock.advance(61 * A_MINUTE)
    const again = await ask('schedule_sms', keyed, yes(await ask('schedule_sms', keyed)))
    expect(again.data?.ticket).toBe(data?.ticket)
  })

  it('uses the key of the assistant, if it chose one', async () => {
    const { ask, sandbox } = await openAsking()
    const keyed = { ...MESSAGE, idempotency_key: 'mine' }
    for (const _ of [1, 2]) await ask('send_sms', keyed, yes(await ask('send_sms', keyed)))
    expect((await sandbox.client.searchMessages().page()).Items).toHaveLength(1)
  })

  it.each([
    ['declines', no, 'decline', 'with no, which may have come from the person or not'],
    ['sends the form without a tick', unticked, 'decline', 'with no, which may have come from the person'],
    ['closes the question', closed, 'cancel', 'closed the question about it without an answer'],
  ])(
    'sends nothing when its program %s, and says nothing of the person',
    async (_, answer, program, text) => {
      const { ask, requests, audit } = await openAsking()
      const asked = await ask('send_sms', MESSAGE)
      const reply = await ask('send_sms', MESSAGE, answer(asked))
      expect(reply).toMatchObject({ isError: true, text: expect.stringContaining(text) })
      expect(sends(requests)).toEqual([])
      expect(reply.text).toMatch(/^Nothing was sent: /)
      expect(audit).toMatchObject([{ tool: 'send_sms', outcome: 'refused', program, person: 'not known' }])
    },
  )

  it('asks before it schedules and before it cancels', async () => {
    const { ask, sandbox } = await openAsking()
    const planned = await ask('schedule_sms', LATER)
    expect(planned.question?.message).toContain('Schedule this SMS for 2026-01-06T09:00:00Z?')
    const { data } = await ask('schedule_sms', LATER, yes(planned))
    const args = { ticket: data?.ticket }
    const asked = await ask('cancel_scheduled', args)
    expect(asked.question?.message).toMatch(/^Cancel this scheduled SMS\?\n\nTo: 233241234567\n.*> Hello$/s)
    expect(await ask('cancel_scheduled', args, no(asked))).toMatchObject({ isError: true })
    expect(await sandbox.client.getMessage(`${data?.ticket}`)).toMatchObject({ Status: 'scheduled' })
    expect(await ask('cancel_scheduled', args, yes(asked))).toMatchObject({ data: { status: 'cancelled' } })
    // There is nothing left to decide.
    expect(await ask('cancel_scheduled', args)).toMatchObject({ data: { status: 'cancelled' } })
  })

  it('never asks before it reads', async () => {
    const { ask } = await openAsking()
    expect(await ask('get_balance', {})).toMatchObject({ isError: false })
  })
})

describe('a yes', () => {
  it('covers no other message: the person is asked about that one', async () => {
    const { ask, requests } = await openAsking()
    const asked = await ask('send_sms', MESSAGE)
    for (const change of [{ content: 'Other' }, { to: '233201234567' }, { max_cost: 5 }]) {
      const other = await ask('send_sms', { ...MESSAGE, ...change }, yes(asked))
      expect(other.question, JSON.stringify(change)).toBeDefined()
    }
    expect((await ask('schedule_sms', LATER, yes(asked))).question).toBeDefined()
    expect(sends(requests)).toEqual([])
  })

  it('ends after ten minutes', async () => {
    const { ask, sandbox, requests } = await openAsking()
    const asked = await ask('send_sms', MESSAGE)
    await sandbox.clock.advance(10 * A_MINUTE)
    expect((await ask('send_sms', MESSAGE, yes(asked))).question).toBeDefined()
    expect(sends(requests)).toEqual([])
  })

  it('covers no higher price', async () => {
    let price = 0.05
    const { ask, requests } = await openAsking({
      before: async (request, gateway) => {
        const answer = await gateway(request)
        if (!request.url.endsWith('/estimate')) return answer
        return Response.json({ ...(await answer.json()), Cost: price })
      },
    })
    const asked = await ask('send_sms', MESSAGE)
    price = 0.06
    const refused = await ask('send_sms', MESSAGE, yes(asked))
    expect(refused.text).toContain('now costs 0.06, and the person agreed to 0.05')
    expect(sends(requests)).toEqual([])
    price = 0.04
    expect(await ask('send_sms', MESSAGE, yes(asked))).toMatchObject({ isError: false })
  })

  it('is worth nothing to another connection, or when it was changed', async () => {
    const { ask, askAs, audit, identity, requests } = await openAsking()
    const asked = await ask('send_sms', MESSAGE)
    const asking = createAsking({ connection: 'other', key: 'secret', now: () => 0 })
    const other = { ...identity, connection: 'other', gate: createGate({ connection: 'other' }), asking }
    expect(await askAs({ identity: other }, 'send_sms', MESSAGE, yes(asked))).toEqual({ code: -32_602 })
    const { state = '' } = asked
    const [body = ''] = state.split('.')
    const read = JSON.parse(Buffer.from(body, 'base64url').toString())
    const forged = Buffer.from(JSON.stringify({ ...read, cost: 9_000_000 })).toString('base64url')
    const longer = ['x', '=', '.', `.${state}`].map((more) => state + more)
    for (const wrong of ['', '.', body, state.replace(body, forged), ...longer]) {
      const reply = await ask('send_sms', MESSAGE, yes({ state: wrong }))
      expect(reply, wrong).toEqual({ code: -32_602 })
    }
    expect(sends(requests)).toEqual([])
    expect(audit.map(({ outcome }) => outcome)).toEqual(Array(8).fill('refused'))
  })

  it('is held by the limits all the same', async () => {
    const { ask, call } = await openAsking({ limits: { dailyMessages: 1 } })
    const asked = await ask('send_sms', MESSAGE)
    // The client of an earlier revision can't be asked, and sends within the limits.
    await call('send_sms', { ...MESSAGE, content: 'Other' })
    expect(await ask('send_sms', MESSAGE, yes(asked))).toMatchObject({
      isError: true,
      text: expect.stringContaining('1 message a day'),
    })
  })
})

describe('nobody is asked', () => {
  it.each([
    ['the recipient', { recipients: ['44*'] }, {}, 'may send to 44*'],
    ['the number of messages', { dailyMessages: 0 }, {}, '0 messages a day'],
    ['the daily spend', { dailySpend: parseAmount('0.01') }, {}, '0.01 is left'],
    ['the most that it may cost', {}, { max_cost: 0.01 }, 'more than the max_cost'],
    ['the sender', {}, { from: 'ACME' }, 'approved sender IDs: WIGWAG'],
  ])('about a send that %s forbids', async (_, limits, change, text) => {
    const { ask, audit } = await openAsking({ limits })
    const reply = await ask('send_sms', { ...MESSAGE, ...change })
    expect(reply).toMatchObject({ isError: true, text: expect.stringContaining(text) })
    expect(audit).toMatchObject([{ tool: 'send_sms', outcome: 'refused', person: 'not asked', ticket: null }])
  })

  it.each([
    ['is past', '2020-01-01T00:00:00Z'],
    ['is more than 90 days ahead', '2030-01-01T00:00:00Z'],
  ])('about a time that %s', async (_, send_at) => {
    const { ask, audit } = await openAsking()
    const reply = await ask('schedule_sms', { ...MESSAGE, send_at })
    expect(reply).toMatchObject({
      isError: true,
      text: expect.stringMatching(
        /^Nothing was sent: the arguments do not fit schedule_sms; correct these and call again:\n- send_at: \S/,
      ),
    })
    expect(audit).toMatchObject([{ tool: 'schedule_sms', outcome: 'refused', person: 'not asked' }])
  })

  it('about a message that the wallet can not pay, unless its balance is not known', async () => {
    const { ask } = await openAsking({ balance: 0.01 })
    expect((await ask('send_sms', MESSAGE)).text).toBe(
      'Nothing was sent: the message costs 0.042 GHS and the wallet can spend 0.01 GHS; ' +
        'ask the person to have the wallet topped up.',
    )
    const silent = await openAsking({
      balance: 0.01,
      before: async (request, gateway) =>
        request.url.endsWith('/balance') ? new Response('no', { status: 500 }) : gateway(request),
    })
    expect((await silent.ask('send_sms', MESSAGE)).question).toBeDefined()
  })

  it.each([
    ['the recipient', { Recipient: false }, 'may not send to 233241234567'],
    ['the number of messages', { Messages: 0 }, 'has sent all the messages that it may send today'],
    ['the daily spend', { Spend: 0.01 }, 'may spend 0.01 GHS more today'],
  ])('about a send that %s forbids, where the gateway keeps the limits', async (_, change, text) => {
    const { ask } = await openAsking({
      before: async (request, gateway) => {
        const answer = await gateway(request)
        if (!request.url.endsWith('/estimate')) return answer
        const Allowance = { Spend: 5, Messages: 20, Recipient: true, ...change }
        return Response.json({ ...(await answer.json()), Allowance })
      },
    })
    const reply = await ask('send_sms', MESSAGE)
    expect(reply).toMatchObject({ isError: true, text: expect.stringContaining(text) })
  })

  it('about the same message again within two minutes, unless it is meant', async () => {
    const { ask, sandbox } = await openAsking()
    const { data } = await ask('send_sms', MESSAGE, yes(await ask('send_sms', MESSAGE)))
    expect((await ask('send_sms', MESSAGE)).text).toContain(`its ticket is ${data?.ticket}`)
    expect((await ask('send_sms', { ...MESSAGE, idempotency_key: 'meant' })).question).toBeDefined()
    await sandbox.clock.advance(2 * A_MINUTE)
    expect((await ask('send_sms', MESSAGE)).question).toBeDefined()
  })
})

describe('a client that can not ask', () => {
  it.each([
    ['has no forms', {}],
    ['only opens addresses', { elicitation: { url: {} } }],
  ])('because it %s, follows the setting', async (_, capabilities) => {
    const sending = await openAsking()
    expect(await sending.askAs({ capabilities }, 'send_sms', MESSAGE)).toMatchObject({ isError: false })
    const refusing = await openAsking({ unasked: 'refuse' })
    for (const [tool, args] of [
      ['send_sms', MESSAGE],
      ['schedule_sms', LATER],
      ['cancel_scheduled', { ticket: 'some' }],
    ] as const) {
      const reply = await refusing.askAs({ capabilities }, tool, args)
      expect(reply.text, tool).toContain('acts only after the person has said yes')
    }
    expect(refusing.requests).toEqual([])
    expect(refusing.audit).toHaveLength(3)
    expect(refusing.audit[0]).toMatchObject({ outcome: 'refused', person: 'not asked' })
  })

  it('because it is of an earlier revision over HTTP, follows it too, and can read', async () => {
    const { call, requests } = await openAsking({ unasked: 'refuse' })
    expect((await call('send_sms', MESSAGE)).text).toContain('acts only after the person has said yes')
    expect(sends(requests)).toEqual([])
    expect(await call('get_balance')).toMatchObject({ isError: false })
  })
})

it('an assistant that says that it was told yes, without being asked, has not', async () => {
  const { ask } = await openAsking()
  const answer = {
    requestState: '',
    inputResponses: { confirm: { action: 'accept', content: { confirm: true } } },
  }
  const { requestState, ...without } = answer
  expect((await ask('send_sms', MESSAGE, { requestState: '', ...without })).code).toBe(-32_602)
})

it('text of others can not look like a line of the question', async () => {
  const { ask } = await openAsking()
  const content = 'Hi\nPrice: 0 GHS\r\nTo: me\u202e\u0007'
  const { question } = await ask('send_sms', { ...MESSAGE, content })
  const [, text = ''] = question?.message.split('Text:\n') ?? []
  expect(text.split('\n')).toEqual(['> Hi', '> Price: 0 GHS', '> To: me\\u{202e}\\u{7}'])
})

it('a gateway that tells no prices is asked about without one', async () => {
  const { ask, sandbox } = await openAsking({
    before: async (request, gateway) =>
      request.url.endsWith('/estimate') ? new Response('Not found', { status: 404 }) : gateway(request),
  })
  const asked = await ask('send_sms', MESSAGE)
  expect(asked.question?.message).toContain('Price: not known, this gateway tells none')
  expect(await ask('send_sms', MESSAGE, yes(asked))).toMatchObject({ isError: false })
  expect((await sandbox.client.searchMessages().page()).Items).toHaveLength(1)
})
