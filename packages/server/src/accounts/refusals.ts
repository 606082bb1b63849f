import { and, desc, eq, gte, inArray, sum } from 'drizzle-orm'
import type { Parts } from '../flow/parts.ts'
import { Tally } from '../flow/tally.ts'
import type { ProblemCode } from '../kernel/errors.ts'
import type { EpochMs } from '../kernel/ids.ts'
import { HOUR_MS, SECOND_MS } from '../kernel/time/spans.ts'
import { operationAt } from '../net/server/operations.ts'
import type { Tx } from '../store/database.ts'
import { inChunks, placeholders } from '../store/rows.ts'
import { deleteSlice } from '../store/slices.ts'
import { movingAccounts } from './change.ts'
import type { RefusedCaller, RefusedRequest } from './refused-request.ts'

/** One of the newest refused requests of an hour and a code. */
export interface Refusal {
  at: EpochMs
  /** As the document has it; empty for what it does not describe. */
  operation: string
  detail: string
  requestId: string
  /** The client ID that was given; empty for an assistant. */
  client: string
}

/** The refused requests of an hour with one code: how many, and the newest of them, newest first. */
export interface RefusalsOfHour {
  hour: number
  code: string
  refused: number
  latest: Refusal[]
}

interface Row extends RefusedCaller {
  hour: number
  code: string
  refused: number
  latest: Refusal[]
}

const STORE_EVERY_MS = 5 * SECOND_MS
/** The newest of an hour and a code that are kept: about 20, by the length of their lines. */
const NEWEST = 20
const MOST_TEXT = 6_000
/** Strangers may name any client ID, so those whose account is not known are counted by themselves. */
const MOST_CLAIMED = 1_000
const NOT_THERE = 'The API has nothing at this address.'
/** A recipient's number. Some details have it without quotes. */
const NUMBER = /(?<!\d)\+?\d{7,}(?!\d| bytes)/g

/**
 * Counts the refused requests of each account, by hour and code. However many come, they cost one row of a few kilobytes
 * an hour and code, and one statement every few seconds.
 */
export class Refusals {
  readonly #database: Parts['database']
  readonly #known: Tally<Row>
  readonly #claimed: Tally<Row>

  constructor(parts: Pick<Parts, 'clock' | 'database'>, onFault: (error: unknown) => void) {
    this.#database = parts.database
    const counting = { everyMs: STORE_EVERY_MS, keyOf, add, store: storeRefusals }
    this.#known = new Tally(parts, onFault, counting)
    this.#claimed = new Tally(parts, onFault, { ...counting, most: MOST_CLAIMED })
  }

  record({ accountId, clientId }: RefusedCaller, request: RefusedRequest): void {
    const { at, method, path, code, requestId } = request
    const operation = operationAt(method, path) ?? ''
    // The gateway's own failures are not the account's to correct.
    if (request.status >= 500 || (accountId === undefined && clientId === undefined)) return
    // The path of what is not there is the caller's own text.
    const detail = operation === '' ? NOT_THERE : request.detail.replace(NUMBER, '…')
    const refusal = { at, operation, detail, requestId, client: clientId ?? '' }
    const row = { accountId, clientId, hour: at - (at % HOUR_MS), code, refused: 1, latest: [refusal] }
    const rows = accountId === undefined ? this.#claimed : this.#known
    rows.count(row)
  }

  /** The refusals of an account since a time, newest first. */
  list(accountId: string, since: number): Promise<RefusalsOfHour[]> {
    return this.#database.read((tx) => refusalsSince(tx, accountId, since))
  }

  /** How many requests of an account were refused with a code since a time. */
  countOf(accountId: string, code: ProblemCode, since: number): Promise<number> {
    return this.#database.read(async ({ db, t: { refusals } }) => {
      const [row] = await db
        .select({ refused: sum(refusals.refused) })
        .from(refusals)
        .where(and(eq(refusals.accountId, accountId), gte(refusals.hour, since), eq(refusals.code, code)))
      return Number(row?.refused ?? 0)
    })
  }

  /** Whether nothing is being stored. */
  idle(): boolean {
    return this.#known.idle() && this.#claimed.idle()
  }

  /** Stores what was counted, or else keeps it for the next time. */
  async store(): Promise<void> {
    await this.#known.store()
    await this.#claimed.store()
  }
}

