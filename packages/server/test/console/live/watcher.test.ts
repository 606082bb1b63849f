import { expect, it } from 'vitest'
import type { NewestPage } from '../../../src/web/console/live/seen.ts'
import { Watcher } from '../../../src/web/console/live/watcher.ts'
import type { ListedMessage } from '../../../src/web/console/messages/list.tsx'
import { NOW } from '../../support/rows-of.ts'
import { listed } from './rows.ts'

it('tells pages nothing of a look that was dropped, and all of it with the next one', async () => {
  const answers = [Promise.withResolvers<NewestPage>(), Promise.withResolvers<NewestPage>()]
  const page = (...rows: ListedMessage[]) => ({ rows, floor: '' })
  let asked = 0
  const reads = {
    page: () => answers[asked++]?.promise ?? Promise.resolve(page()),
    known: async () => [],
    countAfter: async () => 0,
    purse: async () => 'GHS 1.00',
  }
  const principal = {
    accountId: 'a',
    clientId: 'person:a',
    wallet: { id: 'w', currency: 'GHS' },
    senders: new Map(),
  }
  const watcher = new Watcher(reads, { principal, q: '' }, () => NOW)
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
