import { micros } from '@wigwag/contract'
import { describe, expect, it } from 'vitest'
import { departCallbacks } from '../../src/callbacks/departures.ts'
import type { DueCallback, NewCallback } from '../../src/callbacks/rows.ts'
import type { Job } from '../../src/flow/jobs/outbox.ts'
import type { Ticket } from '../../src/kernel/ids.ts'
import { sendWithCallback } from '../isolation/callbacks.ts'
import { openBench } from '../support/bench.ts'
import { eventually } from '../support/eventually.ts'
import { NOW } from '../support/rows-of.ts'

const LEASE = 60_000

const callbackOf = (id: string): NewCallback & DueCallback => ({
  id,
  accountId: 'a',
  walletId: 'w',
  url: 'https://a.example/',
  createdAt: NOW,
  reference: '',
  messageId: 'ticket' as Ticket,
  ticket: 'ticket' as Ticket,
  state: 'pending',
  status: 'success',
  recipient: '233241234567',
  cost: micros(0),
  balanceBefore: micros(0),
  balanceAfter: micros(0),
})

/** A worker with places for the first callbacks only. */
function departWith(places: number) {
  const begun: Job[] = []
  const told: unknown[] = []
  let givenBack = 0
  const loaded = new Map<string, DueCallback>()
  const worker: Parameters<typeof departCallbacks>[0] = {
    notify: (_, jobs = []) => void told.push(...jobs),
    reserve: () => ({
      leaseMs: LEASE,
      has: (index) => index < places,
      begin: (jobs) => void begun.push(...jobs),
      giveBack: () => void givenBack++,
    }),
  }
  const depart = (callbacks: readonly NewCallback[]) => departCallbacks(worker, loaded, callbacks)
  return { depart, begun, told, loaded, givenBack: () => givenBack }
}

describe('callbacks about messages that end here', () => {
  it('are begun where they have a place, and wait for a claim where they have none', () => {
    const { depart, begun, told, loaded } = departWith(2)
    const callbacks = ['1', '2', '3'].map(callbackOf)
    const departure = depart(callbacks)
    expect(callbacks.map(departure.leaseMs)).toEqual([LEASE, LEASE, undefined])
    // The first one lost to another ending, so it is not stored.
    departure.begin(callbacks.slice(1))
    expect(begun).toMatchObject([{ id: '2', owner: 'a', epoch: 1, attempts: 0, lapsed: false }])
    expect([...loaded.keys()]).toEqual(['2'])
    expect(told).toEqual([{ owner: 'a', runAt: NOW }])
  })

  it('give their places back when they are not stored', () => {
    const { depart, begun, givenBack } = departWith(1)
    depart([callbackOf('1')]).giveBack()
    expect([begun, givenBack()]).toEqual([[], 1])
  })

  it('are posted by the process that ended their message also while no callback can be claimed', async () => {
    const bench = await openBench()
    await bench.database.write(({ run }) =>
      run(
        `CREATE TRIGGER unclaimed BEFORE UPDATE OF epoch ON outbox WHEN NEW.kind = 'callback'
         BEGIN SELECT RAISE(ABORT, 'on purpose'); END`,
        [],
      ),
    )
    await sendWithCallback(bench, { CallbackUrl: 'https://quick.example/sms' })
    await eventually('it is posted', () => {
      bench.pass(100)
      return bench.posted.length === 1
    })
  })
})
