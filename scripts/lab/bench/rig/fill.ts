import { randomBytes } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import { micros, ZERO } from '@wigwag/contract'
import { insertAccount } from '../../../../packages/server/src/accounts/accounts.ts'
import { epochMs, TicketMaker } from '../../../../packages/server/src/kernel/ids.ts'
import type { FinalStatus } from '../../../../packages/server/src/kernel/message.ts'
import type { MessageRow } from '../../../../packages/server/src/messages/messages.ts'
import { RUN, recipientKey, senderKey } from '../../../../packages/server/src/messages/search-keys.ts'
import { addToTotals, countSent } from '../../../../packages/server/src/messages/totals.ts'
import type { Database, Tx } from '../../../../packages/server/src/store/database.ts'
import { openDatabase } from '../../../../packages/server/src/store/open.ts'
import { insertRows } from '../../../../packages/server/src/store/rows.ts'
import { migrate } from '../../../../packages/server/src/store/schema/migrate.ts'
import { fixStatistics } from '../../../../packages/server/src/store/schema/take-step.ts'

const BATCH = 6_400
const DAY_MS = 86_400_000

/** Puts messages into an account's wallet, as 90 days of use would. Its senders take turns. */
export function fillMessages(
  url: string,
  account: string,
  size: number,
  senders: readonly string[] = ['WIGWAG'],
): Promise<void> {
  const start = Date.now() - 90 * DAY_MS
  return withDatabase(url, async (database) => {
    const owners = await ownersNamed(database, account)
    const insert = inserting(owners, { size, start, ms: 89 * DAY_MS, first: 0, senders })
    await withoutIndexes(database, 'messages', () => inBatches(database, size, insert))
  })
}

/**
 * Makes so many customers, and lets all wallets have messages in turn, as 90 days of use would. Each message has a reference
 * of its own, but for one in ten thousand.
 */
export function fillCustomers(url: string, customers: number, size: number): Promise<void> {
  const start = Date.now() - 90 * DAY_MS
  return withDatabase(url, async (database) => {
    const now = epochMs(start)
    const newId = new TicketMaker(randomBytes).make
    await database.write(async (tx) => {
      for (let index = 0; index < customers; index++) {
        const id = newId(now)
        const name = `Customer ${index}`
        await insertAccount(
          tx,
          {
            account: { id, name, email: `c${index}@example.com` },
            keys: [],
            owner: { id: newId(now), passwordHash: undefined, by: 'operator:bench' },
            client: { id: `wc_${randomBytes(12).toString('base64url')}` },
            senders: [`SHOP${index}`],
            wallet: { id: newId(now), currency: 'GHS' },
          },
          now,
        )
      }
    })
    const owners = await database.read(({ run }) => run<Owner>(`${OWNERS} ORDER BY w.id`, []))
    const span = { size, start, ms: 89 * DAY_MS, first: 0, senders: ['SHOP'] }
    const insert = inserting(owners, {
      ...span,
      referenceOf: (index) => (index % 10_000 === 5 ? SHARED : `order-${index}`),
    })
    await withoutIndexes(database, 'messages', () => inBatches(database, size, insert))
    if (database.engine === 'postgres')
      await database.read(({ run }) => run('VACUUM ANALYZE hourly_totals', []))
  })
}

/** The reference that many customers use. */
export const SHARED = 'campaign-7'

/** A span of time and how many messages it has; `first` is the index of its first among all. */
interface Span {
  size: number
  start: number
  ms: number
  first: number
}

/** Puts the messages of one more span into an account's wallet, as a gateway would: the indexes stay as they are. */
export function addMessages(url: string, account: string, span: Span): Promise<void> {
  return withDatabase(url, async (database) => {
    const insert = inserting(await ownersNamed(database, account), { ...span, senders: ['WIGWAG'] })
    await inBatches(database, span.size, insert)
  })
}

async function ownersNamed(database: Database, account: string): Promise<Owner[]> {
  const owners = await database.read(({ run }) => run<Owner>(`${OWNERS} WHERE a.name = $1`, [account]))
  if (owners.length === 0) throw new Error(`expected an account named ${account}, found none`)
  return owners
}

