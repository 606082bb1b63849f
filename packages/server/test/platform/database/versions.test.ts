import { describe, expect, it, onTestFinished } from 'vitest'
import type { Database, Tx } from '../../../src/store/database.ts'
import { migrate, migrationState, requireSchema } from '../../../src/store/schema/migrate.ts'
import { ENGINES } from '../../support/bench.ts'
import { makeEmptyPlace, open } from '../../support/engine.ts'
import { eventually } from '../../support/eventually.ts'
import { madeUpSteps } from '../../support/made-up-steps.ts'
import { connectTo } from '../../support/postgres.ts'

const SCHEMA = { '0001_schema.sql': 'CREATE TABLE parcels (id BIGINT PRIMARY KEY, colour TEXT)' }
const WIDEN = { '0002_widen_weight.sql': 'ALTER TABLE parcels ADD COLUMN weight BIGINT DEFAULT 0' }
const INDEX = { '0003_index_weight.sql': 'CREATE INDEX parcels_weight ON parcels (weight)' }
const NARROW = { '0004_narrow_after_0002_colour.sql': 'ALTER TABLE parcels DROP COLUMN colour' }
const LATER = { '0005_widen_boxes.sql': 'CREATE TABLE boxes (id BIGINT PRIMARY KEY)' }
const [OLD, MIDDLE, NEW] = [
  SCHEMA,
  { ...SCHEMA, ...WIDEN },
  { ...SCHEMA, ...WIDEN, ...INDEX, ...NARROW, ...LATER },
]

async function emptyDatabase(engine: (typeof ENGINES)[number] = 'PostgreSQL') {
  const place = await makeEmptyPlace(engine)
  const opened: Database[] = []
  onTestFinished(async () => {
    await Promise.all(opened.map((database) => database.close()))
    await place.remove()
  })
  const another = () => {
    const database = open(place.url)
    opened.push(database)
    return database
  }
  return { ...place, database: another(), another }
}

