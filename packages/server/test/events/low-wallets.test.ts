import { createHmac } from 'node:crypto'
import { type Micros, micros } from '@wigwag/contract'
import { describe, expect, it } from 'vitest'
import { aPlace, type Bench, openBench } from '../support/bench.ts'
import type { EngineName } from '../support/engine.ts'
import { MESSAGE } from '../support/harness.ts'
import { KEYS, openWebhook } from './webhook.ts'

const A_LOOK_MS = 20 * 60_000
const AN_HOUR_MS = 3_600_000
const A_DAY_MS = 24 * AN_HOUR_MS
const gh = (amount: number): Micros => micros(amount * 1_000_000)

async function lowWallets({ advance, call }: Bench): Promise<number> {
  await advance(A_LOOK_MS)
  const text = await (await call('GET', '/metrics')).text()
  return Number(/^wigwag_accounts_low_wallet (\d+)$/m.exec(text)?.[1])
}

const waiting = ({ database }: Bench) =>
  database.read(({ run }) =>
    run<{ id: string }>(
      "SELECT id FROM outbox WHERE lane = 'operator' UNION SELECT id FROM low_wallet_events",
      [],
    ),
  )

async function openOn(engine: EngineName, statuses: number[] = [], lowWalletCheckMs = A_LOOK_MS) {
  const { events, operatorWebhook } = await openWebhook(...statuses)
  const bench = await openBench({
    database: await aPlace(engine),
    config: { operatorWebhook, lowWalletCheckMs },
    network: true,
  })
  return { ...bench, bench, events, account: bench.demo.accountId }
}

describe.each(['SQLite in memory', 'PostgreSQL'] as const)('low wallets on %s', (engine) => {
  const open = (statuses?: number[]) => openOn(engine, statuses)

  it('have one event each time that less than the threshold can be spent', async () => {
    const { bench, events, account, operator, advance, call } = await open()
    const { walletId } = await operator.warn(account, gh(100))
    expect(await lowWallets(bench)).toBe(0)
    expect(events).toEqual([])

    await call('POST', '/v1/messages/sms', {}, MESSAGE)
    expect(await lowWallets(bench)).toBe(1)
    await call('POST', '/v1/messages/sms', {}, MESSAGE)
    await advance(AN_HOUR_MS)
    expect(events.map(({ body }) => body)).toEqual([
      {
        type: 'wallet.low',
        timestamp: expect.stringMatching(/^2026-01-05T09:40:0\d/),
        data: {
          accountId: account,
          name: expect.any(String),
          walletId,
          currency: 'GHS',
          balance: 99.958,
          threshold: 100,
        },
      },
    ])

    await operator.credit(account, gh(5))
    expect(await lowWallets(bench)).toBe(0)
    await operator.debit(account, gh(5))
    expect(await lowWallets(bench)).toBe(1)
    expect(events).toHaveLength(2)
    expect(new Set(events.map(({ id }) => id)).size).toBe(2)
    expect(await waiting(bench)).toEqual([])
  })

  it('have events signed as callbacks are, by each of the secrets', async () => {
    const { bench, events, account, operator } = await open()
    await operator.warn(account, gh(101))
    await lowWallets(bench)
    const [event] = events
    const signed = `${event?.id}.${event?.timestamp}.${event?.text}`
    expect(event?.signatures).toEqual(
      KEYS.map(
        (key) => `v1,${createHmac('sha256', Buffer.from(key, 'base64')).update(signed).digest('base64')}`,
      ),
    )
    expect(Math.abs(Number(event?.timestamp) * 1_000 - bench.now())).toBeLessThan(60_000)
  })

  it('have an event that is posted again, with the same id and words, until it is taken', async () => {
    const { bench, events, account, operator, advance } = await open([503, 500])
    await operator.warn(account, gh(101))
    await lowWallets(bench)
    await advance(AN_HOUR_MS)
    expect(new Set(events.map(({ id, text }) => id + text)).size).toBe(1)
    expect(events).toHaveLength(3)
    expect(await waiting(bench)).toEqual([])
  })

  it('have no event for another threshold that they are below as well, nor once they are not watched', async () => {
    const { bench, events, account, operator } = await open()
    await operator.warn(account, gh(101))
    expect(await lowWallets(bench)).toBe(1)
    await operator.warn(account, gh(200))
    expect(await lowWallets(bench)).toBe(1)
    expect(events).toHaveLength(1)
    await operator.warn(account, undefined)
    expect(await lowWallets(bench)).toBe(0)
    expect(events).toHaveLength(1)
  })

  it('are counted without a webhook too, and leave nothing to post', async () => {
    const bench = await openBench({ database: await aPlace(engine), config: { lowWalletCheckMs: A_LOOK_MS } })
    await bench.operator.warn(bench.demo.accountId, gh(101))
    expect(await lowWallets(bench)).toBe(1)
    expect(await waiting(bench)).toEqual([])
    expect(bench.posted).toEqual([])
  })
})

// Of the store this takes what an event takes that is posted again until it is taken.
it('an event about a low wallet is given up after ten attempts', async () => {
  const { bench, events, account, operator, advance } = await openOn(
    'SQLite in memory',
    Array<number>(20).fill(503),
    A_DAY_MS,
  )
  await operator.warn(account, gh(101))
  for (let days = 0; days < 6; days++) await advance(A_DAY_MS)
  expect(events).toHaveLength(10)
  expect(await waiting(bench)).toEqual([])
})

describe('low wallets of two gateways on one PostgreSQL', () => {
  it('have one event each, however often both look at once', async () => {
    const { events, operatorWebhook } = await openWebhook()
    const database = await aPlace('PostgreSQL')
    const open = () =>
      openBench({ database, config: { operatorWebhook, lowWalletCheckMs: A_LOOK_MS }, network: true })
    const [one, other] = [await open(), await open()]
    const wallets: string[] = []
    for (let index = 0; index < 12; index++) {
      const request = {
        name: `Customer ${index}`,
        email: `${index}@acme.example`,
        currency: 'GHS',
        senders: [],
      }
      const { accountId } = await one.operator.createAccount({ ...request, balance: gh(1) })
      wallets.push((await one.operator.warn(accountId, gh(2))).walletId)
    }
    for (let look = 0; look < 3; look++) {
      await Promise.all([one.advance(A_LOOK_MS), other.advance(A_LOOK_MS)])
    }
    expect(events.map(({ body }) => body.data.walletId).sort()).toEqual(wallets.sort())
    expect([await lowWallets(one), await lowWallets(other)]).toEqual([12, 12])
    expect(await waiting(one)).toEqual([])
  })
})
