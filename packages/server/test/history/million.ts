/**
 * Fills a database with a million messages, says how long insights and a page of each kind of search take,
 * and fails when one is too slow. By hand: `node packages/server/test/history/million.ts file:million.db`, or
 * with the address of an empty PostgreSQL database. A database that is filled already is used as it is.
 */
import { epochMs } from '../../src/kernel/ids.ts'
import { EVERYTHING, type MessageFilter } from '../../src/messages/history/index-ranges.ts'
import { countMessages, searchMessages } from '../../src/messages/history/search.ts'
import { searchWords } from '../../src/messages/history/word-search.ts'
import { RUN } from '../../src/messages/search-keys.ts'
import { scheduledMessages } from '../../src/messages/sending/scheduled.ts'
import { addToTotals, countSent, totalsBetween } from '../../src/messages/totals.ts'
import type { Position } from '../../src/net/server/paging.ts'
import type { Database } from '../../src/store/database.ts'
import { openDatabase } from '../../src/store/open.ts'
import { insertRows } from '../../src/store/rows.ts'
import { migrate } from '../../src/store/schema/migrate.ts'
import { messageRow } from './message-rows.ts'

const MESSAGES = 1_000_000
const BATCH = 5_000
const PAGE_MS = 20
/** All entries of a reference are read through, 250,000 of them. */
const REFERENCE_MS = 100
const WORDS_MS = 50
const INSIGHTS_MS = 200
const TRIES = 15
const START = Date.parse('2026-01-05T09:00:00.125Z')
const STEP_MS = 2_500
/** Has every twentieth message. */
const POPULAR = '233249000000'
const WALLET = { id: 'wallet-1', accountId: 'account-1' }
const SENDERS = ['WIGWAG', 'Shop', 'Rare']
const STATUSES = ['success', 'success', 'success', 'undelivered', 'success', 'expired', 'success'] as const

const message = (index: number) =>
  messageRow(
    WALLET,
    {
      createdAt: epochMs(START - index * STEP_MS),
      sender: index % 10_000 === 1 ? 'Rare' : index % 9 === 1 ? 'Shop' : 'WIGWAG',
      status:
        index % 5_000 === 3
          ? 'failed'
          : index % 20_000 === 4
            ? 'scheduled'
            : (STATUSES[index % 7] ?? 'success'),
      // Half of them are unique, the others a campaign's.
      reference: index % 2 === 0 ? `order-${index}` : index % 4 === 1 ? 'campaign-7' : '',
      recipient: index % 20 === 19 ? POPULAR : `2332400${String(index % 50_000).padStart(5, '0')}`,
    },
    1 + Math.floor((MESSAGES - index) / RUN),
  )

async function fill(database: Database): Promise<void> {
  await migrate(database)
  const count = 'SELECT count(*) AS n FROM messages'
  const [found] = await database.read(({ run }) => run<{ n: number }>(count, []))
  if (found && found.n >= MESSAGES) return
  for (let from = 0; from < MESSAGES; from += BATCH) {
    const rows = Array.from({ length: BATCH }, (_, index) => message(from + index))
    await database.write(async (tx) => {
      await insertRows(tx, tx.t.messages, rows)
      await addToTotals(tx, rows.filter(({ status }) => status !== 'scheduled').map(countSent))
    })
  }
  if (database.engine === 'postgres') await database.read(({ run }) => run('ANALYZE messages', []))
}

const middle = START - (MESSAGES / 2) * STEP_MS
const [From, To] = [epochMs(middle - 86_400_000), epochMs(middle)]
const recipient = '233240000007'
const shapes: Record<string, Partial<MessageFilter>> = {
  nothing: {},
  'a range of times': { createdFrom: From, createdBefore: To },
  'a common status': { statuses: ['success'] },
  'a rare status': { statuses: ['failed'] },
  'a rare status in a range': { statuses: ['failed'], createdFrom: From, createdBefore: To },
  'a status that no message has': { statuses: ['rejected'] },
  'a sender': { sender: 'WIGWAG' },
  'a rare sender': { sender: 'Rare' },
  'a sender in a range': { sender: 'Shop', createdFrom: From, createdBefore: To },
  'a sender and a status': { sender: 'Shop', statuses: ['failed'] },
  'a reference': { reference: 'order-654320' },
  'a reference that nothing has': { reference: 'order-1' },
  'a reference of every fourth message': { reference: 'campaign-7' },
  'a common reference and a common status': { reference: 'campaign-7', statuses: ['success'] },
  'a common reference and a recipient': { reference: 'campaign-7', recipient: '233240000005' },
  'a recipient': { recipient },
  'a recipient and a status': { recipient, statuses: ['success'] },
  'a popular recipient': { recipient: POPULAR },
  'a recipient without messages': { recipient: '233249999999' },
}

