import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { AccountSecrets } from '../../src/accounts/operator.ts'
import { systemClock } from '../../src/kernel/process/clock.ts'
import type { Database } from '../../src/store/database.ts'
import { checkBooks, endLeases, unfinished } from '../support/books.ts'
import { makePlace, open, type Place } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import { type Answer, BALANCE, call, type Front, openFront, SINGLE, single } from '../support/front.ts'
import { handPulse } from '../support/hand-pulse.ts'
import { untilAnswered } from '../support/load.ts'
import { connectTo } from '../support/postgres.ts'
import { openWire, type Wire } from '../support/wire.ts'

const SILENT_AFTER_MS = 800
const { pulse, pass, passUntil } = handPulse()
/** While it is set no time passes for the gateway, so that it forgets no credentials and must not read them again. */
let stoppedAt: number | undefined
const clock = { ...systemClock, elapsed: () => stoppedAt ?? systemClock.elapsed() }
/** Called when a send waits that may be refused when PostgreSQL says nothing. */
let onWait = () => {}
const noting = (database: Database): Database => ({
  ...database,
  onSilence(call) {
    onWait()
    return database.onSilence?.(call) ?? (() => {})
  },
})
let place: Place
let wire: Wire
let front: Front
let account: AccountSecrets
let other: pg.Client
/** The same database by a line that nobody cuts. */
let books: Database

beforeAll(async () => {
  place = await makePlace('PostgreSQL')
  wire = await openWire(place.url)
  front = await openFront(
    wire.url,
    { pollMs: 50 },
    { silentAfterMs: SILENT_AFTER_MS, pulse, clock, aroundDatabase: noting },
  )
  account = await front.account('unavailable', 1_000_000_000)
  other = await connectTo(place.url)
  books = open(place.url)
})
afterAll(async () => {
  await front.close()
  await other.end()
  await books.close()
  await wire.close()
  await place.remove()
})

/** Time passes between one request and the next, in which it is noticed that PostgreSQL is back. */
const untilBack = (send: () => Promise<Answer>) =>
  untilAnswered(() => {
    pass(SILENT_AFTER_MS)
    return send()
  })

/**
 * Time passes until all that waits was due. PostgreSQL may still commit a claim whose connection was cut, and nobody
 * knows of it until its lease ends.
 */
const allIsFinal = () =>
  eventually('all is final', async () => {
    await endLeases(books)
    await front.gateway.sandboxClock?.forward(5_000, async () => {})
    return (await unfinished(books)) === 0
  })

