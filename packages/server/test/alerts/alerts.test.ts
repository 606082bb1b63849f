import { readFileSync } from 'node:fs'
import { micros } from '@wigwag/contract'
import { describe, expect, it } from 'vitest'
import { around } from '../../src/delivery/carrier.ts'
import type { RunOptions } from '../../src/gateway/operator-parts.ts'
import { eraseAccount } from '../../src/operate/privacy/index.ts'
import { openWebhook } from '../events/webhook.ts'
import { aPlace, type Bench, ENGINES, openBench } from '../support/bench.ts'

const A_LOOK = 15_000
const A_MINUTE = 60_000

/** A job that keeps failing, which is a failure. */
const break_ = ({ database }: Bench) =>
  database.write(({ run }) =>
    run(
      `INSERT INTO outbox (id, kind, run_at, lease_until, lapsed, epoch, attempts, submitted_at, expires_at, faults, lane, handed_at, owner)
       VALUES ('j', 'callback', 9999999999999, 0, 0, 0, 0, 0, 0, 30, '', 0, 'o')`,
      [],
    ),
  )
const mend = ({ database }: Bench) =>
  database.write(({ run }) => run("DELETE FROM outbox WHERE id = 'j'", []))

/** A request for a sender ID, which is a warning. */
const ask = ({ database, demo }: Bench) =>
  database.write(({ run }) =>
    run(
      "INSERT INTO sender_ids (account_id, sender, status, created_at) VALUES ($1, 'ASKED', 'pending', 1)",
      [demo.accountId],
    ),
  )
const decide = ({ database }: Bench) =>
  database.write(({ run }) => run("DELETE FROM sender_ids WHERE sender = 'ASKED'", []))

const left = ({ database }: Bench) =>
  database.read(({ run }) =>
    run<{ id: string }>(
      "SELECT id FROM alert_events UNION SELECT id FROM outbox WHERE lane = 'operator'",
      [],
    ),
  )
const kept = ({ database }: Bench) =>
  database.read(({ run }) => run<{ key: string }>('SELECT key FROM alerts ORDER BY key', []))

const page = readFileSync(new URL('../../../../docs/operating/watching.md', import.meta.url), 'utf8')
const [, example] = /```json\n(\{\n {2}"type": "alert\.raised"[\s\S]*?)```/.exec(page) ?? []

/** An event without what differs each time: times, processes and what a carrier answered. */
function masked(text = '{}'): unknown {
  return JSON.parse(
    text
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
      .replace(/away for \d+ s in \S+:\d+ \(.*?\)/, 'away for N s in PROCESS (WHY)'),
  )
}

async function open(database: string, ...given: [statuses?: number[], run?: Partial<RunOptions>]) {
  const [statuses = [], run = {}] = given
  const { events, operatorWebhook } = await openWebhook(...statuses)
  const config = { operatorWebhook, alertCheckMs: A_LOOK, pollMs: 5_000 }
  const bench = await openBench({ database, network: true, config, run })
  return {
    bench,
    events,
    config,
    told: () => events.map(({ body: { type, data } }) => `${type} ${data.key}`),
  }
}

