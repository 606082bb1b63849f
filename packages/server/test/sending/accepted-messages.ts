import { describe, expect, it } from 'vitest'
import { firstOfEachOwner } from '../../src/flow/jobs/claim.ts'
import { giveBack } from '../../src/flow/jobs/outbox.ts'
import { JobQueue } from '../../src/flow/jobs/queue.ts'
import { epochMs, type Ticket } from '../../src/kernel/ids.ts'
import type { NewMessage } from '../../src/messages/messages.ts'
import { storeAccepted } from '../../src/messages/sending/decide.ts'
import { unevenWallets } from '../../src/money/ledger-check.ts'
import { accepted, acceptInto, some, TIMES, VALIDITY } from '../support/accepted.ts'
import type { Store } from '../support/engine.ts'
import { laneOf } from '../support/jobs.ts'
import { makeWallets, NOW } from '../support/rows-of.ts'

const LEASE = 30_000
const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id).sort()

export function acceptedMessages(store: Store): void {
  const queue = () => new JobQueue(store.database)
  const claimed = (limit: number, now = NOW) =>
    queue().claim(laneOf('dispatch', 'carrier'), { now, leaseMs: LEASE, limit })
  const found = () => store.database.read(({ run }) => run<{ id: Ticket }>('SELECT id FROM messages', []))

  const accept = (messages: readonly NewMessage[]) => acceptInto(store.database, messages)

  describe('accepted messages', () => {
    it('are stored as they were accepted, each with its job and its count', async () => {
      await makeWallets(store.database, { w: 100_000, v: 100_000 })
      const odd = {
        content: `"'\\\n\u2028 €😀`,
        reference: '{"a":[1]}',
        callbackUrl: 'https://a.example/?b="',
      }
      const nowhere = { network: null, country: '001', encoding: 'UCS-2' as const, segments: 3 }
      const messages = [...some(300), accepted('v', { ...odd, ...nowhere }), ...some(2, 'v')]
      await accept(messages)
      const stored = messages.map(({ to: _, ...row }) => row)
      const columns = Object.keys(stored[0] ?? {})
      const names = columns.map((name) => `${name.replace(/[A-Z]/g, '_$&').toLowerCase()} AS "${name}"`)
      const rows = await store.database.read(({ run }) =>
        run(`SELECT ${names.join(', ')} FROM messages ORDER BY id`, []),
      )
      expect(rows).toEqual(stored)
      const jobs = await store.database.read(({ run }) =>
        run(
          'SELECT id, kind, lane, owner, run_at, lease_until, epoch, expires_at FROM outbox ORDER BY id',
          [],
        ),
      )
      const first = {
        kind: 'dispatch',
        lane: 'carrier',
        run_at: NOW,
        lease_until: 0,
        epoch: 0,
        expires_at: NOW + VALIDITY,
      }
      expect(jobs).toEqual(messages.map(({ id, walletId }) => ({ id, owner: walletId, ...first })))
      const totals = await store.database.read(({ run }) =>
        run('SELECT wallet_id, network, sent FROM hourly_totals ORDER BY wallet_id, network', []),
      )
      expect(totals).toEqual([
        { wallet_id: 'v', network: '', sent: 1 },
        { wallet_id: 'v', network: 'MTN', sent: 2 },
        { wallet_id: 'w', network: 'MTN', sent: 300 },
      ])
    })

    it('are seen by the next write and the next read', async () => {
      await makeWallets(store.database, { w: 100_000 })
      const messages = some(3)
      await accept(messages)
      const seen = await store.database.write(({ run }) => run<{ id: string }>('SELECT id FROM messages', []))
      expect(idsOf(seen)).toEqual(idsOf(messages))
      await accept(some(1))
      expect(await found()).toHaveLength(4)
    })

    it('are in the books at any moment', async () => {
      await makeWallets(store.database, { w: 100_000, v: 100_000 })
      await accept([...some(200), ...some(5, 'v')])
      expect(await store.database.read((tx) => unevenWallets(tx, 9))).toEqual([])
    })

    it('that wait for their time are in their tables at once', async () => {
      await makeWallets(store.database, { w: 100_000 })
      const sendAt = epochMs(NOW + 60_000)
      const later = accepted('w', { status: 'scheduled', sendAt })
      await accept([...some(1), later])
      expect(idsOf(await found())).toContain(later.id)
      const [due] = await firstOfEachOwner(store.database, laneOf('scheduled'), NOW)
      expect(due?.runAt).toBe(sendAt)
    })

    it('leave with their transaction when it fails', async () => {
      await makeWallets(store.database, { w: 100_000 })
      const failing = store.database.write(async (tx) => {
        await storeAccepted(tx, some(3), TIMES)
        throw new Error('too late')
      })
      await expect(failing).rejects.toThrow('too late')
      expect(await found()).toEqual([])
    })
  })

  describe('a claim of accepted messages', () => {
    it('gives each to one of eight claimers, and leaves none behind', async () => {
      await makeWallets(store.database, { w: 100_000 })
      const messages = some(900)
      for (let from = 0; from < 900; from += 9) await accept(messages.slice(from, from + 9))
      const all = await Promise.all(
        Array.from({ length: 8 }, async () => {
          const mine: string[] = []
          for (let idle = 0; idle < 2; ) {
            const jobs = await claimed(50)
            mine.push(...jobs.map(({ id }) => id))
            idle = jobs.length === 0 ? idle + 1 : 0
          }
          return mine
        }),
      )
      expect(all.flat().sort()).toEqual(idsOf(messages))
    })

    it('comes back when its lease ends, for nobody knows how far it got', async () => {
      await makeWallets(store.database, { w: 100_000 })
      await accept(some(1))
      expect(await claimed(10)).toMatchObject([{ epoch: 1, lapsed: false }])
      expect(await claimed(10, epochMs(NOW + LEASE - 1))).toEqual([])
      expect(await claimed(10, epochMs(NOW + LEASE))).toMatchObject([{ epoch: 2, lapsed: true }])
    })

    it('comes back at once when it is given back', async () => {
      await makeWallets(store.database, { w: 100_000 })
      await accept(some(1))
      const jobs = await claimed(10)
      await store.database.write((tx) => giveBack(tx, jobs, NOW))
      const [due] = await firstOfEachOwner(store.database, laneOf('dispatch', 'carrier'), NOW)
      expect(due?.runAt).toBe(NOW)
      expect(await claimed(10)).toMatchObject([{ epoch: 2, lapsed: true }])
    })
  })
}
