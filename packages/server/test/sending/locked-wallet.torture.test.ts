import type pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { AccountSecrets } from '../../src/accounts/operator.ts'
import { A_MOMENT_MS } from '../../src/store/database.ts'
import { checkBooks, settled } from '../support/books.ts'
import { eventually } from '../support/eventually.ts'
import {
  type Answer,
  type Ask,
  BALANCE,
  call,
  type Front,
  openFront,
  SINGLE,
  single,
} from '../support/front.ts'
import { connectTo, type FreshPostgres, freshPostgres } from '../support/postgres.ts'

const LOCKED_MS = 1_500

let place: FreshPostgres
let front: Front
/** Another session, which locks what the gateway needs. */
let other: pg.Client
let locked: AccountSecrets
let neighbour: AccountSecrets

beforeAll(async () => {
  place = await freshPostgres()
  front = await openFront(place.url, {}, { sessionLimits: { lockMs: A_MOMENT_MS, restMs: 0 } })
  other = await connectTo(place.url)
  locked = await front.account('locked', 1_000_000_000)
  neighbour = await front.account('neighbour', 1_000_000_000)
})
afterEach(async () => {
  await other.query('ROLLBACK')
  await settled(front.gateway.database)
  await checkBooks(front.gateway.database)
})
afterAll(async () => {
  await front.close()
  await other.end()
  await place.drop()
})

const send = (account: AccountSecrets, key?: string) =>
  timed(account, { path: SINGLE, body: single(), ...(key === undefined ? {} : { key }) })

type Timed = Answer & { ms: number }

async function timed(account: AccountSecrets, ask: Ask): Promise<Timed> {
  const began = performance.now()
  const answer = await call(front.url, account, ask)
  return { ...answer, ms: performance.now() - began }
}

interface Traffic {
  clients: number
  /** Makes one call. Each client makes the next when it is answered. */
  next(round: number): Promise<Timed>
}

/** The answers to each traffic of a few seconds, once all calls are answered. */
function answersTo(...all: Traffic[]): Promise<Timed[][]> {
  const until = performance.now() + LOCKED_MS
  async function answersToClient({ clients, next }: Traffic, first: number): Promise<Timed[]> {
    const answers: Timed[] = []
    for (let round = first; performance.now() < until; round += clients) answers.push(await next(round))
    return answers
  }
  return Promise.all(
    all.map(async (traffic) => {
      const clients = Array.from({ length: traffic.clients }, (_, first) => answersToClient(traffic, first))
      return (await Promise.all(clients)).flat()
    }),
  )
}

const slowest = (answers: readonly Timed[]) => Math.max(...answers.map(({ ms }) => ms))
const median = (answers: readonly Timed[]) =>
  answers.map(({ ms }) => ms).sort((a, b) => a - b)[Math.floor(answers.length / 2)] ?? 0

/** Bounds for a busy machine. A call that waits for the lock would take five seconds and more. */
function expectUndisturbed(what: string, answers: readonly Timed[]): void {
  expect([what, ...new Set(answers.map(({ status }) => status))]).toEqual([what, 200])
  expect(slowest(answers), what).toBeLessThan(3_000)
  expect(median(answers), what).toBeLessThan(1_000)
}

function expectRefused(answers: readonly Timed[], status: number, code: string): void {
  for (const answer of answers) {
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([status, '1'])
    expect(JSON.parse(answer.text)).toMatchObject({ code })
  }
  expect(slowest(answers)).toBeLessThan(6_000)
}

