import { describe, expect, it } from 'vitest'
import { createBacklog } from '../../src/platform/backlog.ts'
import { createBatcher } from '../../src/platform/batcher.ts'

describe('the backlog of results', () => {
  it('keeps new work waiting from more than a little until the batch that it is in is done', async () => {
    const backlog = createBacklog(2)
    const stored = Promise.withResolvers<void>()
    const store = createBatcher<number, void>({
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
    const results = [1, 2, 3].map((each) => store(each).then(() => order.push('stored')))
    const accepted = backlog.small().then(() => order.push('accepted'))
    stored.resolve()
    await Promise.all([...results, accepted])
    expect(order).toEqual(['stored', 'stored', 'stored', 'accepted'])
  })

  it('does not keep it for ever when nothing can be stored', async () => {
    const backlog = createBacklog(0)
    backlog.add(1)
    await backlog.small()
  })
})
