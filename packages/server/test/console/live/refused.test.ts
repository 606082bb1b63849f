import { expect, it } from 'vitest'
import { RefusedRequests } from '../../../src/sandbox/refused.ts'
import { Watchers } from '../../../src/web/console/live/watchers.tsx'
import { eventually } from '../../support/eventually.ts'
import { NOW } from '../../support/rows-of.ts'

it('tells the pages of an account of its refused requests, and of those of no known account', async () => {
  const refused = new RefusedRequests()
  const watchers = new Watchers({
    reads: {
      page: async () => ({ rows: [], floor: '' }),
      known: async () => [],
      countAfter: async () => 0,
      purse: async () => 'GHS 1.00',
    },
    changes: { listen: () => () => {} },
    refused,
    now: () => NOW,
    onFault(error) {
      throw error
    },
  })
  const said: string[] = []
  const principal = {
    accountId: 'a',
    clientId: 'person:a',
    wallet: { id: 'w', currency: 'GHS' },
    senders: new Map(),
  }
  const { leave } = watchers.join(
    { send: (text) => said.push(text) },
    { principal, q: '' },
    { last: '0', open: [] },
  )
  await eventually('it has joined', () => said.length === 1)
  const request = {
    at: NOW,
    method: 'POST',
    path: '/v1/messages/sms',
    status: 422,
    code: 'invalid_fields',
    requestId: 'r',
  }
  refused.record('b', { ...request, detail: 'of another' })
  refused.record('a', { ...request, detail: 'Expected <b>a number</b>.' })
  refused.record(undefined, { ...request, detail: 'of anybody' })
  expect(said).toHaveLength(3)
  expect(said[1]).toContain('event: refused\ndata: <div class="note bad"')
  expect(said[1]).toContain('422 invalid_fields.</span> Expected &lt;b&gt;a number&lt;/b&gt;.')
  expect(said[2]).toContain('of anybody')
  leave()
  refused.record('a', { ...request, detail: 'too late' })
  expect([said.length, watchers.count()]).toEqual([3, 0])
})
