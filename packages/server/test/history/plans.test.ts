import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callbackStates, listCallbacks } from '../../src/callbacks/log-rows.ts'
import { insertCallbacks, type NewCallback } from '../../src/callbacks/rows.ts'
import { epochMs } from '../../src/kernel/ids.ts'
import type { Status } from '../../src/kernel/message.ts'
import { findMessages } from '../../src/messages/history/find.ts'
import { EVERYTHING, type MessageFilter } from '../../src/messages/history/index-ranges.ts'
import { countMessages, searchMessages } from '../../src/messages/history/search.ts'
import { searchWords } from '../../src/messages/history/word-search.ts'
import { scheduledMessages } from '../../src/messages/sending/scheduled.ts'
import { addToTotals, countSent, totalsBetween } from '../../src/messages/totals.ts'
import type { Tx } from '../../src/store/database.ts'
import { insertRows } from '../../src/store/rows.ts'
import { migrate } from '../../src/store/schema/migrate.ts'
import { START } from '../support/bench.ts'
import { makePlace, open } from '../support/engine.ts'
import { type Explainer, openExplainer } from './explain.ts'
import { messageRow, putWallets, type Wallet } from './message-rows.ts'

const ROWS = 8_000
const SECOND = 1_000
const WALLET: Wallet = { id: 'wallet-1', accountId: 'account-1' }
const OTHER: Wallet = { id: 'wallet-2', accountId: 'account-2' }
const SENDERS = ['WIGWAG', 'Shop', 'Rare']
const TO = '233240000007'

function statusOf(index: number): Status {
  if (index % 700 === 3) return 'failed'
  if (index % 30 === 5) return 'undelivered'
  return index % 300 === 4 ? 'scheduled' : 'success'
}

/** One large wallet and a small one; some senders, statuses and recipients common, others rare. */
const messages = Array.from({ length: ROWS }, (_, index) =>
  messageRow(
    index % 7 === 0 ? OTHER : WALLET,
    {
      createdAt: epochMs(START - index * 10 * SECOND),
      sender: index % 900 === 1 ? 'Rare' : index % 9 === 1 ? 'Shop' : 'WIGWAG',
      status: statusOf(index),
      recipient: `2332400${String(index % 3_000).padStart(5, '0')}`,
      carrierRef: `smsc-${index}`,
      sentBy: index % 800 === 2 ? 'connection:one' : 'client:wc_test',
      reference: index % 3 === 0 ? '' : index % 5 === 1 ? 'campaign-7' : `order-${index}`,
    },
    1 + Math.floor(index / 4_096),
  ),
)
const callbacks = messages.map((message, index): NewCallback => {
  const { id, accountId, walletId, createdAt } = message
  const state = index % 500 === 1 ? 'dead' : 'delivered'
  return { id, accountId, walletId, messageId: id, url: 'https://a.example', state, createdAt }
})

/** Totals of many wallets, of which one is asked for. */
const sent = messages.map((message, index) =>
  countSent(index % 2 === 0 ? message : { ...message, walletId: `wallet-${index % 300}` }),
)