describe('a lock that another session of PostgreSQL keeps', () => {
  it('on a wallet holds up its own sends, for a bounded time, and no other sends and no reads', async () => {
    const { Ticket } = JSON.parse((await send(neighbour)).text)
    await other.query('BEGIN')
    await other.query('SELECT id FROM wallets WHERE account_id = $1 FOR UPDATE', [locked.accountId])
    const read = (account: AccountSecrets, path: string): Traffic => ({
      clients: 1,
      next: () => timed(account, { path }),
    })
    const [its = [], itsKeyed = [], others = [], othersKeyed = [], ...reads] = await answersTo(
      { clients: 16, next: () => send(locked) },
      { clients: 4, next: (round) => send(locked, `its-${round}`) },
      { clients: 4, next: () => send(neighbour) },
      { clients: 4, next: (round) => send(neighbour, `others-${round}`) },
      read(locked, BALANCE),
      read(neighbour, BALANCE),
      read(neighbour, `/v1/transactions/${Ticket}/status`),
      read(locked, '/v1/messages'),
    )
    expectUndisturbed('sends of others', others)
    expectUndisturbed('sends of others with keys', othersKeyed)
    for (const [index, answers] of reads.entries()) expectUndisturbed(`read ${index}`, answers)
    expectRefused([...its, ...itsKeyed], 503, 'unavailable')

    const waiting = send(locked, 'its-0')
    await new Promise((resolve) => setTimeout(resolve, 300))
    await other.query('ROLLBACK')
    const again = [await waiting, await send(locked), await send(locked, 'its-0')]
    expectUndisturbed('sends after the lock', again)
    expect(again[2]?.text).toBe(again[0]?.text)
  })

  it('on a wallet holds up the endings of its own messages, and no others', async () => {
    const its = Array.from({ length: 40 }, () => send(locked))
    const others = Array.from({ length: 40 }, () => send(neighbour))
    await Promise.all(its)
    await other.query('BEGIN')
    await other.query('SELECT id FROM wallets WHERE account_id = $1 FOR UPDATE', [locked.accountId])
    await Promise.all(others)
    const openOf = async ({ accountId }: AccountSecrets) => {
      const { rows } = await other.query(
        "SELECT count(*) AS open FROM messages WHERE account_id = $1 AND status = 'pending'",
        [accountId],
      )
      return Number(rows[0].open)
    }
    await eventually("the neighbour's are final", async () => (await openOf(neighbour)) === 0)
    expect(await openOf(locked)).toBeGreaterThan(0)
  })

  it('on a key holds up that key alone, and no other sends of its wallet', async () => {
    const first = await send(locked, 'running')
    await settled(front.gateway.database)
    const taken = await other.query('DELETE FROM idempotency WHERE response = $1 RETURNING scope', [
      first.text,
    ])
    await other.query('BEGIN')
    await other.query("INSERT INTO idempotency VALUES ($1, 'fingerprint', 'response', 0)", [
      taken.rows[0].scope,
    ])
    const [its = [], beside = [], besideKeyed = [], others = []] = await answersTo(
      { clients: 4, next: () => send(locked, 'running') },
      { clients: 4, next: () => send(locked) },
      { clients: 4, next: (round) => send(locked, `beside-${round}`) },
      { clients: 4, next: () => send(neighbour) },
    )
    expectUndisturbed('sends of its wallet', beside)
    expectUndisturbed('sends of its wallet with keys', besideKeyed)
    expectUndisturbed('sends of others', others)
    expectRefused(its, 409, 'idempotency_in_progress')

    await other.query('ROLLBACK')
    expectUndisturbed('the send after the lock', [await send(locked, 'running')])
  })

  it('on several wallets at once holds up no more sends than theirs', async () => {
    const accounts = await Promise.all(
      Array.from({ length: 8 }, (_, index) => front.account(`of-several-${index}`, 1_000_000_000)),
    )
    await other.query('BEGIN')
    await other.query(
      "SELECT w.id FROM wallets w JOIN accounts a ON a.id = w.account_id WHERE a.name LIKE 'of-%' FOR UPDATE OF w",
    )
    const [others = [], ...its] = await answersTo(
      { clients: 4, next: () => send(neighbour) },
      ...accounts.map((account): Traffic => ({ clients: 2, next: () => send(account) })),
    )
    expectUndisturbed('sends of others', others)
    expectRefused(its.flat(), 503, 'unavailable')

    await other.query('ROLLBACK')
    expectUndisturbed('sends after the lock', await Promise.all(accounts.map((account) => send(account))))
  })
})
