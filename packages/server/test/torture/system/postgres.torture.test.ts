import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { atLength, checkFigures } from '../../support/figures.ts'
import { connectTo, emptyPostgres, type FreshPostgres } from '../../support/postgres.ts'
import { openScene, type Scene } from '../scene.ts'

const ROUNDS = atLength({ short: 1, full: 10 })
const LASTS_MS = atLength({ short: 600, full: 7_000 })
const BACK_WITHIN_MS = 20_000

let scene: Scene | undefined
let place: FreshPostgres
let other: pg.Client

beforeEach(async () => {
  place = await emptyPostgres()
  other = await connectTo(place.url)
})
afterEach(async () => {
  await scene?.close()
  await other.end()
  await place.drop()
})

/** Cuts all connections to the database but this one. */
const CUT = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid()`

async function setReadOnly(readOnly: boolean): Promise<void> {
  const { rows } = await other.query('SELECT current_database() AS name')
  // This session is left out, since it must be able to end the fault.
  await other.query('SET default_transaction_read_only = off')
  await other.query(`ALTER DATABASE ${rows[0].name} SET default_transaction_read_only = ${readOnly}`)
  await other.query(CUT)
}

interface Fault {
  what: string
  begin(): Promise<unknown>
  end(): Promise<unknown>
}

const FAULTS: readonly Fault[] = [
  { what: 'PostgreSQL that is read-only', begin: () => setReadOnly(true), end: () => setReadOnly(false) },
  {
    what: 'a table of PostgreSQL locked by another session',
    async begin() {
      await other.query('BEGIN')
      await other.query('LOCK TABLE messages, outbox, wallets IN ACCESS EXCLUSIVE MODE')
    },
    end: () => other.query('ROLLBACK'),
  },
  {
    what: 'connections to PostgreSQL that are cut',
    begin: () => other.query(CUT),
    end: () => other.query(CUT),
  },
]

describe('a PostgreSQL that cannot take the work', () => {
  it('loses nothing of what was acknowledged, and the gateway goes on by itself', {
    timeout: ROUNDS * FAULTS.length * (LASTS_MS + BACK_WITHIN_MS) + 900_000,
  }, async () => {
    scene = await openScene({ database: place.url })
    const { answers, supervised, msUntilFinal, conclude } = scene
    const seen = FAULTS.map((fault) => ({ ...fault, refused: 0, unanswered: 0, longest: 0 }))
    for (let round = 0; round < ROUNDS; round++) {
      for (const each of seen) {
        await pause(200)
        const before = { refused: answers.refused, none: answers.none }
        await each.begin()
        await pause(LASTS_MS)
        await each.end()
        each.longest = Math.max(each.longest, await msUntilFinal())
        each.refused += answers.refused - before.refused
        each.unanswered += answers.none - before.none
      }
    }
    const { acknowledged, outcome } = await conclude()
    for (const { what, refused, unanswered, longest } of seen) {
      checkFigures(what, {
        times: ROUNDS,
        'requests refused with a clear 503': refused,
        'requests without an answer': [unanswered, { is: 0 }],
        'ms until a new message is final, at most': [Math.round(longest), { atMost: BACK_WITHIN_MS }],
      })
    }
    expect(answers.unclear).toEqual([])
    checkFigures('a PostgreSQL that cannot take the work', {
      'answers that are neither 200 nor a clear 503': [answers.unclear.length, { is: 0 }],
      'times the process ended': [supervised.ends.length, { is: 0 }],
      'messages acknowledged': acknowledged,
      ...outcome,
    })
  })
})
