import { describe, expect, it } from 'vitest'
import { keysOf } from '../routes/keys.ts'
import { type Harness, openHarness } from '../support/harness.ts'

const USED = 'SELECT kind, used_at FROM keys ORDER BY kind'
const MINUTE = 60_000

const used = ({ database }: Harness) =>
  database.read(({ run }) => run<{ kind: string; used_at: number }>(USED, []))

/** Counts the rows that are written to from now on. */
async function countWrites({ database }: Harness): Promise<() => Promise<number>> {
  await database.write(async ({ run }) => {
    await run('CREATE TABLE noted (id TEXT)', [])
    await run(
      'CREATE TRIGGER note AFTER UPDATE OF used_at ON keys BEGIN INSERT INTO noted VALUES (new.id); END',
      [],
    )
  })
  return async () => (await database.read(({ run }) => run('SELECT id FROM noted', []))).length
}

describe('the last use of a key', () => {
  it('is written at most once a minute, however often the key is used', async () => {
    const harness = await openHarness()
    const writes = await countWrites(harness)
    for (let second = 0; second < 150; second++) {
      expect((await harness.getBalance()).status).toBe(200)
      await harness.advance(1_000)
    }
    // Two keys, at the start and after the first and the second minute.
    expect(await writes()).toBe(6)
  })

  it('is not written by the request itself, and never by one that is refused', async () => {
    const harness = await openHarness()
    const before = await used(harness)
    await harness.getBalance()
    expect(await used(harness)).toEqual(before)
    const wrong = { authorization: `Basic ${btoa(`${harness.demo.clientId}:wrong`)}` }
    await harness.advance(2 * MINUTE)
    const after = await used(harness)
    expect(after).not.toEqual(before)
    expect((await harness.getBalance(wrong)).status).toBe(401)
    await harness.advance(2 * MINUTE)
    expect(await used(harness)).toEqual(after)
  })

  it('costs no request its answer when it cannot be written', async () => {
    const harness = await openHarness()
    await harness.database.write(({ run }) =>
      run(
        "CREATE TRIGGER refuse BEFORE UPDATE OF used_at ON keys BEGIN SELECT raise(ABORT, 'no room'); END",
        [],
      ),
    )
    await harness.getBalance()
    await harness.advance(2_000)
    expect((await harness.getBalance()).status).toBe(200)
    await harness.database.write(({ run }) => run('DROP TRIGGER refuse', []))
    await harness.advance(2_000)
    await harness.getBalance()
    await harness.advance(2_000)
    expect((await keysOf(harness)).filter(({ LastUsed }) => LastUsed).map(({ Kind }) => Kind)).toEqual([
      'client',
      'wallet',
    ])
  })
})
