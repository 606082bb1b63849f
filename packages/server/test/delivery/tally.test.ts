import { describe, expect, it } from 'vitest'
import { DeliveryTally, type EndedMessage } from '../../src/delivery/finish/tally.ts'
import { Metrics } from '../../src/kernel/process/metrics.ts'
import { type Database, StoreUnavailable } from '../../src/store/database.ts'
import { aPlace, ENGINES, openBench } from '../support/bench.ts'
import { handClock } from '../support/hand-clock.ts'

const ended = (more: Partial<EndedMessage> = {}): EndedMessage => ({
  carrier: 'north',
  country: 'GH',
  network: 'MTN',
  status: 'success',
  submittedAt: 0,
  ...more,
})

async function tallyOn(engine: (typeof ENGINES)[number]) {
  const { database } = await openBench({ database: await aPlace(engine) })
  const clock = handClock()
  const faults: unknown[] = []
  let isDown = false
  const write: Database['write'] = (...work) => {
    if (isDown) return Promise.reject(new StoreUnavailable('the store does not answer'))
    return database.write(...work)
  }
  const metrics = new Metrics({ clock, onUnread: (error) => expect.unreachable(String(error)) })
  const tally = new DeliveryTally({ database: { write }, clock, metrics }, (error) => faults.push(error))
  return {
    tally,
    clock,
    faults,
    down(isNow: boolean) {
      isDown = isNow
    },
    async stored() {
      const rows = await database.read(({ run }) =>
        run<Record<string, number>>('SELECT * FROM carrier_deliveries ORDER BY carrier, country', []),
      )
      return rows.map(({ hour: _, ...row }) =>
        Object.fromEntries(Object.entries(row).filter(([, value]) => value !== 0)),
      )
    },
  }
}

describe.each(ENGINES)('the tally of deliveries on %s', (engine) => {
  it('adds what ended to what was stored before, by carrier and network', async () => {
    const { tally, clock, stored } = await tallyOn(engine)
    tally.count([
      ended({ submittedAt: clock.now() - 4_000 }),
      ended({ status: 'expired' }),
      ended({ country: 'KE', network: null }),
    ])
    await tally.store()
    tally.count([
      ended({ submittedAt: clock.now() - 5_001 }),
      ended({ submittedAt: clock.now() - 120_000 }),
      ended({ submittedAt: clock.now() - 600_001 }),
      ended({ carrier: '', status: 'rejected' }),
    ])
    await tally.store()
    expect(await stored()).toEqual([
      { carrier: '', country: 'GH', network: 'MTN', rejected: 1 },
      {
        carrier: 'north',
        country: 'GH',
        network: 'MTN',
        success: 4,
        expired: 1,
        in5s: 1,
        in30s: 1,
        in2m: 1,
        later: 1,
      },
      { carrier: 'north', country: 'KE', network: '', success: 1 },
    ])
  })

  it('keeps what can’t be stored, and stores it with what follows', async () => {
    const { tally, clock, stored, faults, down } = await tallyOn(engine)
    down(true)
    tally.count([ended(), ended({ status: 'failed' })])
    clock.pass(10_000)
    await tally.store()
    expect(faults.length).toBeGreaterThan(0)
    expect(await stored()).toEqual([])
    down(false)
    tally.count([ended()])
    await tally.store()
    expect(await stored()).toEqual([
      { carrier: 'north', country: 'GH', network: 'MTN', success: 2, failed: 1 },
    ])
  })

  it('counts no message that was cancelled, and waits for nothing while there is nothing to store', async () => {
    const { tally, stored } = await tallyOn(engine)
    tally.count([ended({ status: 'cancelled' })])
    expect(tally.idle()).toBe(true)
    await tally.store()
    expect(await stored()).toEqual([])
  })
})