describe('a gateway on PostgreSQL', () => {
  it('answers 503 while PostgreSQL is gone, stays alive, and goes on when it is back', async () => {
    const before = await call(front.url, account, { path: SINGLE, body: single(), key: 'down-0' })
    expect(before.status).toBe(200)
    await wire.cut()
    const paths = [
      { path: SINGLE, body: single(), key: 'down-1' },
      { path: SINGLE, body: single() },
      { path: BALANCE },
    ]
    for (const { status, text, headers } of await Promise.all(
      paths.map((each) => call(front.url, account, each)),
    )) {
      expect(status).toBe(503)
      expect(JSON.parse(text)).toMatchObject({ code: 'unavailable' })
      expect(headers.get('retry-after')).toBe('1')
      expect(text).not.toMatch(/postgres|ECONN|terminated/i)
    }
    expect((await fetch(`${front.url}/livez`)).status).toBe(200)
    await wire.mend()
    const send = (key: string) => call(front.url, account, { path: SINGLE, body: single(), key })
    const after = await untilBack(() => send('down-0'))
    expect(after.text).toBe(before.text)
    expect((await untilBack(() => send('down-1'))).status).toBe(200)
    await allIsFinal()
    await checkBooks(books)
  })

  it('survives that its connections are cut again and again under load', async () => {
    let stop = false
    const statuses = new Set<number>()
    let taken = 0
    const clients = Array.from({ length: 8 }, async (_, client) => {
      for (let round = 0; !stop; round++) {
        const key = `cut-${client}-${round}`
        for (let status = 0; status !== 200; ) {
          status = (await call(front.url, account, { path: SINGLE, body: single(), key })).status
          statuses.add(status)
        }
        taken++
      }
      return client
    })
    for (let cuts = 0; cuts < 5; cuts++) {
      const before = taken
      await eventually('more are taken', () => taken > before + 8)
      await wire.cut()
      await wire.mend()
    }
    stop = true
    await Promise.all(clients)
    expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([])
    await allIsFinal()
    await checkBooks(books)
  })

  it.each(['before', 'after'] as const)(
    'sends once what is repeated with its key, when the connection broke %s the commit arrived',
    async (when) => {
      const body = { ...single(), Reference: `uncertain-${when}` }
      const send = () => call(front.url, account, { path: SINGLE, body, key: `uncertain-${when}` })
      wire.breakCommit(`uncertain-${when}`, when)
      const unknown = await send()
      expect(unknown.status).toBe(503)
      expect(JSON.parse(unknown.text)).toMatchObject({ code: 'outcome_unknown' })
      expect(unknown.headers.get('retry-after')).toBe('1')
      // PostgreSQL holds the key until it has seen that the connection broke.
      const repeated = await untilAnswered(send)
      expect(repeated.status).toBe(200)
      expect(repeated.headers.get('idempotent-replayed')).toBe(when === 'after' ? 'true' : null)
      const sent = await other.query('SELECT id FROM messages WHERE reference = $1', [body.Reference])
      expect(sent.rows).toEqual([{ id: JSON.parse(repeated.text).Ticket }])
    },
  )

  it('leaves no caller who can ask again waiting while PostgreSQL says nothing, and refuses what comes', async () => {
    const body = { ...single(), Reference: 'silent' }
    const send = () => call(front.url, account, { path: SINGLE, body, key: 'silent' })
    stoppedAt = systemClock.elapsed()
    await call(front.url, account, { path: SINGLE, body: single(), key: 'silent-before' })
    wire.silence()
    const ends: number[] = []
    const without = call(front.url, account, { path: SINGLE, body: single() })
    void without.then(({ status }) => ends.push(status))
    const waits = new Promise<void>((resolve) => {
      onWait = resolve
    })
    const sending = send()
    await waits
    await passUntil(sending)
    const unknown = await sending
    stoppedAt = undefined
    expect({ status: unknown.status, code: JSON.parse(unknown.text).code }).toEqual({
      status: 503,
      code: 'outcome_unknown',
    })
    for (const ask of [{ path: SINGLE, body: single() }, { path: BALANCE }]) {
      const { status, text, headers } = await call(front.url, account, ask)
      expect({ status, code: JSON.parse(text).code }).toEqual({ status: 503, code: 'unavailable' })
      expect(headers.get('retry-after')).toBe('1')
    }
    expect(ends).toEqual([])
    wire.speak()
    await wire.cut()
    await wire.mend()
    // Not done for certain, or not known: whatever it was doing.
    expect([503, 500]).toContain((await without).status)
    const answer = await untilBack(send)
    expect(answer.status).toBe(200)
    const sent = await other.query("SELECT id FROM messages WHERE reference = 'silent'")
    expect(sent.rows).toEqual([{ id: JSON.parse(answer.text).Ticket }])
    await allIsFinal()
    await checkBooks(books)
  })

  it('does not ask for a repeat of what nobody knows the fate of and has no key', async () => {
    wire.breakCommit('uncertain-without', 'after')
    const body = { ...single(), Reference: 'uncertain-without' }
    const { status, text } = await call(front.url, account, { path: SINGLE, body })
    expect(status).toBe(500)
    expect(JSON.parse(text)).toMatchObject({ code: 'internal_error' })
    await allIsFinal()
    await checkBooks(books)
  })

  it('answers 409 when a request with the same key is still running somewhere else', async () => {
    const first = await call(front.url, account, { path: SINGLE, body: single(), key: 'held' })
    await allIsFinal()
    const { rows } = await other.query<{ scope: string }>(
      'SELECT scope FROM idempotency WHERE response = $1',
      [first.text],
    )
    const [row] = rows
    await other.query('DELETE FROM idempotency WHERE scope = $1', [row?.scope])
    await other.query('BEGIN')
    await other.query("INSERT INTO idempotency VALUES ($1, 'f', 'r', 0)", [row?.scope])
    const hasty = await openFront(place.url, {}, { sendLockWaitMs: 8 })
    onTestFinished(hasty.close)
    const running = await call(hasty.url, account, { path: SINGLE, body: single(), key: 'held' })
    expect(running.status).toBe(409)
    expect(JSON.parse(running.text)).toMatchObject({ code: 'idempotency_in_progress' })
    expect(running.headers.get('retry-after')).toBe('1')
    await other.query('ROLLBACK')
    expect((await call(front.url, account, { path: SINGLE, body: single(), key: 'held' })).status).toBe(200)
    await allIsFinal()
    await checkBooks(books)
  })
})
