import { describe, expect, it, onTestFinished } from 'vitest'
import { apartFromMessages, type Database, StoreUnavailable } from '../../src/store/database.ts'
import { createJobQueue } from '../../src/store/job-queue.ts'
import { acceptInto, some } from './accepted.ts'
import { open, useStore } from './engine.ts'
import { lockFile } from './lock.ts'
import { makeWallets, NOW } from './rows-of.ts'

const store = useStore('an SQLite file')

const count = async (database: Database, behind = false) => {
  const [row] = await database.read(
    ({ run }) => run<{ n: number }>('SELECT count(*) AS n FROM messages', []),
    {
      behind,
    },
  )
  return row?.n
}

function anotherProcess(): Database {
  const database = open(store.url)
  onTestFinished(() => database.close())
  return database
}

describe('the intake of an SQLite file', () => {
  it('is emptied piece by piece, and lets others have their turn in between', async () => {
    await makeWallets(store.database, { w: 100_000 })
    await acceptInto(store.database, some(5_000))
    const done: string[] = []
    const looking = count(store.database).then((n) => done.push(`saw ${n}`))
    await new Promise(setImmediate)
    await acceptInto(store.database, some(1)).then(() => done.push('accepted'))
    await looking
    expect(done).toEqual(['accepted', 'saw 5001'])
  })

  it('is emptied by whichever process looks', async () => {
    await makeWallets(store.database, { w: 100_000 })
    await acceptInto(store.database, some(3))
    expect(await count(anotherProcess())).toBe(3)
    await acceptInto(store.database, some(2))
    const jobs = await createJobQueue(anotherProcess()).claim('dispatch', { now: NOW, leaseMs: 1, limit: 9 })
    expect(jobs).toHaveLength(5)
    expect(await count(store.database, true)).toBe(5)
  })

  it('is left alone by a store that is apart from messages', async () => {
    await makeWallets(store.database, { w: 100_000 })
    await acceptInto(store.database, some(2))
    const apart = apartFromMessages(store.database)
    await apart.write(({ run }) => run('DELETE FROM settings', []))
    expect(await count(apart)).toBe(0)
    expect(await count(store.database)).toBe(2)
  })

  it('survives the process that filled it', async () => {
    await makeWallets(store.database, { w: 100_000 })
    const first = open(store.url)
    await acceptInto(first, some(4))
    await first.close()
    expect(await count(store.database, true)).toBe(0)
    expect(await count(store.database)).toBe(4)
  })

  it('makes nobody believe that a message is not there while it cannot be emptied', async () => {
    await makeWallets(store.database, { w: 100_000 })
    await acceptInto(store.database, some(1))
    await store.database.write(({ run }) => run('PRAGMA busy_timeout = 50', []), { behind: true })
    const unlock = await lockFile(store.url)
    try {
      await expect(count(store.database)).rejects.toThrow(StoreUnavailable)
      expect(await count(store.database, true)).toBe(0)
    } finally {
      await unlock()
      await store.database.write(({ run }) => run('PRAGMA busy_timeout = 5000', []))
    }
    expect(await count(store.database)).toBe(1)
  })
})
