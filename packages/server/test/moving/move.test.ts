import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { SCHEDULED } from '../isolation/scheduling.ts'
import { type Bench, openBench } from '../support/bench.ts'
import { checkBooks, checkStandings, endValidity } from '../support/books.ts'
import { MESSAGE } from '../support/harness.ts'
import { emptyPostgres } from '../support/postgres.ts'
import {
  BULK,
  type FullSource,
  fullSource,
  PENDING_URL,
  readAll,
  SENT_WITH_KEY,
  SINGLE,
} from './full-source.ts'
import { moved, opened } from './moved.ts'

const A_MINUTE = 60_000
/** How soon a gateway sees what it was not told of. */
const POLL_MS = 20 * A_MINUTE

async function emptyTarget(): Promise<string> {
  const { url, drop } = await emptyPostgres()
  onTestFinished(drop)
  return url
}

/** The source's files with their bytes and times. */
function filesOf({ path }: FullSource): Record<string, string> {
  const names = readdirSync(dirname(path)).filter((name) => name.startsWith(basename(path)))
  return Object.fromEntries(
    names.map((name) => {
      const file = join(dirname(path), name)
      return [
        name,
        `${statSync(file).mtimeMs} ${createHash('sha256').update(readFileSync(file)).digest('hex')}`,
      ]
    }),
  )
}

/** A gateway on the target, with the source's secret and from the moment at which its gateway stopped. */
function openTarget({ secret, stoppedAt }: FullSource, database: string): Promise<Bench> {
  return openBench({ database, startAt: stoppedAt, config: { secret, pollMs: POLL_MS } })
}

describe('a move to PostgreSQL', () => {
  it('moves every row of every table, and only reads the file until both sides are the same', async () => {
    const source = await fullSource()
    const before = filesOf(source)
    const target = await emptyTarget()
    const comparison = await moved(source.path, target, () => expect(filesOf(source)).toMatchObject(before))
    expect(Object.keys(before)).toEqual(['wigwag.db', 'wigwag.db.gateway', 'wigwag.db.secret'])
    expect(Object.keys(filesOf(source))).toEqual(Object.keys(before))
    expect(comparison.same).toBe(true)
    for (const { table, from, to, same } of comparison.tables)
      expect({ table, rows: from > 0, to, same }).toEqual({ table, rows: true, to: from, same: true })
    for (const { what, from, to } of comparison.books) expect({ what, to }).toEqual({ what, to: from })
    expect(comparison.books.find(({ what }) => what === 'of it held')?.to).toBeGreaterThan(0)
    await checkStandings(opened(target))
  })

  it('moves a gateway that answers as before, and finishes what was under way once', async () => {
    const source = await fullSource()
    const target = await emptyTarget()
    await moved(source.path, target)
    const bench = await openTarget(source, target)
    expect(bench.demo).toEqual(source.demo)

    // The two messages added by hand are newer than what was read, so the lists that show them are left out.
    const unchanged = [...source.read].filter(([address]) => !CHANGED.includes(address))
    expect(
      await readAll(
        bench,
        unchanged.map(([address]) => address),
      ),
    ).toEqual(new Map(unchanged))

    const again = async (path: string, key: string, body: object) =>
      (await bench.call('POST', path, { 'idempotency-key': key }, body)).text()
    expect(await again(SINGLE, 'first', SENT_WITH_KEY)).toBe(source.replies.get('first'))
    expect(await again(SINGLE, 'pending', { ...MESSAGE, CallbackUrl: PENDING_URL })).toBe(
      source.replies.get('pending'),
    )
    expect(source.replies.get('bulk')).toContain('233241200005')
    const other = await bench.call('POST', BULK, { 'idempotency-key': 'first' }, { From: 'WIGWAG' })
    expect(other.status).toBe(422)

    await bench.advance(40 * A_MINUTE)
    expect(await statusOf(bench, source.waiting.plain)).toBe('success')
    expect(await statusOf(bench, source.waiting.leased)).toBe('success')
    expect(await statusOf(bench, source.waiting.scheduled)).toBe('scheduled')
    await bench.advance(70 * A_MINUTE)
    expect(await statusOf(bench, source.waiting.scheduled)).toBe('success')
    const posted = bench.posted.filter(({ url }) => url === PENDING_URL)
    expect(posted).toHaveLength(1)

    // Messages that the simulator never answers end with their validity, which is ended here instead of
    // waited for.
    await endValidity(bench.database)
    await bench.advance(POLL_MS)
    await checkBooks(bench.database)
    const sent = await (await bench.call('GET', SCHEDULED)).json()
    expect(sent.Items).toEqual([])
  })
})

/** The demo's balance and the newest messages. */
const CHANGED = ['/v1/account/balance', '/v1/messages', '/v1/messages?To=233241234567']

async function statusOf({ call }: Bench, ticket: string): Promise<string> {
  const response = await call('GET', `/v1/transactions/${ticket}/status`)
  return ((await response.json()) as { Status: string }).Status
}
