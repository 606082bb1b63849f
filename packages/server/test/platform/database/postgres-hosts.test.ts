import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Database, StoreUnavailable, type Tx } from '../../../src/store/database.ts'
import { type OpenOptions, openDatabase, openToRead } from '../../../src/store/open.ts'
import { Hosts } from '../../../src/store/postgres/hosts.ts'
import { migrate } from '../../../src/store/schema/migrate.ts'
import { readSetting, writeSetting } from '../../../src/store/settings.ts'
import { eventually } from '../../support/eventually.ts'
import { freePort } from '../../support/free-port.ts'
import { handPulse } from '../../support/hand-pulse.ts'
import { holdCommits } from '../../support/held-commits.ts'
import { forkPostgresPair, type PostgresPair } from '../../support/postgres.fork.ts'
import { openWire, type Wire } from '../../support/wire.ts'

const AN_HOUR = 3_600_000
/** In real time: longer than the server that serves takes on a slow machine, and as long as one that is silent costs. */
const CONNECT_WITHIN_MS = 5_000
let pair: PostgresPair
beforeAll(async () => {
  pair = await forkPostgresPair()
  const database = open(pair.url)
  await migrate(database)
  await database.close()
})
afterAll(() => pair?.stop())

/** One address for the hosts of several, in this order. */
function joined(urls: readonly string[], options = ''): string {
  const address = new URL(urls[0] ?? '')
  const hosts = urls.map((url) => new URL(url).host).join(',')
  return `postgres://${address.username}:${address.password}@${hosts}${address.pathname}${options}`
}

const whatever = { postgresConnections: 3, onFatal: () => {}, onIdleError: () => {} }
function open(url: string, times: Partial<OpenOptions> = {}): Database {
  return openDatabase({ url, ...times, ...whatever })
}
function opened<D extends { close(): Promise<void> }>(database: D): D {
  onTestFinished(() => database.close())
  return database
}
async function wired(url = pair.url): Promise<Wire> {
  const wire = await openWire(url)
  onTestFinished(wire.close)
  return wire
}
async function nowhere(): Promise<string> {
  const url = new URL(pair.url)
  url.port = String(await freePort())
  return url.href
}
const portOf = async ({ run }: Tx) => (await run<{ port: string }>('SHOW port', []))[0]?.port
const set = (database: Database, value: string) => database.write((tx) => writeSetting(tx, 'demo', value))
const get = (database: Database) => database.read((tx) => readSetting(tx, 'demo'))

describe('of several hosts', () => {
  it('the one that takes writes is found behind one that is down and a standby', async () => {
    const database = opened(open(joined([await nowhere(), pair.standby, pair.url])))
    await set(database, 'found')
    expect(await get(database)).toBe('found')
    expect(await database.read(portOf)).toBe(new URL(pair.url).port)
  })

  it('each of many that begin at once finds it', async () => {
    const database = opened(open(joined([await nowhere(), pair.standby, pair.url])))
    const all = Array.from({ length: 12 }, (_, n) => (n % 2 ? set(database, `${n}`) : get(database)))
    await Promise.all(all)
  })

  it('the next is taken when one is cut, and is asked first from then on', async () => {
    const [one, two] = [await wired(), await wired()]
    const database = opened(open(joined([one.url, two.url])))
    await set(database, 'by the first')
    await one.cut()
    await expect(set(database, 'lost')).rejects.toThrow()
    await set(database, 'by the second')
    await one.mend()
    expect(await get(database)).toBe('by the second')
    expect([one.connections(), two.connections()]).toEqual([0, 2])
  })

  it('none serves while all are down or standbys, and the first that is back does', async () => {
    const wire = await wired()
    await wire.cut()
    const database = opened(open(joined([pair.standby, wire.url])))
    await expect(get(database)).rejects.toThrow(StoreUnavailable)
    await wire.mend()
    await set(database, 'is back')
    expect(await get(database)).toBe('is back')
  })

  it('one that takes connections and says nothing is left for the next one', async () => {
    const wire = await wired()
    const deaf = await wired()
    deaf.silence()
    expect(new Hosts([deaf.url, wire.url]).connectWithinMs).toBe(2_000)
    const database = opened(open(joined([deaf.url, wire.url]), { connectWithinMs: CONNECT_WITHIN_MS }))
    await set(database, 'beside one that is deaf')
    expect(await get(database)).toBe('beside one that is deaf')
  })

  it('what is connected to one that vanished is not used again, also where nothing waited for it', async () => {
    const [one, two] = [await wired(), await wired()]
    const { pulse, passUntil } = handPulse()
    const times = { answerWithinMs: 400, silentAfterMs: AN_HOUR, pulse }
    const database = opened(open(joined([one.url, two.url]), times))
    // Both connections that write: one for each of two at a time.
    await Promise.all([set(database, 'idle'), set(database, 'soon')])
    one.vanish()
    const lost = set(database, 'lost')
    await passUntil(lost)
    await expect(lost).rejects.toThrow(StoreUnavailable)
    // A call that waited for the vanished host would be given up as well.
    await Promise.all([set(database, 'once'), get(database), set(database, 'twice')])
  })
})

