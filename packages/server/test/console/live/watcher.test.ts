import { expect, it } from 'vitest'
import type { ListedMessage } from '../../../src/console/inbox/row.ts'
import type { NewestPage } from '../../../src/console/live/seen.ts'
import { createWatcher } from '../../../src/console/live/watcher.ts'
import { NOW } from '../../support/rows-of.ts'
import { listed } from './rows.ts'

it('tells pages nothing of a look that was dropped, and all of it with the next one', async () => {
  const answers = [Promise.withResolvers<NewestPage>(), Promise.withResolvers<NewestPage>()]
  const page = (...rows: ListedMessage[]) => ({ rows, floor: '' })
  let asked = 0
  const watcher = createWatcher({
    reads: {
      page: () => answers[asked++]?.promise ?? Promise.resolve(page()),
      known: async () => [],
      countAfter: async () => 0,
      purse: async () => 'GHS 1.000',
    },
    principal: {
      accountId: 'a',
      clientId: 'person:a',
      wallet: { id: 'w', currency: 'GHS' },
      senders: new Map(),
    },
    q: '',
    now: () => NOW,
  })
  const said: string[] = []
  watcher.join({ send: (text) => said.push(text) }, { last: '0', open: [] })

  const drop = new AbortController()
  const dropped = watcher.serve(drop.signal)
  drop.abort(new Error('dropped'))
  await Promise.all([expect(dropped).rejects.toThrow('dropped'), answers[0]?.resolve(page(listed(1)))])
  expect(said).toEqual([])

  answers[1]?.resolve(page(listed(2), listed(1)))
  await watcher.serve(new AbortController().signal)
  expect(said).toHaveLength(1)
  expect(said[0]?.match(/^event: row$/gm)).toHaveLength(2)
})
