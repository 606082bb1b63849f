import { describe, expect, it } from 'vitest'
import { Backlog } from '../../src/flow/backlog.ts'
import { Batch } from '../../src/flow/batch.ts'

describe('the backlog of results', () => {
  it('keeps new work waiting from more than a little until the batch that it is in is done', async () => {
    const backlog = new Backlog(2)
    const stored = Promise.withResolvers<void>()
    const store = new Batch<number, void>({
      async run(items) {
        await stored.promise
        return items.map(() => ({ value: undefined }))
      },
      weigh: () => 1,
      maxWeight: 10,
      maxWaiting: { weight: 100, error: () => new Error('too much waits') },
      backlog,
    })
    const order: string[] = []
    await backlog.small()
    const results = [1, 2, 3].map((each) => store.add(each).then(() => order.push('stored')))
    const accepted = backlog.small().then(() => order.push('accepted'))
    stored.resolve()
    await Promise.all([...results, accepted])
    expect(order).toEqual(['stored', 'stored', 'stored', 'accepted'])
  })

  it('does not keep it for ever when nothing can be stored', async () => {
    const backlog = new Backlog(0)
    backlog.add(1)
    await backlog.small()
  })

  describe('holds up', () => {
    const full = () => {
      const backlog = new Backlog(2)
      backlog.add(3)
      return backlog
    }

    it('nobody while few results wait', () => {
      const backlog = new Backlog(2)
      for (let send = 0; send < 10; send++) expect(backlog.admits('only', 100)).toBe(true)
    })

    it('those who brought at least half of an equal share, and never those who brought less', () => {
      const backlog = full()
      for (let send = 0; send < 1_000; send++) {
        expect(backlog.admits('light', 1), `light, send ${send}`).toBe(true)
        if (send > 0) expect(backlog.admits('heavy', 100), `heavy, send ${send}`).toBe(false)
        else backlog.admits('heavy', 100)
      }
    })

    it('all alike who bring alike', () => {
      const backlog = full()
      const owners = ['a', 'b', 'c']
      for (const owner of owners) backlog.admits(owner, 1)
      for (let send = 0; send < 100; send++)
        for (const owner of owners) expect(backlog.admits(owner, 1)).toBe(false)
    })

    it('nobody any more for what was brought long ago', () => {
      const backlog = full()
      backlog.admits('once heavy', 10_000)
      for (let send = 0; send < 400; send++) backlog.admits('heavy', 1_000)
      expect(backlog.admits('once heavy', 1)).toBe(true)
    })
  })
})