const from = epochMs(START - 40_000 * SECOND)
/** Final messages by their keys, and those that are not final yet looked through. */
const SENDER = /messages_(by_sender|open)/
const REFERENCE = /messages_(by_reference|open)/
const RECIPIENT = /messages_(by_recipient|open)/
const shapes: [name: string, filter: Partial<MessageFilter>, index: RegExp][] = [
  ['nothing', {}, /messages_by_time/],
  ['a range of times', { createdFrom: from, createdBefore: epochMs(START) }, /messages_by_time/],
  ['a status that is not final', { statuses: ['pending'] }, /messages_open/],
  ['a common status', { statuses: ['success'] }, /messages_by_sender/],
  ['a status of some', { statuses: ['undelivered'] }, /messages_by_sender/],
  ['a rare status', { statuses: ['failed'] }, /messages_by_sender/],
  ['a rare status since a time', { statuses: ['failed'], createdFrom: from }, /messages_by_sender/],
  ['several final statuses', { statuses: ['failed', 'expired'] }, /messages_by_sender/],
  ['open and final statuses', { statuses: ['pending', 'failed'] }, SENDER],
  ['a sender', { sender: 'WIGWAG' }, SENDER],
  ['a rare sender', { sender: 'Rare' }, SENDER],
  ['a sender since a time', { sender: 'Shop', createdFrom: from }, SENDER],
  ['a sender and a status', { sender: 'Shop', statuses: ['failed'] }, /messages_by_sender/],
  ['a reference', { reference: 'order-1042' }, REFERENCE],
  ['a common reference', { reference: 'campaign-7' }, REFERENCE],
  ['a reference since a time', { reference: 'order-1042', createdFrom: from }, REFERENCE],
  [
    'a reference and a rare status',
    { reference: 'campaign-7', statuses: ['failed'] },
    /messages_by_(reference|sender)/,
  ],
  [
    'a reference, a sender and statuses',
    { reference: 'order-1042', sender: 'Shop', statuses: ['pending', 'success'] },
    REFERENCE,
  ],
  ['a reference that waits', { reference: 'order-1042', statuses: ['scheduled'] }, /messages_open/],
  ['a recipient and a reference', { recipient: TO, reference: 'campaign-7' }, RECIPIENT],
  ['a recipient', { recipient: TO }, RECIPIENT],
  ['a recipient since a time', { recipient: TO, createdFrom: from }, RECIPIENT],
  ['a recipient and a status', { recipient: TO, statuses: ['success'] }, /messages_by_recipient/],
  ['a recipient that waits', { recipient: TO, statuses: ['scheduled'] }, /messages_open/],
  ['a recipient and a sender', { recipient: TO, sender: 'WIGWAG' }, RECIPIENT],
  [
    'all of it',
    { recipient: TO, sender: 'Shop', statuses: ['failed'], createdFrom: from },
    /messages_by_recipient/,
  ],
]

