import { micros } from '@wigwag/contract'
import { describe, expect, it, onTestFinished } from 'vitest'
import { epochMs, type Ticket } from '../../../src/kernel/ids.ts'
import { systemClock } from '../../../src/kernel/process/clock.ts'
import type { OutboundResult } from '../../../src/net/outbound/port.ts'
import {
  openWorld,
  type Resident,
  shareWorld,
  type World,
  type WorldOptions,
} from '../../assistants/oauth/world.ts'
import { aPlace, ENGINES } from '../../support/bench.ts'
import { eventually } from '../../support/eventually.ts'
import { BULK, bulk, call, SINGLE, single } from '../../support/front.ts'
import { hurried } from './hurried.ts'
import { type ListenOptions, listenTo } from './listening.ts'

/** A phone of the simulator that never answers by itself. */
const UNTOLD = '233241200005'
const ACCEPTED: OutboundResult = {
  kind: 'reply',
  status: 200,
  headers: {},
  body: new Uint8Array(),
  truncated: false,
  latencyMs: 1,
}

const shared = await shareWorld({ live: hurried() })

/** Somebody new, in a world that others are in too unless it is to be a special one. */
async function open(options?: WorldOptions) {
  const world = options === undefined ? shared : await openWorld({ live: hurried(), ...options })
  const ama = await world.resident()
  return { ...world, ama, ...does(world, ama) }
}

/** A world whose time goes by as that of the machine, and further when the test says so. */
async function openAhead() {
  let ahead = 0
  const clock = { ...systemClock, now: () => epochMs(systemClock.now() + ahead) }
  const pass = (ms: number) => {
    ahead += ms
  }
  return { ...(await open({ clock })), pass }
}

/** Actions of a person and their program. */
function does({ url }: World, resident: Resident) {
  return {
    async send(to = '233241234567', more: object = {}): Promise<Ticket> {
      const { text } = await call(url, resident, { path: SINGLE, body: { ...single(to), ...more } })
      return JSON.parse(text).Ticket
    },
    sendMany: (count: number) =>
      call(url, resident, {
        path: BULK,
        body: bulk(Array.from({ length: count }, (_, i) => `23324${1_000_000 + i}`)),
      }),
    async listen(options?: ListenOptions) {
      const listening = await listenTo(url, resident.person, options)
      onTestFinished(() => listening.close())
      // The balance is the last of what a stream says when it opens.
      if (listening.status === 200) await listening.heard('purse')
      return listening
    },
  }
}

describe.each(ENGINES)('a stream on %s', (engine) => {
  it('tells of a message, of each step of it and of its callback, and of the balance', async () => {
    const database = await aPlace(engine)
    const { gateway, send, listen } = await open({ database, outbound: async () => ACCEPTED })
    const stream = await listen()
    const ticket = await send(UNTOLD, { CallbackUrl: 'http://127.0.0.1:1/hook' })
    await stream.heard('row')
    expect(stream.all('row')[0]).toMatch(new RegExp(`id="m-${ticket}".*Pending.*not yet`))
    await gateway.tell(ticket, 'success')
    await eventually('all is told', () =>
      / class="word">Delivered.* class="word">Delivered/.test(stream.all('row-changed').at(-1) ?? ''),
    )
    expect(stream.count('row')).toBe(1)
    expect(stream.all('purse')).toEqual(['GHS 100.00', 'GHS 99.958'])
  })
})

describe('a stream hears of', () => {
  it('the end of a message', async () => {
    const { gateway, send, listen } = await open()
    const stream = await listen()
    const ticket = await send(UNTOLD)
    await stream.heard('row')
    await gateway.tell(ticket, 'expired')
    await stream.heard('row-changed')
    expect(stream.all('row-changed')[0]).toContain('>Expired<')
  })

  it('an attempt to post a callback', async () => {
    const answering = Promise.withResolvers<OutboundResult>()
    const { gateway, send, listen } = await open({ outbound: () => answering.promise })
    const stream = await listen()
    const ticket = await send(UNTOLD, { CallbackUrl: 'http://127.0.0.1:1/hook' })
    await stream.heard('row')
    await gateway.tell(ticket, 'success')
    await stream.heard('row-changed')
    expect(stream.all('row-changed')[0]).toContain('>Retrying<')
    answering.resolve(ACCEPTED)
    await stream.heard('row-changed', 2)
    expect(stream.all('row-changed')[1]).not.toContain('>Retrying<')
  })

  it('a message that is scheduled, and cancelled', async () => {
    const { url, ama, listen } = await open()
    const stream = await listen()
    const SendAt = new Date(Date.now() + 3_600_000).toISOString()
    const { text } = await call(url, ama, {
      path: '/v1/messages/sms/scheduled',
      body: { ...single(), SendAt },
    })
    await stream.heard('row')
    expect(stream.all('row')[0]).toContain('>Scheduled<')
    await call(url, ama, { path: `/v1/messages/sms/scheduled/${JSON.parse(text).Ticket}`, method: 'DELETE' })
    await stream.heard('row-changed')
    expect(stream.all('row-changed')[0]).toContain('>Cancelled<')
  })

  it('money that an operator adds', async () => {
    const { gateway, ama, listen } = await open()
    const stream = await listen()
    await gateway.operator.credit(ama.accountId, micros(1_500_000))
    await stream.heard('purse', 2)
    expect(stream.all('purse')[1]).toBe('GHS 101.50')
  })
})

