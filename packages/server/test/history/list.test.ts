import { readFile } from 'node:fs/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { epochMs } from '../../src/kernel/ids.ts'
import { STATUSES } from '../../src/kernel/message.ts'
import type { WalletPrincipal } from '../../src/kernel/principal.ts'
import { systemClock } from '../../src/kernel/process/clock.ts'
import { EVERYTHING, type MessageFilter } from '../../src/messages/history/index-ranges.ts'
import { Queries } from '../../src/messages/history/queries.ts'
import { SEARCH_LIMITS, type SearchLimits } from '../../src/messages/history/search.ts'
import type { MessageRow } from '../../src/messages/messages.ts'
import type { Database, Tx } from '../../src/store/database.ts'
import { insertRows } from '../../src/store/rows.ts'
import { migrate } from '../../src/store/schema/migrate.ts'
import { aPlace, ENGINES, START } from '../support/bench.ts'
import { type EngineName, open } from '../support/engine.ts'
import { messageRow } from './message-rows.ts'

const MINE = { id: 'wallet-1', accountId: 'account-1' }
const OTHERS = { id: 'wallet-2', accountId: 'account-2' }
const SENDERS = ['WIGWAG', 'Shop']
const RECIPIENTS = ['233241234567', '233201234567']
const WORDS = ['order', '1042', 'Makola', 'ƐDEƐ', 'café', '100%', 'a_b']
const PERSON: WalletPrincipal = {
  accountId: MINE.accountId,
  clientId: 'person:account-1',
  wallet: { id: MINE.id, currency: 'GHS' },
  senders: new Map(SENDERS.map((name) => [name, 'approved'])),
}

const row = fc.record({
  createdAt: fc.integer({ min: 0, max: 60 }).map((step) => epochMs(START - step * 1_000)),
  status: fc.constantFrom(...STATUSES),
  sender: fc.constantFrom(...SENDERS),
  recipient: fc.constantFrom(...RECIPIENTS),
  content: fc.shuffledSubarray(WORDS).map((words) => words.join(' ')),
  reference: fc.constantFrom('', 'order-7', 'ORDER-8'),
})
const time = fc.integer({ min: -2, max: 62 }).map((step) => epochMs(START - step * 1_000))
const filter: fc.Arbitrary<Partial<MessageFilter>> = fc.record(
  {
    createdFrom: time,
    createdBefore: time,
    statuses: fc.uniqueArray(fc.constantFrom(...STATUSES), { minLength: 1 }),
    recipient: fc.constantFrom(...RECIPIENTS),
    sender: fc.constantFrom(...SENDERS, 'Unknown'),
    reference: fc.constantFrom('order-7', 'ORDER-8', 'order-8'),
  },
  { requiredKeys: [] },
)
const words = fc.uniqueArray(
  fc.constantFrom('ORDER', 'makola', 'ɛdeɛ', 'cafe\u0301', '%', '_', '-8', 'nowhere'),
  {
    maxLength: 2,
  },
)

/** The plain meaning of a filter, without indexes and pages. */
function plainly(rows: readonly MessageRow[], wanted: Partial<MessageFilter>, all: readonly string[] = []) {
  const {
    createdFrom = 0,
    createdBefore = Number.POSITIVE_INFINITY,
    statuses,
    recipient,
    sender,
    reference,
  } = wanted
  const fold = (text: string) => text.normalize('NFKC').toLowerCase()
  return rows
    .filter(({ walletId }) => walletId === MINE.id)
    .filter(({ createdAt }) => createdAt >= createdFrom && createdAt < createdBefore)
    .filter(({ status }) => statuses?.includes(status) ?? true)
    .filter((one) => recipient === undefined || one.recipient === recipient)
    .filter((one) => sender === undefined || one.sender === sender)
    .filter((one) => reference === undefined || one.reference === reference)
    .filter(({ content, reference }) =>
      all.every((word) => [content, reference].some((text) => fold(text).includes(fold(word)))),
    )
    .sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))
    .map(({ id }) => id)
}

async function openWith(engine: EngineName, rows: readonly MessageRow[]): Promise<Database> {
  const database = open(await aPlace(engine))
  await migrate(database)
  await database.write((tx) => insertRows(tx, tx.t.messages, rows))
  return database
}