describe.each(['an SQLite file', 'PostgreSQL'] as const)('the plans of %s', (engine) => {
  const opened: { explainer?: Explainer; remove?: () => Promise<void> } = {}
  beforeAll(async () => {
    const place = await makePlace(engine)
    opened.remove = place.remove
    const database = open(place.url)
    await migrate(database)
    await database.write(async (tx) => {
      await putWallets(tx, [WALLET, OTHER], epochMs(START))
      await insertRows(tx, tx.t.messages, messages)
      await insertCallbacks(tx, callbacks)
      await addToTotals(tx, sent)
    })
    await database.close()
    opened.explainer = await openExplainer(place.url)
  })
  afterAll(async () => {
    await opened.explainer?.close()
    await opened.remove?.()
  })

  async function plansOf(work: (tx: Tx) => Promise<unknown>): Promise<string[]> {
    const plans = (await opened.explainer?.plansOf(work)) ?? []
    expect(plans.length).toBeGreaterThan(0)
    for (const plan of plans) {
      expect(plan).not.toMatch(/(SCAN|Seq Scan on) (messages|callbacks|hourly_totals)\b/)
    }
    return plans
  }

  it.each(shapes)('find messages by %s through the index that is made for it', async (_, filter, index) => {
    const position = { at: START - 100 * SECOND, id: messages[10]?.id ?? '' }
    for (const after of [undefined, position]) {
      const plans = await plansOf((tx) =>
        searchMessages(
          tx,
          { walletId: WALLET.id, senders: SENDERS },
          { ...EVERYTHING, ...filter },
          { after, limit: 21 },
        ),
      )
      for (const plan of plans) expect(plan).toMatch(index)
      // A page of one recipient, or of few endings of a reference, is short; any other must come in its order, or all
      // that match are sorted.
      const { recipient, reference, statuses } = filter
      if (recipient === undefined && (reference === undefined || statuses === undefined)) {
        for (const plan of plans)
          expect(plan).not.toMatch(/TEMP B-TREE FOR ORDER BY|(?<!Incremental )Sort {2}\(/)
      }
    }
  })

  it.each(shapes)('count messages by %s through the same index', async (_, filter, index) => {
    const scope = { walletId: WALLET.id, senders: SENDERS }
    const plans = await plansOf((tx) => countMessages(tx, scope, { ...EVERYTHING, ...filter }, 501))
    for (const plan of plans) expect(plan).toMatch(index)
  })

  it.each([{}, { statuses: ['failed'] as const, sender: 'Shop' }, { createdFrom: from }])(
    'find what people and assistants sent, with %j, among their messages alone',
    async (filter) => {
      const scope = { walletId: WALLET.id, senders: SENDERS }
      const by = { sent: () => true, notByApi: true }
      const search = {
        scope,
        filter: { ...EVERYTHING, ...filter },
        words: [],
        by,
        after: undefined,
        limit: 21,
      }
      const [range = ''] = await plansOf((tx) => searchWords({ read: (work) => work(tx) }, search))
      expect(range).toMatch(/messages_not_by_api/)
      expect(range).not.toMatch(/TEMP B-TREE FOR ORDER BY|(?<!Incremental )Sort {2}\(/)
    },
  )

  it.each([
    ['a reference', { reference: 'order-1042' }, /messages_(by_reference|open)|wallets/],
    [
      'what their carrier calls them',
      { carrierReference: 'smsc-1042' },
      /messages_by_carrier_ref|carrier_refs/,
    ],
  ])('find messages of all customers by %s through an index', async (_, asked, index) => {
    const page = { limit: 50, after: { at: START - 100 * SECOND, id: messages[10]?.id ?? '' } }
    const plans = await plansOf((tx) => findMessages({ read: (work) => work(tx) }, asked, undefined, page))
    expect(plans.length).toBeGreaterThan(1)
    for (const plan of plans) expect(plan).toMatch(index)
  })

  it('find the states of the callbacks about some messages through the index of messages', async () => {
    const tickets = messages.slice(0, 60).map(({ id }) => id)
    const plans = await plansOf((tx) => callbackStates(tx, WALLET.id, tickets))
    expect(plans).toEqual([expect.stringMatching(/callbacks_message/)])
  })

  it('find scheduled messages in the order of their times', async () => {
    const position = { at: START, id: messages[10]?.id ?? '' }
    for (const after of [undefined, position]) {
      const plans = await plansOf((tx) => scheduledMessages(tx, WALLET.id, { after, limit: 21 }))
      for (const plan of plans) expect(plan).toMatch(/messages_scheduled/)
    }
  })

  it('add up insights from whole hours, and what sticks out from the times of the wallet', async () => {
    const plans = await plansOf((tx) => totalsBetween(tx, WALLET.id, epochMs(from + 1), epochMs(START - 1)))
    expect(plans).toEqual([
      expect.stringMatching(/settings/),
      expect.stringMatching(/messages_by_time/),
      expect.stringMatching(/hourly_totals_pkey|sqlite_autoindex_hourly_totals_1/),
      expect.stringMatching(/messages_by_time/),
    ])
  })

  it.each([
    ['nothing', {}, /callbacks_(wallet|pkey)/],
    // The second one is chosen while few callbacks of all wallets are dead, as here.
    ['a rare state', { state: 'dead' as const }, /callbacks_(state|dead)/],
    ['a ticket', { ticket: messages[8]?.id }, /callbacks_message/],
    ['a time', { since: epochMs(START) }, /callbacks_(wallet|pkey)/],
  ])('find callbacks by %s through an index', async (_, filter, index) => {
    const plans = await plansOf((tx) =>
      listCallbacks(
        tx,
        WALLET.id,
        { ticket: undefined, state: undefined, since: undefined, ...filter },
        { after: undefined, limit: 21 },
      ),
    )
    expect(plans[0]).toMatch(index)
  })
})