describe('a primary whose commits wait for a standby that is gone', () => {
  it('is known to take no writes, and reads go on', async () => {
    const { pulse, pass, passUntilSo } = handPulse()
    const database = opened(open(pair.url, { answerWithinMs: AN_HOUR, pulse }))
    database.refuseWhileSilent?.()
    await set(database, 'before')
    const commits = await holdCommits(pair.url)
    const writing = set(database, 'waits')
    pass(400)
    await eventually('it is asked', async () => (await commits.asking()) > 0)
    pass(400)
    expect(database.isSilent?.()).toBe(true)
    await expect(set(database, 'refused')).rejects.toThrow(StoreUnavailable)
    expect(await database.read((tx) => readSetting(tx, 'write_probe'))).toBeUndefined()
    await commits.release()
    await writing
    await passUntilSo(() => database.isSilent?.() === false)
    expect(await get(database)).toBe('waits')
  })
})

describe('the turn of hosts', () => {
  it('is passed on by the first of several that failed together, and given to one that serves', () => {
    const hosts = new Hosts(['postgres://a/name', 'postgres://b/name', 'postgres://c/name'])
    const clients = [new hosts.Client(), new hosts.Client()]
    for (const client of clients) hosts.failed(client)
    const next = new hosts.Client()
    expect([...clients, next].map(({ host }) => host)).toEqual(['a', 'a', 'b'])
    hosts.failed(next)
    hosts.worked(next)
    expect(new hosts.Client().host).toBe('b')
  })
})

describe('work that only reads', () => {
  const reader = (url: string) => opened(openToRead({ url, ...whatever }))

  it('is content with a standby unless the address wants a server that takes writes', async () => {
    const both = [pair.standby, pair.url]
    const [standby, primary] = [pair.standby, pair.url].map((url) => new URL(url).port)
    expect(await reader(joined(both)).read(portOf)).toBe(standby)
    expect(await reader(joined(both, '?target_session_attrs=any')).read(portOf)).toBe(standby)
    expect(await reader(joined(both, '?target_session_attrs=read-write')).read(portOf)).toBe(primary)
    expect(await reader(joined(both, '?target_session_attrs=primary')).read(portOf)).toBe(primary)
  })

  it('reads nothing from a standby alone when the address wants a server that takes writes', async () => {
    const alone = reader(`${pair.standby}?target_session_attrs=read-write`)
    await expect(alone.read(portOf)).rejects.toMatchObject({ cause: { message: 'the server is a standby' } })
  })
})

describe('notes between processes', () => {
  it('are heard by the host that serves, also after another one took over without an end of connections', async () => {
    const [one, two] = [await wired(), await wired()]
    const { pulse, passUntil } = handPulse()
    const times = { answerWithinMs: 400, connectWithinMs: CONNECT_WITHIN_MS, silentAfterMs: AN_HOUR, pulse }
    const [hearing, telling] = [opened(open(joined([one.url, two.url]), times)), opened(open(pair.url))]
    await set(hearing, 'begun')
    const heard: string[] = []
    let gaps = 0
    const stop = hearing.notices?.listen(
      (words) => heard.push(...words),
      () => gaps++,
    )
    onTestFinished(() => stop?.())
    await eventually('it listens', () => gaps === 1)
    one.silence()
    const lost = set(hearing, 'lost')
    await passUntil(lost)
    await expect(lost).rejects.toThrow()
    // One more may be lost with a connection from before.
    await eventually('it has moved', () =>
      set(hearing, 'moved').then(
        () => true,
        () => false,
      ),
    )
    // Notes are kept nowhere, and the first may come before it listens to the other host.
    await eventually('it hears', async () => {
      await telling.notices?.send(['after'])
      return heard.includes('after')
    })
  })
})