/** Inserts messages by their indexes; owners and senders take turns. */
function inserting(
  owners: readonly Owner[],
  {
    size,
    start,
    ms,
    first,
    senders,
    referenceOf = (index) => `order-${index % 10_000}-customer`,
  }: Span & { senders: readonly string[]; referenceOf?(index: number): string },
): (tx: Tx, indexes: number[]) => Promise<void> {
  const newId = new TicketMaker(randomBytes).make
  return async function insert(tx, indexes) {
    const rows = indexes.map((at) => {
      const createdAt = epochMs(start + Math.floor((at / size) * ms))
      const index = first + at
      const sender = senders[index % senders.length] ?? ''
      const owner = owners[index % owners.length]
      if (!owner) throw new Error('expected an account with a wallet, found none')
      const nth = Math.floor(index / owners.length)
      return sent(newId(createdAt), createdAt, {
        ...owner,
        index,
        nth,
        sender,
        reference: referenceOf(index),
      })
    })
    await insertRows(tx, tx.t.messages, rows)
    await addToTotals(tx, rows.map(countSent))
  }
}
type Owner = Pick<MessageRow, 'accountId' | 'walletId'>
const OWNERS =
  'SELECT a.id AS "accountId", w.id AS "walletId" FROM wallets w JOIN accounts a ON a.id = w.account_id'

/** Charges a new wallet for what was delivered of its messages, which all cost the same. */
export function chargeMessages(url: string): Promise<void> {
  return withDatabase(url, (database) =>
    database.write(async ({ run }) => {
      await run(CHARGES, [])
      await run(
        `UPDATE wallets SET posted = posted - (SELECT coalesce(sum(cost), 0) FROM messages),
           entries = entries + (SELECT count(*) FROM messages WHERE cost > 0)`,
        [],
      )
    }),
  )
}
const CHARGES = `
  INSERT INTO ledger (wallet_id, seq, kind, amount, balance_before, balance_after, message_id, created_at)
    SELECT m.wallet_id, w.entries + m.nth, 'post', m.cost, w.posted - (m.nth - 1) * m.cost,
      w.posted - m.nth * m.cost, m.id, m.created_at
    FROM (SELECT *, row_number() OVER (ORDER BY id) AS nth FROM messages WHERE cost > 0) m
    JOIN wallets w ON w.id = m.wallet_id`

/** The recipient of the message at an index: a million take turns, in an order that jumps about. */
export function recipientOf(index: number): string {
  return `23324${String((index * 381_001) % 1_000_000).padStart(6, '0')}7`
}

/** Most are delivered. */
function statusOf(index: number): FinalStatus {
  if (index % 50 === 7) return 'undelivered'
  return index % 5_000 === 3 ? 'failed' : 'success'
}

/** Puts idempotency keys into a new database that are old enough to be deleted, and differ in age. */
export function fillOldKeys(url: string, size: number): Promise<void> {
  const start = Date.now() - 3 * DAY_MS
  return withDatabase(url, (database) =>
    inBatches(database, size, (tx, indexes) => {
      const rows = indexes.map((index) => {
        const scope = randomBytes(32).toString('base64url')
        const createdAt = epochMs(start + Math.floor((index / size) * DAY_MS))
        return { scope, fingerprint: scope, response: RESPONSE, createdAt }
      })
      return insertRows(tx, tx.t.idempotency, rows)
    }),
  )
}
const RESPONSE = JSON.stringify({ status: 200, body: 'x'.repeat(200) })

/** Copies what waits of an account, of which nothing is under way, so that so many times as much does. */
export function multiplyWaiting(url: string, account: string, times: number): Promise<void> {
  return withDatabase(url, async (database) => {
    for (const table of ['messages', 'outbox']) {
      await database.write(({ run }) =>
        run(`CREATE TABLE first_${table} AS SELECT * FROM ${table} ${WAITING}`, [account]),
      )
      const [row = {}] = await database.read(({ run }) => run(`SELECT * FROM ${table} LIMIT 1`, []))
      const others = Object.keys(row)
        .filter((column) => column !== 'id')
        .join(', ')
      await withoutIndexes(database, table, async () => {
        for (let copy = 1; copy < times; copy++) {
          const id = `substr(id, 1, 19) || 'c${copy.toString(16).padStart(3, '0')}' || substr(id, 24)`
          const copied = `INSERT INTO ${table} (id, ${others}) SELECT ${id}, ${others} FROM first_${table}`
          await database.write(({ run }) => run(copied, []))
          await turn()
        }
      })
    }
    for (const table of ['messages', 'outbox'])
      await database.write(({ run }) => run(`DROP TABLE first_${table}`, []))
    await database.write(({ run }) => run(HELD, []))
  })
}
const WAITING = `WHERE id IN (SELECT m.id FROM messages m JOIN outbox o ON o.id = m.id
  JOIN accounts a ON a.id = m.account_id WHERE a.name = $1)`