describe.each(ENGINES)('alerts on %s', (engine) => {
  it('tell of a failure at once and once, and a minute after it that it is over', async () => {
    const { bench, events, told } = await open(await aPlace(engine))
    await bench.advance(A_MINUTE)
    expect(told()).toEqual([])
    await break_(bench)
    await bench.advance(2 * A_LOOK)
    expect(events.map(({ body }) => body)).toEqual([
      {
        type: 'alert.raised',
        timestamp: expect.stringMatching(/^2026-01-05T09:01:/),
        data: {
          key: 'set aside',
          state: 'fail',
          text: '1 job keeps failing and is retried once an hour: see the gateway’s log.',
          since: expect.stringMatching(/^2026-01-05T09:01:/),
        },
      },
    ])
    await bench.advance(5 * A_MINUTE)
    expect(told()).toHaveLength(1)
    await mend(bench)
    await bench.advance(2 * A_LOOK)
    expect(told()).toHaveLength(1)
    await bench.advance(5 * A_MINUTE)
    expect(events.slice(1).map(({ body }) => body)).toEqual([
      {
        type: 'alert.over',
        timestamp: expect.any(String),
        data: { ...events[0]?.body.data, until: expect.stringMatching(/^2026-01-05T09:0[67]:/) },
      },
    ])
    expect([await left(bench), await kept(bench)]).toEqual([[], []])
  })

  it('tell of a warning after half a minute, and once of one that comes and goes', async () => {
    const { bench, told } = await open(await aPlace(engine))
    for (let turn = 0; turn < 4; turn++) {
      await ask(bench)
      await bench.advance(2 * A_LOOK)
      await decide(bench)
      await bench.advance(A_LOOK)
    }
    expect(told()).toEqual(['alert.raised senders'])
    await bench.advance(2 * A_MINUTE)
    expect(told()).toEqual(['alert.raised senders', 'alert.over senders'])
    expect(await kept(bench)).toEqual([])
  })

  it('are posted again, with the same id and words, until they are taken', async () => {
    const { bench, events, told } = await open(await aPlace(engine), [503, 500])
    await break_(bench)
    await bench.advance(8 * A_MINUTE)
    expect(told()).toHaveLength(3)
    expect(new Set(events.map(({ id, text }) => id + text)).size).toBe(1)
    expect(await left(bench)).toEqual([])
  })

  it('leave the wallet that runs low to its own event, and tell when it does so no more', async () => {
    const { bench, told, events } = await open(await aPlace(engine), [])
    const { walletId } = await bench.operator.warn(bench.demo.accountId, micros(1_000_000_000))
    await bench.database.write(({ run }) => run('UPDATE wallet_warnings SET low_since = $1', [bench.now()]))
    await bench.advance(2 * A_MINUTE)
    expect(told()).toEqual([])
    expect(await kept(bench)).toEqual([{ key: `wallet:${walletId}` }])
    await bench.operator.warn(bench.demo.accountId, undefined)
    await bench.advance(2 * A_MINUTE)
    expect(told()).toEqual([`alert.over wallet:${walletId}`])
    expect(events[0]?.body.data).toMatchObject({ accountId: bench.demo.accountId })
  })

  it('say which carrier is away, in words without what the carrier put into them', async () => {
    let kind: 'up' | 'away' = 'away'
    const reason = 'no\u0000 \u202eway\n'
    const { bench, events, told } = await open(await aPlace(engine), [], {
      aroundCarrier: (carrier) =>
        Object.assign(around(carrier, {}), { state: () => ({ ...carrier.state(), kind, reason }) }),
    })
    await bench.advance(2 * A_MINUTE)
    expect(told()).toEqual(['alert.raised carrier:simulator:away'])
    expect(events[0]?.body.data.text).toMatch(/^Carriers: simulator away for \d+ s in \S+:\d+ \(no way \)\.$/)
    expect(masked(events[0]?.text.replaceAll('simulator', 'north'))).toEqual(masked(example))
    kind = 'up'
    await bench.advance(3 * A_MINUTE)
    expect(told()).toEqual(['alert.raised carrier:simulator:away', 'alert.over carrier:simulator:away'])
  })

  it('tell of a carrier that throttles, although it is up in between', async () => {
    let rests = 0
    const { bench, events, told } = await open(await aPlace(engine), [], {
      aroundCarrier: (carrier) =>
        Object.assign(around(carrier, {}), {
          state() {
            rests += 3
            return { ...carrier.state(), kind: rests % 2 === 0 ? 'up' : 'resting', rests }
          },
        }),
    })
    await bench.advance(2 * A_MINUTE)
    expect(told()).toEqual(['alert.raised carrier:simulator:throttled'])
    expect(events[0]?.body.data).toMatchObject({
      state: 'warn',
      text: expect.stringMatching(
        /^Carriers: simulator asked for fewer messages \d+ times in the last 5 min, and got none for \d+ s of them\.$/,
      ),
    })
  })

  it('go with the customer that they are about, when it is erased', async () => {
    const { bench } = await open(await aPlace(engine))
    const request = { name: 'Gone Ltd', email: 'gone@acme.example', currency: 'GHS', senders: [] }
    const { accountId } = await bench.operator.createAccount({ ...request, balance: micros(1) })
    await bench.operator.warn(accountId, micros(5))
    await bench.database.write(({ run }) => run('UPDATE wallet_warnings SET low_since = $1', [bench.now()]))
    await bench.advance(A_MINUTE)
    expect(await kept(bench)).toHaveLength(1)
    await bench.operator.setStatus(accountId, 'suspended')
    await eraseAccount(bench, accountId, { despiteBalance: true })
    expect([await kept(bench), await left(bench)]).toEqual([[], []])
  })

  it('are noted without a webhook too, and leave nothing to post', async () => {
    const bench = await openBench({ database: await aPlace(engine), config: { alertCheckMs: A_LOOK } })
    await break_(bench)
    await bench.advance(A_MINUTE)
    expect(await kept(bench)).toEqual([{ key: 'set aside' }])
    expect([await left(bench), bench.posted]).toEqual([[], []])
  })
})

describe('alerts of two gateways on one PostgreSQL', () => {
  it('are told once each, and one gateway goes on when the other has gone', async () => {
    const place = await aPlace('PostgreSQL')
    const { bench: one, config, told } = await open(place)
    const other = await openBench({ database: place, network: true, config })
    await break_(one)
    await ask(one)
    for (let look = 0; look < 6; look++) await Promise.all([one.advance(A_LOOK), other.advance(A_LOOK)])
    expect(told().sort()).toEqual(['alert.raised senders', 'alert.raised set aside'])
    await one.stop()
    await mend(other)
    await decide(other)
    await other.advance(3 * A_MINUTE)
    expect(told().sort()).toEqual([
      'alert.over senders',
      'alert.over set aside',
      'alert.raised senders',
      'alert.raised set aside',
    ])
    expect(await left(other)).toEqual([])
  })
})