describe('a stream', () => {
  it('is not stored, buffered or compressed on its way', async () => {
    const { listen } = await open()
    const { headers } = await listen()
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    })
    expect(headers.get('content-encoding')).toBeNull()
  })

  it('tells only what its filter matches in its own wallet', async () => {
    const world = await open()
    const kofi = await world.resident()
    const [own, foreign] = [await world.listen(), await does(world, kofi).listen()]
    const ticket = await world.send()
    await own.heard('row')
    await does(world, kofi).send('233209999999')
    await foreign.heard('row')
    // A foreign row would have come before the next row of its own.
    await world.send()
    await own.heard('row', 2)
    expect(own.all('row').join()).toContain(ticket)
    expect(own.all('row').join()).not.toContain('9999')
    expect(foreign.events.map(({ data }) => data).join()).not.toContain(ticket)
  })

  it('does not tell of messages of others that a page asks for', async () => {
    const world = await open()
    const ticket = await world.send()
    const kofi = await world.resident()
    const foreign = await does(world, kofi).listen({ open: [ticket] })
    expect(foreign.events.map(({ name }) => name)).toEqual(['purse'])
  })

  it('begins with what the page missed since it was made', async () => {
    const { send, listen } = await open()
    const first = await send(UNTOLD)
    const second = await send(UNTOLD)
    const third = await send(UNTOLD)
    const { events } = await listen({ last: first })
    expect(events.map(({ name, id }) => [name, id])).toEqual([
      ['row', second],
      ['row', third],
      ['purse', undefined],
    ])
  })

  it('goes on to say how a message that a page missed ends', async () => {
    const { send, listen, gateway } = await open()
    const first = await send()
    const missed = await send(UNTOLD)
    const stream = await listen({ last: first })
    expect(stream.all('row')[0]).toContain('Pending')
    await gateway.tell(missed, 'success')
    await stream.heard('row-changed')
    expect(stream.all('row-changed')[0]).toContain('Delivered')
  })

  it('begins a list of a status with older messages that have come into it', async () => {
    const { send, listen, gateway, pass } = await openAhead()
    const older = await send(UNTOLD)
    pass(1_100)
    const newest = await send('233241200001')
    await eventually(
      'it ends',
      async () => (await listen({ q: 'status:undelivered', last: '0' })).count('row') === 1,
    )
    await gateway.tell(older, 'undelivered')
    const { all } = await listen({ q: 'status:undelivered', last: newest })
    expect(all('row').some((row) => row.includes(older))).toBe(true)
  })

  it('has texts with any kind of line break in one piece', async () => {
    const { send, listen } = await open()
    const stream = await listen()
    await send('233241234567', { Content: 'one\u2028two' })
    await stream.heard('row')
    expect(stream.all('row')[0]).toContain('two')
  })

  it('tells a page without messages of the first one', async () => {
    const { send, listen } = await open()
    const ticket = await send()
    const { all } = await listen({ last: '0' })
    expect(all('row')).toHaveLength(1)
    expect(all('row')[0]).toContain(ticket)
  })

  it('tells a page how messages are by now that it shows as pending', async () => {
    const { send, listen, gateway, pass } = await openAhead()
    const before = await send(UNTOLD)
    pass(1_100)
    const last = await send(UNTOLD)
    await gateway.tell(before, 'undelivered')
    const { all } = await listen({ last, open: [before] })
    expect(all('row-changed')).toHaveLength(1)
    expect(all('row-changed')[0]).toContain(before)
  })

  it('tells the number instead of the rows of many messages', async () => {
    const { send, sendMany, listen } = await open()
    const first = await send()
    const stream = await listen()
    await sendMany(51)
    await stream.heard('many')
    expect(stream.all('many')).toEqual(['51'])
    await sendMany(600)
    await stream.heard('many', 2)
    expect(stream.all('many')).toEqual(['51', '501'])
    expect(stream.count('row')).toBe(0)
    const later = await listen({ last: first })
    expect(later.all('many')).toEqual(['501'])
    expect(later.count('row')).toBe(0)
  })

  it('keeps lines of a text apart from those of the stream', async () => {
    const { send, listen } = await open()
    const stream = await listen()
    await send('233241234567', { Content: 'one\n\nevent: end\r\rdata: <b>two</b>' })
    await stream.heard('row')
    expect(stream.count('end')).toBe(0)
    expect(stream.all('row')[0]).toContain('one\n\nevent: end\n\ndata: &lt;b&gt;two&lt;/b&gt;')
  })
})

