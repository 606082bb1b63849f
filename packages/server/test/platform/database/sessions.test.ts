import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Database, StoreUnavailable, type Tx } from '../../../src/store/database.ts'
import { openToRead } from '../../../src/store/open.ts'
import { migrate } from '../../../src/store/schema/migrate.ts'
import { readSetting, writeSetting } from '../../../src/store/settings.ts'
import { open } from '../../support/engine.ts'
import { openPooler, type PoolerOptions } from '../../support/pooler.ts'
import { connectTo, type FreshPostgres, freshPostgres } from '../../support/postgres.ts'

let place: FreshPostgres
beforeAll(async () => {
  place = await freshPostgres()
})
afterAll(() => place.drop())

function opened<D extends { close(): Promise<void> }>(database: D): D {
  onTestFinished(() => database.close())
  return database
}
const toRead = (url: string) => openToRead({ url, postgresConnections: 3, onIdleError: () => {} })

async function execute(...statements: string[]): Promise<void> {
  const client = await connectTo(place.url)
  for (const statement of statements) await client.query(statement)
  await client.end()
}

const ASKED = ['lock_timeout', 'idle_in_transaction_session_timeout', 'transaction_isolation', 'TimeZone']
const IN_ALL = ['10s', 'read committed', 'UTC']
async function settings({ run }: Tx, names: readonly string[] = ASKED): Promise<string[]> {
  const rows = await run<{ value: string }>(
    'SELECT current_setting(name) AS value FROM json_array_elements_text($1) AS name',
    [JSON.stringify(names)],
  )
  return rows.map(({ value }) => value)
}
const planning = (tx: Tx) => settings(tx, ['enable_seqscan', 'jit'])

async function expectSettings(database: Database): Promise<void> {
  expect(await database.read(settings)).toEqual(['200ms', ...IN_ALL])
  expect(await database.write(settings)).toEqual(['5s', ...IN_ALL])
  expect(await database.write(settings, { single: true })).toEqual(['200ms', ...IN_ALL])
  expect(await database.write(planning)).toEqual(['off', 'off'])
}

describe('a session of PostgreSQL', () => {
  it('has our settings where the address has options of its own, which are kept', async () => {
    await execute('CREATE SCHEMA own')
    const options = '-c search_path=own -c lock_timeout=0 -c enable_seqscan=on'
    const database = opened(open(`${place.url}?options=${encodeURIComponent(options)}`))
    await expectSettings(database)
    expect(await database.read((tx) => settings(tx, ['search_path']))).toEqual(['own'])
    await migrate(database)
    await database.write((tx) => writeSetting(tx, 'demo', 'in a schema of its own'))
    expect(await opened(open(place.url)).read((tx) => readSetting(tx, 'demo'))).toBeUndefined()
  })

  it('only reads for commands that read, also where the address has options of its own', async () => {
    const reader = opened(toRead(`${place.url}?options=-c%20default_transaction_read_only%3Doff`))
    expect(await reader.read((tx) => readSetting(tx, 'demo'))).toBeUndefined()
    const changing = reader.read((tx) => writeSetting(tx, 'demo', 'after'))
    await expect(changing).rejects.toMatchObject({ cause: { code: '25006' } })
  })

  it('is read committed, whatever the database has for others', async () => {
    const name = new URL(place.url).pathname.slice(1)
    await execute(
      `ALTER DATABASE ${name} SET default_transaction_isolation = 'serializable'`,
      `ALTER DATABASE ${name} SET idle_in_transaction_session_timeout = 0`,
    )
    onTestFinished(() => execute(`ALTER DATABASE ${name} RESET ALL`))
    await expectSettings(opened(open(place.url)))
  })
})

async function pooled(options: PoolerOptions = {}): Promise<string> {
  const pooler = await openPooler(place.url, options)
  onTestFinished(pooler.close)
  return pooler.url
}

describe('a pooler that drops the options in the address', () => {
  const withOptions = (url: string, options: string) => `${url}?options=${encodeURIComponent(options)}`
  const demo = (url: string) => opened(open(url)).read((tx) => readSetting(tx, 'demo'))

  it('is refused in a sentence, since they may say where our tables are', async () => {
    const url = withOptions(await pooled({ dropsOptions: true }), '-c jit=on -c search_path=elsewhere')
    const reading = demo(url)
    await expect(reading).rejects.toThrow(StoreUnavailable)
    await expect(reading).rejects.toMatchObject({
      cause: { message: expect.stringMatching(/^expected search_path as .*ignore_startup_parameters/) },
    })
  })

  it('does no harm where the role has the same, and where ours replace them', async () => {
    const name = new URL(place.url).pathname.slice(1)
    await execute(`ALTER DATABASE ${name} SET search_path = public`)
    onTestFinished(() => execute(`ALTER DATABASE ${name} RESET ALL`))
    const options = '--search-path=public -c lock_timeout=0'
    expect(await demo(withOptions(await pooled({ dropsOptions: true }), options))).toBeUndefined()
  })
})

describe('a pooler that lends its connections for a transaction each', () => {
  const SHARED = /expected a session of its own, .*pool_mode = session/s

  it('is refused in a sentence by the second connection, for it finds what the first has set', async () => {
    const database = opened(open(await pooled()))
    await database.read((tx) => readSetting(tx, 'demo'))
    const write = database.write((tx) => writeSetting(tx, 'demo', 'shared'))
    await expect(write).rejects.toThrow(StoreUnavailable)
    await expect(write).rejects.toMatchObject({ cause: { message: expect.stringMatching(SHARED) } })
  })

  it('is refused by a connection of another process', async () => {
    const url = await pooled()
    await opened(open(url)).read((tx) => readSetting(tx, 'demo'))
    const reading = opened(toRead(url)).read((tx) => readSetting(tx, 'demo'))
    await expect(reading).rejects.toMatchObject({ cause: { message: expect.stringMatching(SHARED) } })
  })

  it('is refused when what was prepared is gone', async () => {
    const database = opened(open(await pooled({ resets: true })))
    await database.read((tx) => readSetting(tx, 'demo'))
    await database.read(settings)
    const again = database.read(settings)
    await expect(again).rejects.toThrow(StoreUnavailable)
    await expect(again).rejects.toThrow(SHARED)
  })
})