const anyOf: Record<string, Partial<MessageFilter>> = {
  'some rare statuses': { statuses: ['failed', 'rejected'] },
  'messages that were not delivered': { statuses: ['undelivered', 'expired', 'rejected', 'failed'] },
  'open and final messages': { statuses: ['pending', 'success'] },
}

const rareOfCommon: Record<string, Partial<MessageFilter>> = {
  'a common reference and a rare status': { reference: 'campaign-7', statuses: ['failed'] },
  'a common reference and a status that no message has': { reference: 'campaign-7', statuses: ['rejected'] },
}

/** Half of the tries take longer than this, half do not. */
async function medianMs(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let n = 0; n < TRIES; n++) {
    const began = performance.now()
    await work()
    times.push(performance.now() - began)
  }
  return times.sort((a, b) => a - b)[Math.floor(TRIES / 2)] ?? 0
}

async function measure(database: Database): Promise<string[]> {
  const slow: string[] = []
  const report = async (name: string, mostMs: number, work: () => Promise<unknown>) => {
    const ms = await medianMs(work)
    if (ms >= mostMs) slow.push(`${name}: ${ms.toFixed(1)} ms, expected less than ${mostMs}`)
    process.stdout.write(`${ms.toFixed(2).padStart(9)} ms  ${name}\n`)
  }
  const scope = { walletId: WALLET.id, senders: SENDERS }
  const deep: Position = { at: middle, id: 'f' }
  const all = { ...shapes, ...rareOfCommon }
  for (const [name, filter] of Object.entries(all)) {
    for (const after of [undefined, deep]) {
      const mostMs = name in rareOfCommon ? REFERENCE_MS : PAGE_MS
      await report(`${name}${after ? ', from the middle on' : ''}`, mostMs, () =>
        database.read((tx) => searchMessages(tx, scope, { ...EVERYTHING, ...filter }, { after, limit: 51 })),
      )
    }
  }
  for (const [name, filter] of Object.entries(anyOf)) {
    await report(name, PAGE_MS, () =>
      database.read((tx) =>
        searchMessages(tx, scope, { ...EVERYTHING, ...filter }, { after: undefined, limit: 61 }),
      ),
    )
    await report(`${name}, counted`, PAGE_MS, () =>
      database.read((tx) => countMessages(tx, scope, { ...EVERYTHING, ...filter }, 501)),
    )
  }
  for (const [name, filter] of Object.entries({ ...shapes, ...anyOf })) {
    await report(`words that no message has, of ${name}`, WORDS_MS, () =>
      searchWords(database, {
        scope,
        filter: { ...EVERYTHING, ...filter },
        words: ['nowhere'],
        after: undefined,
        limit: 61,
      }),
    )
  }
  await report('scheduled messages', PAGE_MS, () =>
    database.read((tx) => scheduledMessages(tx, WALLET.id, { after: undefined, limit: 51 })),
  )
  const [first, last] = [epochMs(START - MESSAGES * STEP_MS + 1), epochMs(START - 1)]
  await report('insights over all of it', INSIGHTS_MS, () =>
    database.read((tx) => totalsBetween(tx, WALLET.id, first, last)),
  )
  return slow
}

const [, , url] = process.argv
if (!url) throw new Error('expected a database: file:<path> or postgres://…')
const database = openDatabase({
  url,
  postgresConnections: 3,
  onFatal(error) {
    throw error
  },
  onIdleError: () => undefined,
})
const began = performance.now()
await fill(database)
process.stdout.write(`filled within ${Math.round((performance.now() - began) / 1_000)} s\n`)
const slow = await measure(database)
await database.close()
if (slow.length > 0) throw new Error(`too slow:\n${slow.join('\n')}`)