describe('a stream ends', () => {
  it('at once when the person signs out in the same process', async () => {
    const { url, ama, listen } = await open()
    const stream = await listen()
    await ama.person.submit(await ama.person.visit(`${url}/connections`), {}, (to) =>
      to.endsWith('/sign-out'),
    )
    await stream.ended
    expect(stream.events.at(-1)?.name).toBe('end')
    const again = await ama.person.send(`${url}/messages/live`)
    expect([again.status, again.headers.get('location')]).toEqual([303, '/sign-in?next=%2Fmessages%2Flive'])
  })

  it('at the next check when the account is suspended', async () => {
    const { gateway, ama, listen } = await open()
    const stream = await listen()
    await gateway.operator.setStatus(ama.accountId, 'suspended')
    await stream.ended
    expect(stream.events.at(-1)?.name).toBe('end')
  })

  it('at the next check when the person gets a new password', async () => {
    const { gateway, ama, listen } = await open()
    const stream = await listen()
    await gateway.operator.setPassword(ama.accountId, 'another long password')
    await stream.ended
    expect(stream.events.at(-1)?.name).toBe('end')
  })

  it('and is not left to those who are not signed in', async () => {
    const { url, ama } = await open()
    ama.person.cookies.clear()
    expect((await ama.person.send(`${url}/messages/live`)).status).toBe(303)
  })

  it('without a word when the process stops, which it does not hold up', async () => {
    const world = await openWorld({ live: hurried() })
    const ama = await world.resident('ama')
    const streams = await Promise.all(Array.from({ length: 10 }, () => does(world, ama).listen()))
    // They end by themselves, before their connections are cut.
    world.gateway.drain()
    await Promise.all(streams.map(({ ended }) => ended))
    expect(streams.flatMap(({ events }) => events.filter(({ name }) => name === 'end'))).toEqual([])
  })
})

describe('the streams of a session', () => {
  it('are at most twenty', async () => {
    const { url, ama, listen } = await open()
    const streams = await Promise.all(Array.from({ length: 20 }, () => listen()))
    const more = await ama.person.send(`${url}/messages/live`)
    expect([more.status, more.headers.get('retry-after')]).toEqual([429, '30'])
    await streams[0]?.close()
    await eventually('there is room again', async () => {
      const stream = await listen()
      return stream.status === 200
    })
  })

  it('are not opened by asking for their headers', async () => {
    const { url, ama, listen } = await open()
    for (let times = 0; times < 21; times++) {
      expect((await ama.person.send(`${url}/messages/live`, { method: 'HEAD' })).status).toBe(200)
    }
    expect((await listen()).status).toBe(200)
  })

  it('leave nothing behind when they are closed', async () => {
    const { url, ama, listen, send } = await open({})
    const open20 = () =>
      Promise.all(Array.from({ length: 20 }, (_, q) => listenTo(url, ama.person, { q: `from:S${q}` })))
    const openNow = async () => {
      const text = await (await fetch(`${url}/metrics`)).text()
      return [...text.matchAll(/^wigwag_console_(?:streams|watchers) (\d+)$/gm)].map(([, count]) =>
        Number(count),
      )
    }
    for (let round = 0; round < 3; round++) {
      const streams = await open20()
      expect(streams.map(({ status }) => status)).toEqual(streams.map(() => 200))
      if (round === 0) expect(await openNow()).toEqual([20, 20])
      await Promise.all(streams.map((stream) => stream.close()))
      await eventually('they are gone', async () => (await openNow()).every((count) => count === 0))
    }
    const stream = await listen()
    await send()
    await stream.heard('row')
  })
})
