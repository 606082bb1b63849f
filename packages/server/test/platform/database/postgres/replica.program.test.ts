import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { loadConfig } from '../../../../src/config/config.ts'
import {
  type Database,
  type ReadOnlyDatabase,
  type Replica,
  StoreUnavailable,
} from '../../../../src/store/database.ts'
import { openToRead } from '../../../../src/store/open.ts'
import { FollowedStandby } from '../../../../src/store/postgres/replica.ts'
import { migrate } from '../../../../src/store/schema/migrate.ts'
import { readSetting, writeSetting } from '../../../../src/store/settings.ts'
import { openBench } from '../../../support/bench.ts'
import { open } from '../../../support/engine.ts'
import { eventually } from '../../../support/eventually.ts'
import { MESSAGE } from '../../../support/harness.ts'
import { forkPostgresPair, type PostgresPair } from '../../../support/postgres.fork.ts'
import { connectTo, freshPostgres } from '../../../support/postgres.ts'

let pair: PostgresPair
let database: Database

beforeAll(async () => {
  pair = await forkPostgresPair()
  database = open(pair.url)
  await migrate(database)
})
afterAll(async () => {
  await database.close()
  await pair.stop()
})

const set = (value: string) => database.write((tx) => writeSetting(tx, 'write_probe', value))
const get = (replica: Replica) => replica.read((tx) => readSetting(tx, 'write_probe'))

function openStandby(url = pair.standby): ReadOnlyDatabase {
  const standby = openToRead({ url, postgresConnections: 3, answerWithinMs: 2_000, onIdleError() {} })
  onTestFinished(() => standby.close())
  return standby
}

/** A replica whose time passes by hand. */
function follow(standby = openStandby()) {
  const turns: (string | undefined)[] = []
  const time = { now: 0 }
  const clock = { elapsed: () => time.now }
  const replica = new FollowedStandby({
    database,
    standby,
    clock,
    onTurn: (reason) => turns.push(reason?.message),
  })
  const readsFromStandby = () =>
    replica.read(async ({ run }) => {
      const [row] = await run<{ yes: boolean }>('SELECT pg_is_in_recovery() AS yes', [])
      return row?.yes === true
    })
  /** Reads until the reads come from the standby, or no longer do; says why they last turned. */
  const becomes = async (fromStandby: boolean) => {
    await eventually(`reads come from the standby: ${fromStandby}`, async () => {
      time.now += 300
      const isSo = (await readsFromStandby()) === fromStandby
      return isSo && turns.length > 0 && (turns.at(-1) === undefined) === fromStandby ? true : undefined
    })
    return turns.at(-1)
  }
  return { replica, time, readsFromStandby, becomes }
}

const SLOW = 'SELECT pg_is_in_recovery() AS yes FROM pg_sleep(1.5)'

/** Lets the standby receive and not apply what is written. */
async function halt(): Promise<() => Promise<void>> {
  const client = await connectTo(pair.standby)
  onTestFinished(() => client.end())
  await client.query('SELECT pg_wal_replay_pause()')
  await eventually('it is paused', async () => {
    const { rows } = await client.query('SELECT pg_get_wal_replay_pause_state() AS state')
    return rows[0]?.state === 'paused' ? true : undefined
  })
  const go = async () => void (await client.query('SELECT pg_wal_replay_resume()'))
  onTestFinished(go)
  return go
}

describe('reads that may be a second old', () => {
  it('come from the standby when it is known to follow, and wait for nothing to learn it', async () => {
    const { readsFromStandby, becomes } = follow()
    expect(await readsFromStandby()).toBe(false)
    await becomes(true)
    expect(await readsFromStandby()).toBe(true)
  })

  it('come from the database a second after the standby has stopped to apply, and from the standby again', async () => {
    const { replica, time, readsFromStandby, becomes } = follow()
    await set('before')
    await becomes(true)
    const go = await halt()
    await set('after')
    expect([await readsFromStandby(), await get(replica)]).toEqual([true, 'before'])
    time.now += 1_001
    expect([await readsFromStandby(), await get(replica)]).toEqual([false, 'after'])
    expect(await becomes(false)).toBe('it is more than a second behind')
    await go()
    await becomes(true)
    expect([await readsFromStandby(), await get(replica)]).toEqual([true, 'after'])
  })

  it('go on when the standby ends, and return to it', async () => {
    const { replica, becomes } = follow()
    await set('still there')
    await becomes(true)
    await pair.end(1, 'SIGKILL')
    expect(await get(replica)).toBe('still there')
    expect(await becomes(false)).toMatch(/connection|PostgreSQL/)
    expect(await get(replica)).toBe('still there')
    await pair.start(1)
    // The connections from before are broken, and each takes one read with it, which the database answers.
    await becomes(true)
  })

  it('come from the standby again after one that took long there', async () => {
    const { replica, becomes, readsFromStandby } = follow()
    await becomes(true)
    // Long enough for a server that takes writes to be asked whether it is still there.
    const slow = replica.read(({ run }) => run<{ yes: boolean }>(SLOW, []))
    expect((await slow).map(({ yes }) => yes)).toEqual([true])
    expect(await readsFromStandby()).toBe(true)
  })

  it('never come from another database, nor from one that follows nothing', async () => {
    const other = await freshPostgres()
    onTestFinished(other.drop)
    expect(await follow(openStandby(other.url)).becomes(false)).toBe('it is another database')
    expect(await follow(openStandby(pair.url)).becomes(false)).toBe('it is no standby')
  })

  it('fail as the database fails', async () => {
    const { replica, becomes } = follow()
    await becomes(true)
    await expect(replica.read(({ run }) => run('SELECT 1 / 0', []))).rejects.toThrow('division by zero')
    const gone: Replica = { read: () => Promise.reject(new StoreUnavailable('away')) }
    await expect(
      new FollowedStandby({
        database: gone,
        standby: openStandby(),
        clock: { elapsed: () => 0 },
        onTurn() {},
      }).read(({ run }) => run('SELECT 1', [])),
    ).rejects.toThrow('away')
  })
})

describe('a gateway with WIGWAG_DATABASE_READ_URL', () => {
  it('searches the standby, and answers about a message from the database', async () => {
    const bench = await openBench({ database: pair.url, config: { databaseRead: pair.standby } })
    const send = async () => {
      const { Ticket } = await (await bench.call('POST', '/v1/messages/sms', {}, MESSAGE)).json()
      return String(Ticket)
    }
    const found = async () => {
      const { Items } = await (await bench.call('GET', '/v1/messages?limit=100')).json()
      return (Items as { MessageId: string }[]).map(({ MessageId }) => MessageId)
    }
    const first = await send()
    await bench.until('the standby follows', async () => {
      const [row] = await bench.replica.read(({ run }) =>
        run<{ yes: boolean }>('SELECT pg_is_in_recovery() AS yes', []),
      )
      return row?.yes === true
    })
    await eventually('it has the message', async () => ((await found()).includes(first) ? true : undefined))
    const go = await halt()
    const second = await send()
    expect(await found()).toEqual([first])
    expect((await bench.call('GET', `/v1/messages/${second}`)).status).toBe(200)
    bench.pass(1_001)
    expect(await found()).toEqual([second, first])
    await go()
  })

  it('refuses a standby of SQLite', () => {
    for (const database of [undefined, 'file:./wigwag.db'])
      expect(() => loadConfig({ ...(database && { database }), databaseRead: pair.standby }, {})).toThrow(
        'WIGWAG_DATABASE_READ_URL: expected postgres://… of a standby of WIGWAG_DATABASE_URL, which is PostgreSQL then.',
      )
  })
})
