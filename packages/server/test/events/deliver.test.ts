import { micros } from '@wigwag/contract'
import { describe, expect, it, onTestFinished } from 'vitest'
import { EventPoster } from '../../src/callbacks/events/deliver.ts'
import { insertLowWalletEvents, LANE } from '../../src/callbacks/events/rows.ts'
import { epochMs } from '../../src/kernel/ids.ts'
import type { OutboundResult } from '../../src/net/outbound/port.ts'
import { migrate } from '../../src/store/schema/migrate.ts'
import { createMovedClock } from '../../src/testing/clock.ts'
import { aPlace } from '../support/bench.ts'
import { open } from '../support/engine.ts'
import { claim } from '../support/jobs.ts'
import { makeWallets, NOW } from '../support/rows-of.ts'

/** No date can be made of it, so the body of its event can't be either. */
const NO_DATE = epochMs(9_000_000_000_000_000)

const TAKEN: OutboundResult = {
  kind: 'reply',
  status: 204,
  headers: {},
  body: Buffer.from(''),
  truncated: false,
  latencyMs: 3,
}
const clock = createMovedClock(NOW)
const OPTIONS = {
  random: () => 0.5,
  webhook: { url: 'https://operator.example', secrets: ['whsec_c2VjcmV0'] },
  timeoutMs: 15_000,
  onAttempt() {},
  onAgain() {},
}

async function openEvents(engine: 'SQLite in memory' | 'PostgreSQL') {
  const database = open(await aPlace(engine))
  onTestFinished(() => database.close())
  await migrate(database)
  await makeWallets(database, { w: 1 })
  return {
    database,
    put: (id: string, createdAt = NOW) =>
      database.write((tx) =>
        insertLowWalletEvents(tx, [
          { id, walletId: 'w', available: micros(1), threshold: micros(2), createdAt },
        ]),
      ),
    take: () => claim(database, LANE, { now: NO_DATE, leaseMs: 60_000, limit: 10 }),
    left: () =>
      database.read(({ run }) =>
        run<{ id: string }>(
          'SELECT o.id FROM outbox o JOIN low_wallet_events e ON e.id = o.id ORDER BY o.id',
          [],
        ),
      ),
  }
}

describe.each(['SQLite in memory', 'PostgreSQL'] as const)('events on %s', (engine) => {
  it('of which one fails inside are posted once all the same, and only that one is not done', async () => {
    const { database, put, take, left } = await openEvents(engine)
    for (const id of ['one', 'two']) await put(id)
    await put('broken', NO_DATE)
    const posted: (string | undefined)[] = []
    const done: string[] = []
    const poster = new EventPoster(
      { database, clock },
      {
        ...OPTIONS,
        async outbound({ headers }) {
          posted.push(headers['webhook-id'])
          // For longer than the broken one takes.
          for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate)
          return TAKEN
        },
      },
    )
    await expect(poster.deliver(await take(), ({ id }) => done.push(id))).rejects.toThrow('1 of 3')
    expect(done.sort()).toEqual(['one', 'two'])
    expect(posted.sort()).toEqual(['one', 'two'])
    expect(await left()).toEqual([{ id: 'broken' }])
  })

  it('that are gone have their jobs ended', async () => {
    const { database, put, take, left } = await openEvents(engine)
    await put('gone')
    await database.write(({ run }) => run('DELETE FROM low_wallet_events', []))
    const done: string[] = []
    const poster = new EventPoster({ database, clock }, { ...OPTIONS, outbound: async () => TAKEN })
    await poster.deliver(await take(), ({ id }) => done.push(id))
    expect(done).toEqual(['gone'])
    const jobs = await database.read(({ run }) => run('SELECT id FROM outbox', []))
    expect([...jobs, ...(await left())]).toEqual([])
  })
})
