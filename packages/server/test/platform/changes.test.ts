import { describe, expect, it, onTestFinished } from 'vitest'
import { Changes } from '../../src/flow/changes.ts'
import type { Notices } from '../../src/store/database.ts'
import { payloadsOf } from '../../src/store/postgres/notices.ts'
import { aPlace } from '../support/bench.ts'
import { open } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import { connectTo } from '../support/postgres.ts'

const unexpected = (error: unknown) => {
  throw error
}

function changesWith(
  notices: Notices | undefined,
  onFault: (error: unknown) => void = unexpected,
  lingerMs = 0,
): Changes {
  const changes = new Changes({ notices, onFault, everyMs: 20, lingerMs })
  onTestFinished(() => changes.close())
  return changes
}

/** Hears a wallet, and counts. */
function ear(changes: Changes, walletId: string) {
  const heard = { times: 0, stop: () => {} }
  heard.stop = changes.listen(walletId, () => heard.times++)
  return heard
}

describe('changes of a wallet', () => {
  it('are heard soon, once for many, and by those who listen to this wallet', async () => {
    const changes = changesWith(undefined)
    const [w, other, next] = [ear(changes, 'w'), ear(changes, 'other'), ear(changes, 'next')]
    for (let times = 0; times < 1_000; times++) changes.note('w')
    expect(w.times).toBe(0)
    await eventually('it is heard', () => w.times > 0)
    changes.note('next')
    await eventually('what came after it is heard', () => next.times > 0)
    expect([w.times, other.times]).toEqual([1, 0])
  })

  it('are not heard any more by those who stopped', async () => {
    const changes = changesWith(undefined)
    const [w, again] = [ear(changes, 'w'), ear(changes, 'w')]
    w.stop()
    changes.note('w')
    await eventually('the other hears', () => again.times > 0)
    expect(w.times).toBe(0)
  })
})

describe('changes on PostgreSQL', () => {
  async function processes(count: number) {
    const url = await aPlace('PostgreSQL')
    return Array.from({ length: count }, () => {
      const database = open(url)
      const changes = new Changes({
        notices: database.notices,
        onFault: unexpected,
        everyMs: 20,
        lingerMs: 0,
      })
      onTestFinished(async () => {
        await changes.close()
        await database.close()
      })
      return { url, database, changes }
    })
  }
  /** In the database of the connection: others of the server are those of other tests. */
  const HERE = '(SELECT oid FROM pg_database WHERE datname = current_database())'
  const listeningOn = async (url: string): Promise<number> => {
    const client = await connectTo(url)
    const { rows } = await client.query(
      `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted AND database = ${HERE}`,
    )
    await client.end()
    return rows.length
  }

  it('are heard in other processes, and not twice in their own', async () => {
    const [a, b] = await processes(2)
    if (!a || !b) throw new Error('expected two')
    const [here, there] = [ear(a.changes, 'w'), ear(b.changes, 'w')]
    await eventually('both are told to look at the start', () => here.times === 1 && there.times === 1)
    a.changes.note('w')
    await eventually('both hear', () => here.times > 1 && there.times > 1)
    const [hereNext, thereNext] = [ear(a.changes, 'next'), ear(b.changes, 'next')]
    a.changes.note('next')
    await eventually('both hear what came after it', () => hereNext.times > 0 && thereNext.times > 0)
    expect([here.times, there.times]).toEqual([2, 2])
  })

  it('of hundreds of wallets are told in payloads that PostgreSQL takes', async () => {
    const [a, b] = await processes(2)
    if (!a || !b) throw new Error('expected two')
    const wallets = Array.from(
      { length: 500 },
      (_, index) => `01a20323-ebee-74fb-8152-${String(index).padStart(12, '0')}`,
    )
    const ears = wallets.map((wallet) => ear(b.changes, wallet))
    await eventually('they are ready', () => ears.every(({ times }) => times === 1))
    for (const wallet of wallets) a.changes.note(wallet)
    await eventually('all hear', () => ears.every(({ times }) => times === 2))
    const payloads = payloadsOf('123', wallets)
    expect(payloads.length).toBeGreaterThan(1)
    expect(Math.max(...payloads.map(({ length }) => length))).toBeLessThan(8_000)
  })

  it('need a connection only while someone listens', async () => {
    const [a, b] = await processes(2)
    if (!a || !b) throw new Error('expected two')
    const there = ear(b.changes, 'w')
    await eventually('it is told to look at the start', () => there.times === 1)
    a.changes.note('w')
    await eventually('the other hears', () => there.times === 2)
    expect(await listeningOn(a.url)).toBe(1)
    const here = ear(a.changes, 'w')
    await eventually('both listen', async () => (await listeningOn(a.url)) === 2)
    here.stop()
    await eventually('one does not', async () => (await listeningOn(a.url)) === 1)
  })

  it('are looked for after a connection was lost', async () => {
    const [a, b] = await processes(2)
    if (!a || !b) throw new Error('expected two')
    const w = ear(b.changes, 'w')
    await eventually('it is told to look at the start', () => w.times === 1)
    const client = await connectTo(b.url)
    await client.query(
      `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND database = ${HERE}`,
    )
    await client.end()
    await eventually('it is told to look again', () => w.times === 2)
    a.changes.note('w')
    await eventually('it hears again', () => w.times === 3)
  })
})

describe('changes that could not be told', () => {
  it('are told later, and the failure is reported once', async () => {
    const [told, faults]: [string[][], unknown[]] = [[], []]
    let fails = 1
    const notices: Notices = {
      async send(words) {
        if (fails-- > 0) throw new Error('no connection')
        told.push([...words])
      },
      listen: () => () => {},
    }
    const changes = changesWith(notices, (error) => faults.push(error))
    changes.note('w')
    await eventually('it failed', () => faults.length === 1)
    await changes.close()
    expect(told).toEqual([['w']])
  })
})