type Paged = { items: MessageRow[]; next: string | undefined }

async function allPages(read: (cursor: string | undefined) => Promise<Paged>): Promise<string[]> {
  const ids: string[] = []
  for (let cursor: string | undefined, pages = 0; pages < 500; pages++) {
    const { items, next } = await read(cursor)
    ids.push(...items.map(({ id }) => id))
    if (next === undefined) return ids
    cursor = next
  }
  throw new Error('the pages do not come to an end')
}

describe.each(ENGINES)('a list on %s', (engine) => {
  it('of any statuses and words has what matches, newest first, on pages that neither skip nor repeat', async () => {
    const rows = fc.sample(row, 300).map((fields, index) => {
      const wallet = index % 4 === 0 ? OTHERS : MINE
      return messageRow(wallet, fields, 1 + (index % 5))
    })
    const database = await openWith(engine, rows)
    const queries = new Queries(database, systemClock, false)
    await fc.assert(
      fc.asyncProperty(filter, words, fc.integer({ min: 7, max: 90 }), async (some, wanted, limit) => {
        const full = { ...EVERYTHING, ...some }
        const byStatus = plainly(rows, some)
        expect(await allPages((cursor) => queries.search(PERSON, full, { cursor, limit }))).toEqual(byStatus)
        expect(await queries.count(PERSON, full, 10)).toBe(Math.min(10, byStatus.length))
        const byWords = await allPages((cursor) =>
          queries.searchWords(PERSON, full, wanted, { cursor, limit }),
        )
        expect(byWords).toEqual(plainly(rows, some, wanted))
      }),
      { numRuns: engine === 'PostgreSQL' ? 25 : 50 },
    )
    await database.close()
  })
})

/** A database that counts the rows that it gave to its readers. */
function counting(database: Database): Database & { given(): number } {
  let given = 0
  const counted = <T extends object>(query: T): T =>
    new Proxy(query, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name)
        if (typeof value !== 'function') return value
        if (name === 'then') {
          return (...then: Parameters<Promise<unknown>['then']>) =>
            (async () => {
              const rows: unknown = await (target as unknown)
              if (Array.isArray(rows)) given += rows.length
              return rows
            })().then(...then)
        }
        return (...values: unknown[]) => counted(Reflect.apply(value, target, values))
      },
    })
  return {
    ...database,
    read: (work) => database.read((tx: Tx) => work({ ...tx, db: counted(tx.db) })),
    given: () => given,
  }
}

/** Fewer than a gateway has, so that few rows do. */
const FEW: SearchLimits = { open: 50, words: 500, wordsOfAKey: 200, wordsOfARecipient: 100, slice: 50 }

it('as many messages are looked at as the documentation says', async () => {
  const page = await readFile(new URL('../../../../docs/console.md', import.meta.url), 'utf8')
  const [of, all, key, recipient] = [
    /among the newest ([\d,]+) \|/,
    /\(([\d,]+) of all/,
    /([\d,]+) of a status or sender/,
    /([\d,]+) of a number\)/,
  ].map((said) => Number(said.exec(page)?.[1]?.replace(',', '')))
  expect(SEARCH_LIMITS).toMatchObject({ words: of, wordsOfAKey: key, wordsOfARecipient: recipient })
  expect([SEARCH_LIMITS.open, SEARCH_LIMITS.words]).toEqual([all, all])
})

