import { describe, expect, it } from 'vitest'
import { jobsIn } from '../../../src/flow/jobs/lanes.ts'
import { enqueue } from '../../../src/flow/jobs/outbox.ts'
import { type Allowed, JobQueue } from '../../../src/flow/jobs/queue.ts'
import type { EpochMs } from '../../../src/kernel/ids.ts'
import type { JobKind } from '../../../src/store/schema/schema.ts'
import type { Store } from '../../support/engine.ts'
import { laneOf, unclaimed } from '../../support/jobs.ts'
import { NOW } from '../../support/rows-of.ts'

const LEASE = 30_000

/** Who takes turns in a claim. */
export function owners(store: Store): void {
  describe('owners', () => {
    const putOf = (owner: string, count: number, runAt: number = NOW) =>
      store.database.write((tx) =>
        enqueue(
          tx,
          Array.from({ length: count }, (_, index) => unclaimed(`${owner}-${index}`, { owner, runAt })),
        ),
      )
    const openQueue = (kind: JobKind = 'dispatch') => {
      const queue = new JobQueue(store.database)
      const lane = laneOf(kind)
      return {
        queue,
        lane,
        async claim(limit: number, { now = NOW, allowed }: { now?: EpochMs; allowed?: Allowed } = {}) {
          const limits = { now, leaseMs: LEASE, limit, ...(allowed && { allowed }) }
          return (await queue.claim(lane, limits)).map(({ owner }) => owner)
        },
      }
    }

    it('take turns, each with its share of what can be claimed, the oldest of its jobs first', async () => {
      for (const [index, owner] of ['b', 'a', 'c'].entries()) await putOf(owner, 10, NOW - index)
      await store.database.write((tx) => enqueue(tx, [unclaimed('first', { owner: 'b', runAt: NOW - 9 })]))
      const { claim } = openQueue()
      expect((await claim(6)).sort()).toEqual(['a', 'a', 'b', 'b', 'c', 'c'])
      expect(await store.database.read((tx) => jobsIn(tx, '', ['first']))).toContain('first')
      expect((await claim(2)).length).toBe(2)
    })

    it('with little capacity get it one after the other, whoever has most waiting', async () => {
      await putOf('bulk', 100, NOW - 1)
      for (const owner of ['x', 'y', 'z']) await putOf(owner, 3)
      const { claim } = openQueue()
      const claimed: string[] = []
      for (let n = 0; n < 8; n++) claimed.push(...(await claim(1)))
      const times = (owner: string) => claimed.filter((each) => each === owner).length
      expect(['bulk', 'x', 'y', 'z'].map(times)).toEqual([2, 2, 2, 2])
    })

    it('of whom nothing waited come before those that stand in line', async () => {
      const many = Array.from({ length: 100 }, (_, index) => `wallet-${index}`)
      for (const owner of many) await putOf(owner, 3)
      const { claim, queue, lane } = openQueue()
      for (let n = 0; n < 10; n++) await claim(10)
      for (const owner of ['code-1', 'code-2']) {
        await putOf(owner, 1)
        queue.notify(lane, [{ owner, runAt: NOW }])
      }
      const next = [...(await claim(1)), ...(await claim(1)), ...(await claim(1)), ...(await claim(1))]
      expect(next).toContain('code-1')
      expect(next).toContain('code-2')
      expect(next.filter((owner) => owner.startsWith('wallet'))).toHaveLength(2)
    })

    it('that stand in line get one place in eight, however many come of whom nothing waited', async () => {
      await putOf('bulk', 100)
      const { claim, queue, lane } = openQueue()
      expect(await claim(1)).toEqual(['bulk'])
      const many = Array.from({ length: 100 }, (_, index) => `wallet-${index}`)
      for (const owner of many) await putOf(owner, 1)
      queue.notify(
        lane,
        many.map((owner) => ({ owner, runAt: NOW })),
      )
      const claimed: string[] = []
      for (let n = 0; n < 40; n++) claimed.push(...(await claim(1)))
      expect(claimed.filter((owner) => owner === 'bulk')).toHaveLength(5)
    })

    it('at their share are passed over, and take part again when they have a place', async () => {
      await putOf('slow', 10, NOW - 1)
      await putOf('quick', 2)
      const { claim, queue, lane } = openQueue('callback')
      await store.database.write(({ run }) => run("UPDATE outbox SET kind = 'callback'", []))
      const allowed = (owner: string) => (owner === 'slow' ? 0 : 32)
      expect(await claim(4, { allowed })).toEqual(['quick', 'quick'])
      expect(await claim(4, { allowed })).toEqual([])
      expect(queue.nextDue(lane, allowed)).toBeUndefined()
      expect(await claim(4)).toEqual(['slow', 'slow', 'slow', 'slow'])
    })

    it('take no turns where jobs wait for a time and not for a place', async () => {
      await putOf('a', 3, NOW - 1)
      await putOf('b', 3)
      await store.database.write(({ run }) => run("UPDATE outbox SET kind = 'await'", []))
      expect(await openQueue('await').claim(3)).toEqual(['a', 'a', 'a'])
    })

    it('are all found, also when there are more than are looked for at a time', async () => {
      const jobs = Array.from({ length: 2_100 }, (_, index) =>
        unclaimed(`job-${index}`, { owner: `w-${index}` }),
      )
      await store.database.write((tx) => enqueue(tx, jobs))
      const { claim } = openQueue()
      const claimed = new Set<string>()
      for (let some = await claim(64); some.length > 0; some = await claim(64))
        for (const owner of some) claimed.add(owner)
      expect(claimed.size).toBe(2_100)
    })
  })
}
