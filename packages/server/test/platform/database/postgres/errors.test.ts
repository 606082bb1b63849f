import { describe, expect, it } from 'vitest'
import { enqueue } from '../../../../src/flow/jobs/outbox.ts'
import { JobQueue } from '../../../../src/flow/jobs/queue.ts'
import { StoreUnavailable, type Tx } from '../../../../src/store/database.ts'
import { useStore } from '../../../support/engine.ts'
import { claim, laneOf, unclaimed } from '../../../support/jobs.ts'
import { connectTo } from '../../../support/postgres.ts'
import { NOW } from '../../../support/rows-of.ts'

/** Work that the server refuses with a code. */
const failing =
  (code: string) =>
  ({ run }: Tx) =>
    run(`DO $$ BEGIN RAISE EXCEPTION 'on purpose' USING ERRCODE = '${code}'; END $$`, [])

describe('an error of PostgreSQL', () => {
  const store = useStore('PostgreSQL')
  const failure = (work: (tx: Tx) => Promise<unknown>) =>
    store.database.write(work).then(
      () => undefined,
      (error: unknown) => error,
    )

  it('puts no job off when a statement takes longer than the role may', async () => {
    const { database } = store
    await database.write((tx) => enqueue(tx, [unclaimed('job')]))
    const jobs = await claim(database, laneOf('dispatch'), { now: NOW, leaseMs: 30_000, limit: 1 })
    const error = await failure(async ({ run }) => {
      await run("SET LOCAL statement_timeout = '1ms'", [])
      await run('SELECT pg_sleep(10)', [])
    })
    expect(error).toMatchObject({ name: 'StoreUnavailable', cause: { code: '57014' } })
    await new JobQueue(database).failed(laneOf('dispatch'), jobs, error, NOW)
    const rows = await database.read(({ run }) => run('SELECT faults, run_at AS at FROM outbox', []))
    expect(rows).toEqual([{ faults: 0, at: NOW }])
  })

  it.each([
    '55006',
    '28000',
    '72000',
    '3D000',
    'F0000',
    'HV000',
    '2D000',
    '42501',
    '40001',
    '40P01',
    '09000',
  ])('is no fault of the work: %s', async (code) => {
    const error = await failure(failing(code))
    expect(error).toBeInstanceOf(StoreUnavailable)
    expect(error).toMatchObject({ cause: { code } })
  })

  it.each(['22003', '42703', '54000', 'XX001', 'P0001', '21000'])(
    'is a fault of the work: %s',
    async (code) => {
      expect(await failure(failing(code))).toMatchObject({ code })
    },
  )

  it('ends a connection whose statements were prepared before the schema changed', async () => {
    const [database, other] = [store.another(), await connectTo(store.url)]
    await other.query('CREATE TABLE changing (a BIGINT)')
    const look = () => database.read(({ run }) => run('SELECT * FROM changing', []))
    await look()
    await other.query('ALTER TABLE changing ADD COLUMN b BIGINT')
    await expect(look()).rejects.toThrow(StoreUnavailable)
    expect(await look()).toEqual([])
    await other.end()
  })
})
