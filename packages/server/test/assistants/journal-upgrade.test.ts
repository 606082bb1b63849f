import { describe, expect, it, onTestFinished } from 'vitest'
import { migrate } from '../../src/platform/database/migrate.ts'
import { ENGINES } from '../support/bench.ts'
import { makePlace, open } from '../support/engine.ts'

const DAY = 86_400_000

const attempt = (id: string, at: number, changes: object = {}) => ({
  ...{ kind: 'attempt', id, at, connection: 'client:c', tool: 'send_sms', digest: `digest of ${id}` },
  ...{ cost: 5, ...changes },
})
const ended = (id: string, at: number, changes: object = {}) => ({
  ...{ kind: 'end', id, at, outcome: 'sent', ...changes },
})

/** A journal of an earlier version, which kept an entry for each attempt and each end. */
const ENTRIES = [
  attempt('yesterday', DAY + 1),
  ended('yesterday', DAY + 2, { ticket: 't1' }),
  attempt('keyed', 2 * DAY, { key: 'k' }),
  ended('keyed', 2 * DAY + 1, { outcome: 'failed', key: 'k' }),
  attempt('keyed', 2 * DAY + 2, { key: 'k' }),
  ended('keyed', 2 * DAY + 3, { ticket: 't2' }),
  attempt('unpriced', 2 * DAY + 4, { cost: null }),
  attempt('failed', 2 * DAY + 5),
  ended('failed', 2 * DAY + 6, { outcome: 'failed', key: 'other' }),
]

describe.each(ENGINES)('a journal of an earlier version on %s', (engine) => {
  it('keeps its sends and the use of the last day', async () => {
    const place = await makePlace(engine)
    onTestFinished(place.remove)
    const database = open(place.url)
    onTestFinished(() => database.close())
    await migrate(database)
    await database.write(async ({ run }) => {
      for (const table of ['connector_sends', 'connector_days']) await run(`DROP TABLE ${table}`, [])
      await run("DELETE FROM migrations WHERE name LIKE '0027_sends%'", [])
      await run(
        'CREATE TABLE connector_journal (client_id TEXT, seq BIGINT, at BIGINT NOT NULL, entry TEXT NOT NULL)',
        [],
      )
      await run(
        "INSERT INTO accounts (id, name, email, status, created_at) VALUES ('a', 'a', 'a@example.com', 'active', 1)",
        [],
      )
      await run("INSERT INTO clients (id, account_id, created_at) VALUES ('c', 'a', 1)", [])
      for (const [seq, entry] of ENTRIES.entries())
        await run('INSERT INTO connector_journal (client_id, seq, at, entry) VALUES ($1, $2, $3, $4)', [
          ...['c', seq, entry.at, JSON.stringify(entry)],
        ])
    })
    await migrate(database)
    const rows = (text: string) => database.read(({ run }) => run(text, []))
    const kept = { client_id: 'c', failures: 0, attempts: 1, key: null, cost: 5, ticket: null }
    expect(await rows('SELECT * FROM connector_sends ORDER BY at')).toEqual([
      { ...kept, id: 'yesterday', at: DAY + 1, day: 1, digest: 'digest of yesterday', ticket: 't1' },
      {
        ...{ ...kept, id: 'keyed', at: 2 * DAY, day: 2, digest: 'digest of keyed', key: 'k' },
        ...{ ticket: 't2', attempts: 2, failures: 1 },
      },
      { ...kept, id: 'unpriced', at: 2 * DAY + 4, day: 2, digest: 'digest of unpriced', cost: null },
    ])
    expect(await rows('SELECT * FROM connector_days')).toEqual([
      { client_id: 'c', day: 2, messages: 2, spent: 5, unpriced: 1 },
    ])
  })
})