describe.each(['an SQLite file', 'PostgreSQL'] as const)('open messages on %s', (engine) => {
  // At each time are three messages, so that positions are between messages of one time.
  const many = Array.from({ length: 110 }, (_, index) =>
    messageRow(MINE, {
      createdAt: epochMs(START - Math.floor(index / 3) * 1_000),
      status: 'pending',
      recipient: index === 49 || index === 105 ? '233201234567' : '233241234567',
    }),
  ).sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))
  const [first, second] = many.filter(({ recipient }) => recipient === '233201234567')
  const between = epochMs(START - 30_500)
  const ended = messageRow(MINE, { createdAt: between, recipient: '233201234567' })

  it.each([
    ['a search', 'search'],
    ['a search for words', 'searchWords'],
  ] as const)('are looked at so many at a time by %s, which says where it stopped', async (_, kind) => {
    const database = await openWith(engine, [...many, ended])
    const queries = new Queries(database, systemClock, false, FEW)
    const filter = { ...EVERYTHING, recipient: '2330201234567' }
    const look = (cursor?: string) =>
      kind === 'search'
        ? queries.search(PERSON, filter, { cursor, limit: 60 })
        : queries.searchWords(PERSON, filter, ['hello'], { cursor, limit: 60 })
    const pages = [await look()]
    for (let next = pages[0]?.next; next !== undefined; next = pages.at(-1)?.next)
      pages.push(await look(next))

    expect(pages.map(({ stoppedAt }) => stoppedAt)).toEqual([
      many[49]?.createdAt,
      many[99]?.createdAt,
      undefined,
    ])
    expect(pages.flatMap(({ items }) => items.map(({ id }) => id))).toEqual([first?.id, ended.id, second?.id])
    expect(await queries.count(PERSON, filter, 501)).toBe(undefined)
    expect(await queries.count(PERSON, filter, 1)).toBe(1)
    await database.close()
  })
})

describe.each(['an SQLite file', 'PostgreSQL'] as const)('words on %s', (engine) => {
  const many = Array.from({ length: 570 }, (_, index) =>
    messageRow(MINE, {
      createdAt: epochMs(START - index * 1_000),
      status: index % 11 === 0 ? 'failed' : index % 13 === 0 ? 'pending' : 'success',
      sender: index % 2 === 0 ? 'WIGWAG' : 'Shop',
      content: index === 550 ? 'a needle' : 'hay',
    }),
  )

  it('are looked for among the newest that match the rest, and further back when that is asked for', async () => {
    const database = counting(await openWith(engine, many))
    const queries = new Queries(database, systemClock, false, FEW)
    const look = (some: Partial<MessageFilter>, cursor?: string) =>
      queries.searchWords(PERSON, { ...EVERYTHING, ...some }, ['needle'], { cursor, limit: 60 })

    const first = await look({})
    expect(first).toMatchObject({ items: [], scanned: 500, stoppedAt: many[499]?.createdAt })
    expect(database.given()).toBeLessThanOrEqual(550)
    const second = await look({}, first.next)
    expect(second).toMatchObject({ items: [many[550]], scanned: 70, next: undefined })

    const before = database.given()
    const merged = await look({ statuses: ['pending', 'success', 'failed'] })
    expect(merged).toMatchObject({ items: [], scanned: 200, stoppedAt: many[199]?.createdAt })
    expect(database.given() - before).toBeLessThanOrEqual(many.length)
    const merging = { ...EVERYTHING, statuses: ['pending', 'success', 'failed'] as const }
    const beforeOne = database.given()
    await queries.searchWords(PERSON, merging, ['hay'], { cursor: undefined, limit: 1 })
    // All that are open, and a slice of each of the four other parts.
    const open = many.filter(({ status }) => status === 'pending').length
    expect(database.given() - beforeOne).toBeLessThanOrEqual(open + 4 * 50 + 2)

    expect(await look({ statuses: ['failed'] })).toMatchObject({ scanned: 52, next: undefined })
    expect(await look({ recipient: '233241234567' })).toMatchObject({ items: [], scanned: 100 })
    await database.close()
  })

  it('read no more messages of an account with many sender IDs than may be looked at', async () => {
    const names = Array.from({ length: 40 }, (_, index) => `Shop ${index}`)
    const ofMany = many.map(({ createdAt }, index) =>
      messageRow(MINE, { createdAt, sender: names[index % 40] ?? '', status: 'failed' }),
    )
    const database = counting(await openWith(engine, ofMany))
    const person = { ...PERSON, senders: new Map(names.map((name) => [name, 'approved' as const])) }
    const filter = { ...EVERYTHING, statuses: ['failed', 'expired'] as const }
    const queries = new Queries(database, systemClock, false, FEW)
    const first = await queries.searchWords(person, filter, ['hello'], { cursor: undefined, limit: 1 })
    expect(first.items.map(({ id }) => id)).toEqual([ofMany[0]?.id])
    expect(database.given()).toBeLessThanOrEqual(210)
    await database.close()
  })
})
