import { copyFileSync, utimesSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { loadConfig } from '../../src/config/config.ts'
import { compose } from '../../src/gateway/compose.ts'
import { inspect } from '../../src/operate/doctor/checks.ts'
import { migrate } from '../../src/store/schema/migrate.ts'
import { aPlace } from '../support/bench.ts'
import { makePlace, open, type Place } from '../support/engine.ts'
import { openKept } from '../support/kept.ts'
import { connectTo } from '../support/postgres.ts'
import { makeWallets } from '../support/rows-of.ts'
import { moved, opened } from './moved.ts'

const stop = new Error('stopped in the middle')

/** Copies everything, and is interrupted before anything is compared. */
async function interrupted(path: string, url: string): Promise<void> {
  const move = moved(path, url, (what) => {
    if (what === 'rows compared') throw stop
  })
  await expect(move).rejects.toBe(stop)
}

async function change(url: string, statement: string): Promise<void> {
  const client = await connectTo(url)
  await client.query(statement)
  await client.end()
}

function startOn(database: string) {
  const config = loadConfig({ database }, {}, import.meta.dirname)
  const onFatal = (error: Error) => {
    throw error
  }
  return compose(config, { log: pino({ level: 'silent' }), onFatal, openDatabase: openKept })
}

describe('a move is refused', () => {
  let place: Place
  let path: string
  beforeAll(async () => {
    place = await makePlace('an SQLite file')
    path = place.url.slice('file:'.length)
    const database = open(place.url)
    await migrate(database)
    await makeWallets(database, { w: 100, v: 7 })
    await database.close()
  })
  afterAll(() => place.remove())

  const aTarget = () => aPlace('PostgreSQL')
  /** Another file like the source, to be changed. */
  function copied(): string {
    const copy = `${path}-${Math.round(performance.now() * 1_000)}`
    copyFileSync(path, copy)
    return copy
  }

  it('while a gateway has the file open, idle or busy', async () => {
    const file = copied()
    const idle = new Sqlite(file)
    onTestFinished(() => void idle.close())
    idle.pragma('journal_mode = WAL')
    idle.prepare('SELECT count(*) FROM accounts').get()
    const target = await aTarget()
    await expect(moved(file, target)).rejects.toThrow(
      `a gateway or another program has ${file} open: stop it first`,
    )
    idle.exec("UPDATE accounts SET name = 'busy'")
    await expect(moved(file, target)).rejects.toThrow(
      `changes that are only in ${file}-wal: a gateway runs on it`,
    )
  })

  it('keeps a gateway from starting on the file while it runs', async () => {
    const [target, file] = [await aTarget(), copied()]
    await moved(file, target, async () => {
      const gateway = new Sqlite(file, { timeout: 0 })
      expect(() => gateway.pragma('journal_mode = WAL')).toThrow(/locked/)
      gateway.close()
    })
  })

  it('when the file has the schema of an earlier or a later version', async () => {
    const target = await aTarget()
    const change = (statement: string) => {
      const file = copied()
      const database = new Sqlite(file)
      database.exec(statement)
      database.close()
      return file
    }
    const earlier = change("DELETE FROM migrations WHERE name = '0001_schema.sql'")
    await expect(moved(earlier, target)).rejects.toThrow(
      `run wigwag migrate --database file:${earlier} first`,
    )
    const later = change("INSERT INTO migrations (name) VALUES ('9999_later.sql')")
    await expect(moved(later, target)).rejects.toThrow(
      /: a newer version of wigwag migrated the database \(9999_later\.sql\)/,
    )
    // Rows and columns of an unknown step would stay behind.
    const wider = change("INSERT INTO migrations (name) VALUES ('9998_widen_future.sql')")
    await expect(moved(wider, target)).rejects.toThrow(/: a newer version .* \(9998_widen_future\.sql\)/)
  })

  it('when the database to move into has rows, and leaves them alone', async () => {
    const target = await aTarget()
    await change(target, "INSERT INTO settings (name, value) VALUES ('demo', 'x')")
    await expect(moved(path, target)).rejects.toThrow(
      'expected an empty database to move into, but this one has rows in settings: make a new database',
    )
    const rows = await opened(target).read(({ run }) => run('SELECT name FROM settings', []))
    expect(rows).toEqual([{ name: 'demo' }])
  })

  it('when the file has changed since an interrupted move, or is another one', async () => {
    const target = await aTarget()
    const file = copied()
    await interrupted(file, target)
    await expect(moved(path, target)).rejects.toThrow(/this database holds a part of .*: finish that move/)
    utimesSync(file, new Date(1_000), new Date(2_000))
    await expect(moved(file, target)).rejects.toThrow(/has changed since the move into this database began/)
  })
})

describe('a database that is half moved', () => {
  let full: Place
  beforeAll(async () => {
    full = await makePlace('an SQLite file')
    const source = open(full.url)
    await migrate(source)
    await makeWallets(source, { w: 100 })
    await source.write(({ run }) =>
      run("INSERT INTO audit (id, at, actor, action, detail) VALUES ('a', 1, 'cli', 'x', '{}')", []),
    )
    await source.close()
  })
  afterAll(() => full.remove())

  /** A file to move, and where to. */
  async function aMove(): Promise<{ path: string; url: string }> {
    const file = await aPlace('an SQLite file')
    const path = file.slice('file:'.length)
    copyFileSync(full.url.slice('file:'.length), path)
    return { path, url: await aPlace('PostgreSQL') }
  }

  it('is refused by gateways and named by the doctor, until the same move has finished', async () => {
    const { path, url } = await aMove()
    await interrupted(path, url)
    const half = `the move of ${path} into this database has not finished: run the same wigwag move again`
    await expect(startOn(url)).rejects.toThrow(half)
    const named = async () => (await inspect(opened(url), loadConfig({ database: url }, {}))).filter(isMove)
    expect(await named()).toMatchObject([{ state: 'fail', detail: expect.stringContaining(half) }])
    expect((await moved(path, url)).same).toBe(true)
    expect(await named()).toEqual([])
    await (await startOn(url)).stop()
  })

  it.each([
    ['a changed text', "UPDATE accounts SET name = 'x'", 'accounts'],
    ['a missing row', 'DELETE FROM audit', 'audit'],
    ['a changed amount', 'UPDATE wallets SET posted = posted + 1', 'wallets'],
  ])('stays refused with %s', async (_, statement, table) => {
    const { path, url } = await aMove()
    const comparison = await moved(path, url, async (what) => {
      if (what === 'rows compared') await change(url, statement)
    })
    expect(comparison.same).toBe(false)
    expect(comparison.tables.filter(({ same }) => !same).map(({ table: name }) => name)).toEqual([table])
    const uneven = comparison.books.filter(({ from, to }) => from !== to).map(({ what }) => what)
    expect(uneven).toEqual(table === 'wallets' ? ['in wallets', 'wallets that do not add up'] : [])
    await expect(startOn(url)).rejects.toThrow(/has not finished/)
  })
})

const isMove = ({ check }: { check: string }) => check === 'move'