const addParcels = (count: number) => (tx: Tx) =>
  tx.run(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
     INSERT INTO parcels (id) SELECT i FROM n`,
    [],
  )

describe.each(ENGINES)('two versions on one database: %s', (engine) => {
  it('an older one works beside what a newer one added', async () => {
    const { database } = await emptyDatabase(engine)
    const [old, newer] = [await madeUpSteps(OLD), await madeUpSteps({ ...MIDDLE, ...INDEX })]
    await migrate(database, newer)
    const added = ['0002_widen_weight.sql', '0003_index_weight.sql']
    expect(await migrate(database, old)).toEqual({ taken: [], waiting: [], gateways: [], beside: added })
    await requireSchema(database, old.folder)
    expect(await migrationState(database, old.folder)).toEqual({
      pending: [],
      waiting: [],
      unknown: [],
      beside: added,
    })
  })

  it('one that knows what a narrow step follows works beside it, and one that does not is told which step', async () => {
    const { database } = await emptyDatabase(engine)
    await migrate(database, await madeUpSteps(NEW))
    const [old, middle] = [await madeUpSteps(OLD), await madeUpSteps(MIDDLE)]
    expect((await migrate(database, middle)).beside).toEqual(Object.keys({ ...INDEX, ...NARROW, ...LATER }))
    await requireSchema(database, middle.folder)
    const refused =
      'a newer version of wigwag migrated the database (0004_narrow_after_0002_colour.sql, which takes away what this version uses)'
    await expect(migrate(database, old)).rejects.toThrow(refused)
    await expect(requireSchema(database, old.folder)).rejects.toThrow(refused)
  })

  it('a narrow step waits for gateways that do not know what it follows, and the steps after it do not', async () => {
    const { database } = await emptyDatabase(engine)
    const [old, newer] = [await madeUpSteps(OLD), await madeUpSteps(NEW)]
    await migrate(database, old)
    const running = [{ name: 'one', knows: 1 }]
    const options = {
      ...newer,
      gatewaysBefore: async (_: Tx, step: number) =>
        running.filter(({ knows }) => knows < step).map(({ name }) => name),
    }
    const waiting = Object.keys(NARROW)
    const taken = Object.keys({ ...WIDEN, ...INDEX, ...LATER })
    expect(await migrate(database, options)).toEqual({ taken, waiting, gateways: ['one'], beside: [] })
    expect((await migrate(database, options)).gateways).toEqual(['one'])
    await requireSchema(database, newer.folder)
    expect((await migrationState(database, newer.folder)).waiting).toEqual(waiting)
    await database.write(({ run }) => run("INSERT INTO parcels (id, colour) VALUES (1, 'red')", []))
    running[0] = { name: 'one', knows: 2 }
    expect(await migrate(database, options)).toEqual({
      taken: waiting,
      waiting: [],
      gateways: [],
      beside: [],
    })
    await expect(database.read(({ run }) => run('SELECT colour FROM parcels', []))).rejects.toThrow(/colour/)
  })

  it('names that no version gives to its steps are refused', async () => {
    const { database } = await emptyDatabase(engine)
    await migrate(database, await madeUpSteps({ ...OLD, '0002_wider.sql': '-- Nothing.' }))
    await expect(migrate(database, await madeUpSteps(OLD))).rejects.toThrow(
      /newer version.*\(0002_wider\.sql\)/,
    )
  })

  it('a step with a number that an older one has given to another is refused', async () => {
    const { database } = await emptyDatabase(engine)
    await migrate(database, await madeUpSteps(MIDDLE))
    const other = await madeUpSteps({ ...OLD, '0002_widen_height.sql': '-- Nothing.' })
    await expect(migrate(database, other)).rejects.toThrow(/newer version.*\(0002_widen_weight\.sql\)/)
  })
})

/** The server has databases of other tests as well. */
const HERE = 'datname = current_database()'

describe('on PostgreSQL', () => {
  /** An index waits for a transaction that writes, and what writes after it must not. */
  async function besideOneThatWrites() {
    const { database, another, url } = await emptyDatabase()
    await migrate(database, await madeUpSteps(MIDDLE))
    const beside = await connectTo(url)
    onTestFinished(() => beside.end())
    await beside.query('BEGIN; INSERT INTO parcels (id) VALUES (1)')
    return { database, another, beside, steps: await madeUpSteps({ ...MIDDLE, ...INDEX }) }
  }

  it('an index is made while others write, and by one of two that start at once', async () => {
    const { database, another, beside, steps } = await besideOneThatWrites()
    const look = (statement: string) => database.read(({ run }) => run(statement, []))
    const making = [migrate(another(), steps)]
    const progress = `SELECT 1 AS one FROM pg_stat_progress_create_index WHERE ${HERE}`
    await eventually('the index is under way', async () => (await look(progress)).length > 0)
    making.push(migrate(another(), steps))
    const turnedAway = `SELECT 1 AS one FROM pg_stat_activity
      WHERE ${HERE} AND query ~ 'pg_try_advisory_lock' AND state = 'idle'`
    await eventually('the second was turned away', async () => (await look(turnedAway)).length > 0)
    await database.write(({ run }) => run('INSERT INTO parcels (id) VALUES (2)', []))
    await beside.query('COMMIT')
    expect((await Promise.all(making)).flatMap(({ taken }) => taken)).toEqual(Object.keys(INDEX))
    const indexes = "SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = 'parcels_weight'::regclass"
    expect(await database.read(({ run }) => run(indexes, []))).toEqual([{ valid: true }])
  })

  it('an index that was interrupted is made again', async () => {
    const { database, another, beside, steps } = await besideOneThatWrites()
    const making = migrate(another(), steps)
    const isCut = expect(making).rejects.toThrow()
    await eventually('its connection is cut', async () => {
      // Before that it has made nothing yet.
      const cut = `SELECT pg_terminate_backend(pid) FROM pg_stat_progress_create_index
        WHERE ${HERE} AND phase LIKE 'waiting for writers%'`
      return (await database.read(({ run }) => run(cut, []))).length > 0
    })
    await isCut
    await beside.query('COMMIT')
    const valid = "SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = 'parcels_weight'::regclass"
    expect(await database.read(({ run }) => run(valid, []))).toEqual([{ valid: false }])
    expect((await migrate(database, steps)).taken).toEqual(Object.keys(INDEX))
    expect(await database.read(({ run }) => run(valid, []))).toEqual([{ valid: true }])
  })

  it('a step that finds its table locked gives others their turn, and is taken when it is free', async () => {
    const { database, another, url } = await emptyDatabase()
    await migrate(database, await madeUpSteps(OLD))
    await database.write(addParcels(10))
    const dump = await connectTo(url)
    onTestFinished(() => dump.end())
    await dump.query('BEGIN; SELECT count(*) FROM parcels')
    const times = { lockWaitMs: 200, pauseMs: 10 }
    const migrating = migrate(another(), { ...(await madeUpSteps(MIDDLE)), ...times })
    const isQueued = `SELECT 1 AS one FROM pg_locks JOIN pg_database ON oid = database
      WHERE ${HERE} AND NOT granted AND mode = 'AccessExclusiveLock'`
    const queued = async () => (await dump.query(isQueued)).rows.length > 0
    await eventually('the step waits for the table', queued)
    // Behind the step in the queue, and served when the step gives up its place.
    await database.write(({ run }) => run('INSERT INTO parcels (id) VALUES (11)', []))
    await eventually('the step has tried again', queued)
    await dump.query('COMMIT')
    expect((await migrating).taken).toEqual(Object.keys(WIDEN))
  })
})