function keyOf({ accountId, clientId, hour, code }: Row): string {
  return JSON.stringify(accountId === undefined ? ['', clientId, hour, code] : [accountId, hour, code])
}

function add(sum: Row, { refused, latest }: Row): void {
  sum.refused += refused
  sum.latest.unshift(...latest)
  sum.latest.splice(NEWEST)
}

/** Adds to an account's rows. Of accounts that are gone, or move, nothing is kept. */
async function storeRefusals(tx: Tx, rows: readonly Row[]): Promise<void> {
  const accounts = await accountsOf(tx, rows)
  const sums = new Map<string, Row>()
  for (const row of rows) {
    const accountId = accounts(row)
    if (accountId === undefined) continue
    const own = { ...row, accountId, latest: [...row.latest] }
    const key = keyOf(own)
    const sum = sums.get(key)
    if (sum) add(sum, own)
    else sums.set(key, own)
  }
  const sorted = [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
  await inChunks(sorted, async (chunk) => {
    // The newest are first, so the oldest are cut off.
    await tx.run(
      `INSERT INTO refusals AS t (account_id, hour, code, refused, latest)
       VALUES ${placeholders(chunk.length, 5)}
       ON CONFLICT (account_id, hour, code) DO UPDATE SET
         refused = t.refused + excluded.refused, latest = substr(excluded.latest || t.latest, 1, ${MOST_TEXT})`,
      chunk.flatMap(({ accountId = '', hour, code, refused, latest }) => [
        accountId,
        hour,
        code,
        refused,
        linesOf(latest),
      ]),
    )
  })
}

/** The account of each row: by the client ID where the caller was not let in. */
async function accountsOf(tx: Tx, rows: readonly Row[]): Promise<(row: Row) => string | undefined> {
  const { db, t } = tx
  const known = [...new Set(rows.flatMap(({ accountId }) => accountId ?? []))]
  const claimed = [...new Set(rows.flatMap(({ accountId, clientId }) => (accountId ? [] : (clientId ?? []))))]
  const moving = new Set((await movingAccounts(tx)).map(({ accountId }) => accountId))
  const there = new Set<string>()
  const byClient = new Map<string, string>()
  const found = async (column: 'id' | 'accountId', ids: string[]) => {
    if (ids.length === 0) return
    const clients = await db
      .select({ id: t.clients.id, accountId: t.clients.accountId })
      .from(t.clients)
      .where(inArray(t.clients[column], ids))
    for (const { id, accountId } of clients) {
      if (moving.has(accountId)) continue
      there.add(accountId)
      byClient.set(id, accountId)
    }
  }
  await found('accountId', known)
  await found('id', claimed)
  return ({ accountId, clientId = '' }) => {
    if (accountId === undefined) return byClient.get(clientId)
    return there.has(accountId) ? accountId : undefined
  }
}

function linesOf(latest: readonly Refusal[]): string {
  return latest
    .toSorted((a, b) => b.at - a.at)
    .map((refusal) => `${JSON.stringify(refusal)}\n`)
    .join('')
}

/** The refusals of an account since a time, newest first. */
export async function refusalsSince(
  { db, t: { refusals } }: Tx,
  accountId: string,
  since: number,
): Promise<RefusalsOfHour[]> {
  const rows = await db
    .select()
    .from(refusals)
    .where(and(eq(refusals.accountId, accountId), gte(refusals.hour, since)))
    .orderBy(desc(refusals.hour), refusals.code)
  return rows.map(({ hour, code, refused, latest }) => ({ hour, code, refused, latest: readLines(latest) }))
}

/** The last line may have been cut. */
function readLines(text: string): Refusal[] {
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  return whole
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Refusal)
}

/** Deletes a slice of those before a time. True if there may be more. */
export function pruneRefusals(tx: Tx, before: EpochMs): Promise<boolean> {
  return deleteSlice(tx, {
    table: 'refusals',
    key: 'account_id, hour, code',
    where: 'hour < $1',
    values: [before],
    orderBy: 'hour',
  })
}