const HELD = `UPDATE wallets SET held = (SELECT coalesce(sum(price), 0) FROM messages m
  WHERE m.wallet_id = wallets.id AND m.status = 'pending')`

/** Opens a database for as long as some work takes. */
export async function withDatabase<T>(url: string, work: (database: Database) => Promise<T>): Promise<T> {
  const database = openDatabase({ url, postgresConnections: 3, onFatal: fail, onIdleError: fail })
  try {
    await migrate(database)
    return await work(database)
  } finally {
    await database.close()
  }
}

async function inBatches(
  database: Database,
  size: number,
  insert: (tx: Tx, indexes: number[]) => Promise<void>,
): Promise<void> {
  for (let done = 0; done < size; done += BATCH) {
    const indexes = Array.from({ length: Math.min(BATCH, size - done) }, (_, index) => done + index)
    await database.write((tx) => insert(tx, indexes))
    // A write to SQLite never lets the event loop turn, and checkpoints need it: the log would grow to many gigabytes.
    await turn()
  }
}

/** Makes a table's indexes anew after much was put into it: row by row takes many times as long. */
async function withoutIndexes(database: Database, table: string, work: () => Promise<void>): Promise<void> {
  const found = INDEXES[database.engine]
  const indexes = await database.read(({ run }) => run<{ name: string; text: string }>(found, [table]))
  for (const { name } of indexes) await database.write(({ run }) => run(`DROP INDEX ${name}`, []))
  await work()
  for (const { text } of indexes) await database.write(({ run }) => run(text, []))
  // SQLite forgets with an index what its planner was told of it.
  if (database.engine === 'sqlite') await database.write(fixStatistics)
  // PostgreSQL would do this by itself in the middle of a measurement.
  else await database.read(({ run }) => run(`VACUUM ANALYZE ${table}`, []))
}
const INDEXES = {
  sqlite:
    "SELECT name, sql AS text FROM sqlite_schema WHERE type = 'index' AND tbl_name = $1 AND sql IS NOT NULL",
  postgres:
    "SELECT indexname AS name, indexdef AS text FROM pg_indexes WHERE tablename = $1 AND indexname NOT LIKE '%_pkey'",
}

function sent(
  id: MessageRow['id'],
  createdAt: MessageRow['createdAt'],
  {
    accountId,
    walletId,
    index,
    nth,
    sender,
    reference,
  }: Owner & { index: number; nth: number; sender: string; reference: string },
): MessageRow {
  const recipient = recipientOf(index)
  const status = statusOf(index)
  // Of the wallet's own messages, as the gateway counts them.
  const run = 1 + Math.floor(nth / RUN)
  return {
    id,
    accountId,
    walletId,
    sender,
    recipient,
    content: 'Your order is on its way and will be with you between nine and eleven this morning.',
    reference,
    callbackUrl: null,
    status,
    encoding: 'GSM-7',
    segments: 1,
    country: 'GH',
    network: 'MTN',
    price: micros(42_000),
    cost: status === 'success' ? micros(42_000) : ZERO,
    balanceBefore: ZERO,
    balanceAfter: ZERO,
    createdAt,
    sendAt: 0,
    dueAt: 0,
    submittedAt: createdAt,
    effectedAt: createdAt,
    carrier: 'simulator',
    carrierRef: 'sim-success-0',
    failureReason: null,
    recipientKey: recipientKey(run, walletId, recipient),
    senderKey: senderKey(walletId, sender, status),
    sentBy: 'client:wc_bench',
  }
}

function fail(error: Error): never {
  throw error
}
