import { chmodSync, readdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { StoreUnavailable } from '../../../src/store/database.ts'
import { insertRows } from '../../../src/store/rows.ts'
import { migrate, migrationState } from '../../../src/store/schema/migrate.ts'
import { writeSetting } from '../../../src/store/settings.ts'
import { openSqliteToRead, SqliteDatabase } from '../../../src/store/sqlite/sqlite.ts'
import { makePlace, open, useStore } from '../../support/engine.ts'
import { lockFile } from '../../support/lock.ts'
import { NOW } from '../../support/rows-of.ts'
import { stopRealTime } from '../../support/still-time.ts'

const store = useStore('an SQLite file')

const pragma = (name: string, on: 'read' | 'write') =>
  store.database[on](async ({ run }) => {
    const [row] = await run<Record<string, unknown>>(`PRAGMA ${name}`, [])
    return row && Object.values(row)[0]
  })

const replies = (count: number, size: number) =>
  Array.from({ length: count }, (_, index) => ({
    scope: `scope-${index}`,
    fingerprint: 'f',
    response: 'x'.repeat(size),
    createdAt: NOW,
  }))

const pathOf = (url: string) => url.replace(/^file:/, '')

/** A handle that gives up on a lock after a moment. */
const openBriefly = (url: string) =>
  new SqliteDatabase({
    path: pathOf(url),
    lockWaitMs: 50,
    onFatal(error) {
      throw error
    },
  })

/** A database that no one has open, in a folder that holds nothing else. */
async function closedFile() {
  const place = await makePlace('an SQLite file')
  onTestFinished(place.remove)
  const database = open(place.url)
  await migrate(database)
  await database.close()
  return place
}

describe('an SQLite file', () => {
  it.each([
    ['journal_mode', 'wal'],
    ['synchronous', 2],
    ['foreign_keys', 1],
    ['busy_timeout', 0],
  ])('is written with %s = %s', async (name, value) => {
    expect(await pragma(name, 'write')).toBe(value)
  })

  it('lets nothing else run between the statements of a short write', async () => {
    stopRealTime()
    const between = await store.database.write(async (tx) => {
      let others = 0
      const other = turn().then(() => others++)
      await writeSetting(tx, 'demo', 'written')
      await tx.db.update(tx.t.settings).set({ value: 'changed' })
      await tx.db.select().from(tx.t.settings)
      await tx.db.delete(tx.t.settings)
      const ran = others
      await other
      return ran
    })
    expect(between).toBe(0)
  })

  it.each(['kept', 'taken back'])(
    'lets the event loop go on in a long write, which others see once it is %s',
    async (end) => {
      const COUNT = 3_000
      const database = openBriefly((await closedFile()).url)
      onTestFinished(() => database.close())
      const stored = () =>
        database.read(({ run }) => run<{ count: number }>('SELECT count(*) AS count FROM idempotency', []))
      let turns = 0
      let over = false
      const seen: number[] = []
      async function look(): Promise<void> {
        for (; !over; turns++) {
          seen.push((await stored())[0]?.count ?? -1)
          await turn()
        }
      }
      const writing = database.write(async (tx) => {
        // One statement each, so that the whole takes far longer than a slice.
        for (const row of replies(COUNT, 4_000)) await insertRows(tx, tx.t.idempotency, [row])
        over = true
        if (end === 'taken back') throw new Error('on purpose')
      })
      const looking = look()
      if (end === 'kept') await writing
      else await expect(writing).rejects.toThrow('on purpose')
      await looking
      expect(turns).toBeGreaterThanOrEqual(3)
      expect(new Set(seen)).toEqual(new Set([0]))
      expect(await stored()).toEqual([{ count: end === 'kept' ? COUNT : 0 }])
    },
  )

  it('is read by a connection that changes nothing, and never puts the thread to sleep', async () => {
    expect(await pragma('busy_timeout', 'read')).toBe(0)
    const writing = store.database.read(({ run }) => run('DELETE FROM settings', []))
    await expect(writing).rejects.toThrow(/readonly/)
  })

  it('refuses a row that points nowhere', async () => {
    const row = ['w', 'no such account', 'GHS', 0, 0, 0]
    const orphan = store.database.write(({ run }) =>
      run(
        `INSERT INTO wallets (id, account_id, currency, posted, held, created_at)
         VALUES ($1, $2, $3, $4, $5, $6)`,
        row,
      ),
    )
    await expect(orphan).rejects.toThrow(/FOREIGN KEY/)
  })

  it('is unavailable while another process keeps it locked, and is read all the same', async () => {
    const database = openBriefly(store.url)
    const unlock = await lockFile(store.url)
    try {
      const writing = database.write(({ run }) => run('DELETE FROM settings', []))
      await expect(writing).rejects.toThrow(StoreUnavailable)
      await expect(writing).rejects.toThrow('locked by another program')
      expect(await database.read(({ run }) => run('SELECT name FROM migrations', []))).not.toEqual([])
    } finally {
      await unlock()
    }
    await database.write(({ run }) => run('DELETE FROM settings', []))
    await database.close()
  })

  it('lets the event loop go on while a write waits for another process, and is written when that is done', async () => {
    const unlock = await lockFile(store.url)
    const writing = store.database.write(({ run }) => run('DELETE FROM settings', []))
    const turns = await Promise.race([writing.then(() => 'no turn'), pause(100).then(() => 'turns')])
    await unlock()
    await writing
    expect(turns).toBe('turns')
  })

  it('is unavailable to open, too, while another process keeps everyone out', async () => {
    const { url } = await closedFile()
    const unlock = await lockFile(url, 'readers')
    expect(() => openSqliteToRead(pathOf(url), 50)).toThrow(StoreUnavailable)
    expect(() => openBriefly(url)).toThrow('locked by another program')
    await unlock()
    await openBriefly(url).close()
  })

  it('is read when another process has recovered its log, and is unavailable when the disk does not read', async () => {
    const read = (...codes: string[]) =>
      store.database.read(async () => {
        const code = codes.shift()
        if (code) throw new Sqlite.SqliteError('on purpose', code)
        return 'read'
      })
    expect(await read('SQLITE_BUSY_RECOVERY', 'SQLITE_BUSY_RECOVERY')).toBe('read')
    const failing = read('SQLITE_IOERR_READ')
    await expect(failing).rejects.toThrow(StoreUnavailable)
    await expect(failing).rejects.toThrow('the database cannot be read: SQLITE_IOERR_READ')
  })

  it('is made for its owner alone, with its log', async () => {
    const { url, remove } = await makePlace('an SQLite file')
    onTestFinished(remove)
    const database = open(url)
    await migrate(database)
    const modes = ['', '-wal', '-shm'].map((ending) => statSync(pathOf(url) + ending).mode & 0o777)
    expect(modes).toEqual([0o600, 0o600, 0o600])
    await database.close()
  })

  it('keeps the permissions that it was given', async () => {
    const { url } = await closedFile()
    chmodSync(pathOf(url), 0o640)
    await open(url).close()
    expect(statSync(pathOf(url)).mode & 0o777).toBe(0o640)
  })

  it('keeps its log when one of several closes, and leaves no log behind when the last one does', async () => {
    const { url } = await closedFile()
    const first = open(url)
    await first.write(({ run }) => run('DELETE FROM settings', []))
    await first.write(({ run }) => run("INSERT INTO settings VALUES ('demo', 'kept')", []))
    const logged = statSync(`${pathOf(url)}-wal`).size
    const second = open(url)
    expect((await migrate(second)).taken).toEqual([])
    await second.close()
    expect(statSync(`${pathOf(url)}-wal`).size).toBe(logged)
    await first.close()
    expect(readdirSync(dirname(pathOf(url)))).toEqual(['wigwag.db'])
  })

  it('that is only looked at stays as it is, and nothing is left beside it', async () => {
    const { url } = await closedFile()
    const before = { ...statSync(pathOf(url)), atimeMs: 0, atime: undefined }
    const reader = openSqliteToRead(pathOf(url))
    expect((await migrationState(reader)).pending).toEqual([])
    await expect(reader.read(({ run }) => run('DELETE FROM settings', []))).rejects.toThrow(/readonly/)
    await reader.close()
    expect({ ...statSync(pathOf(url)), atimeMs: 0, atime: undefined }).toEqual(before)
    expect(readdirSync(dirname(pathOf(url)))).toEqual(['wigwag.db'])
  })

  it('has a schema that is known without a lock when there is nothing to do', async () => {
    const { url } = await closedFile()
    const database = openBriefly(url)
    const unlock = await lockFile(url)
    expect((await migrate(database)).taken).toEqual([])
    await unlock()
    await database.close()
  })

  it('is unavailable when the disk is full, keeps what it had, and goes on when there is room again', async () => {
    await store.database.write((tx) => insertRows(tx, tx.t.idempotency, replies(1, 10)))
    const pages = await pragma('page_count', 'write')
    await store.database.write(({ run }) => run(`PRAGMA max_page_count = ${pages}`, []))
    const count = async () =>
      (await store.database.read(({ db, t }) => db.select().from(t.idempotency))).length
    const filling = store.database.write(async (tx) => {
      await tx.run('DELETE FROM idempotency', [])
      await insertRows(tx, tx.t.idempotency, replies(100, 20_000))
    })
    await expect(filling).rejects.toThrow(StoreUnavailable)
    expect(await count()).toBe(1)
    await store.database.write(({ run }) => run('PRAGMA max_page_count = 1073741823', []))
    await store.database.write(async (tx) => {
      await tx.run('DELETE FROM idempotency', [])
      await insertRows(tx, tx.t.idempotency, replies(100, 20_000))
    })
    expect(await count()).toBe(100)
  })

  it('ends the process when a flush has failed, for what the disk holds is unknown', async () => {
    const fatal: string[] = []
    const database = new SqliteDatabase({ path: ':memory:', onFatal: (error) => fatal.push(error.message) })
    const failing = database.write(async () => {
      throw new Sqlite.SqliteError('disk I/O error', 'SQLITE_IOERR_FSYNC')
    })
    await expect(failing).rejects.toThrow(StoreUnavailable)
    expect(fatal).toEqual(['disk I/O error'])
    await database.close()
  })

  it('goes on when only the index of its log finds no room, for nothing is written by then', async () => {
    const fatal: string[] = []
    const database = new SqliteDatabase({ path: ':memory:', onFatal: (error) => fatal.push(error.message) })
    const failing = database.write(async () => {
      throw new Sqlite.SqliteError('disk I/O error', 'SQLITE_IOERR_SHMSIZE')
    })
    await expect(failing).rejects.toThrow(StoreUnavailable)
    expect(fatal).toEqual([])
    await database.close()
  })
})
