import { copyFileSync } from 'node:fs'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { loadConfig } from '../../src/config/config.ts'
import { compose } from '../../src/gateway/compose.ts'
import { openOperatorParts } from '../../src/gateway/operator-parts.ts'
import { inspect } from '../../src/operate/doctor/checks.ts'
import { placeOfUrl } from '../../src/operate/moving/marks.ts'
import { openToRead } from '../../src/store/open.ts'
import { migrate } from '../../src/store/schema/migrate.ts'
import { runProgram, temporaryFolder } from '../cli/program.ts'
import { aPlace } from '../support/bench.ts'
import { makePlace, open, type Place } from '../support/engine.ts'
import { openKept } from '../support/kept.ts'
import { connectTo } from '../support/postgres.ts'
import { makeWallets } from '../support/rows-of.ts'
import { moved, opened } from './moved.ts'

const folder = temporaryFolder()
const onFatal = (error: Error) => {
  throw error
}
const options = { log: pino({ level: 'silent' }), onFatal, openDatabase: openKept }
const configOf = (database: string) => loadConfig({ database }, {}, import.meta.dirname)

describe('a file from which everything was moved', () => {
  let place: Place
  let path: string
  let target: string
  /** The target with options that nobody else is to see. */
  let secretUrl: string
  let full: Place
  beforeAll(async () => {
    full = await makePlace('an SQLite file')
    const source = open(full.url)
    await migrate(source)
    await makeWallets(source, { w: 100 })
    await source.close()
  })
  afterAll(() => full.remove())
  beforeEach(async () => {
    place = await makePlace('an SQLite file')
    path = place.url.slice('file:'.length)
    copyFileSync(full.url.slice('file:'.length), path)
    target = await aPlace('PostgreSQL')
    secretUrl = `${target}?application_name=hidden-in-options`
    onTestFinished(place.remove)
  })
  const whereTo = () => {
    const { host, pathname } = new URL(target)
    return `everything in this file was moved to postgres://${host}${pathname}: set WIGWAG_DATABASE_URL`
  }

  it('is refused by gateways and commands that write, and named by the doctor, without credentials', async () => {
    await moved(path, secretUrl)
    const config = configOf(place.url)
    await expect(compose(config, options)).rejects.toThrow(whereTo())
    const refused = await openOperatorParts(config, { ...options, acting: { actor: 'operator:ama' } }).catch(
      String,
    )
    expect(refused).toContain(whereTo())
    expect(refused).not.toContain('hidden-in-options')
    expect(refused).not.toContain('@')
    const reader = openToRead({ url: place.url, postgresConnections: 3, onIdleError: onFatal })
    const findings = await inspect(reader, config)
    await reader.close()
    expect(findings.find(({ check }) => check === 'move')).toMatchObject({
      state: 'fail',
      detail: expect.stringContaining(whereTo()),
    })
    await (await compose(configOf(target), options)).stop()
  })

  it('cannot be moved once more', async () => {
    await moved(path, target)
    await expect(moved(path, await aPlace('PostgreSQL'))).rejects.toThrow(whereTo())
    await expect(moved(path, target)).rejects.toThrow(whereTo())
  })

  it('is finished by the same move when that was killed before the database was free to use', async () => {
    const client = await connectTo(target)
    let marker: unknown
    await moved(path, target, async (what) => {
      if (what !== 'rows compared') return
      marker = (await client.query("SELECT value FROM settings WHERE name = 'moving'")).rows[0]?.value
    })
    await client.query("INSERT INTO settings (name, value) VALUES ('moving', $1)", [marker])
    await client.end()
    await expect(compose(configOf(target), options)).rejects.toThrow('has not finished')
    expect((await moved(path, target)).same).toBe(true)
    await (await compose(configOf(target), options)).stop()
    await expect(compose(configOf(place.url), options)).rejects.toThrow(whereTo())
  })

  it('stays as it was while both sides differ', async () => {
    const comparison = await moved(path, target, async (what) => {
      if (what !== 'rows compared') return
      await opened(target).write(({ run }) => run('DELETE FROM audit', []))
      await opened(target).write(({ run }) => run('UPDATE wallets SET posted = posted + 1', []))
    })
    expect(comparison.same).toBe(false)
    await (await compose(configOf(place.url), options)).stop()
  })

  it('is used again after wigwag move --undo, which refuses any other file', async () => {
    await moved(path, target)
    const undo = () => runProgram(['move', '--undo', '--from', place.url], { cwd: folder })
    const create = ['account', 'create', '--name', 'Acme', '--email', 'ops@acme.example']
    const write = () => runProgram([...create, '--database', place.url], { cwd: folder })
    expect(await write()).toMatchObject({ code: 1, stderr: expect.stringContaining(whereTo()) })
    const done = await undo()
    expect(done).toMatchObject({ code: 0, stderr: expect.stringContaining(`may start on ${path} again`) })
    expect((await write()).code).toBe(0)
    await (await compose(configOf(place.url), options)).stop()
    const again = await undo()
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('nothing was moved from') })
  })
})

it.each([
  ['postgres://wigwag:p%40ss@db.example:5432/wigwag?sslmode=require', 'postgres://db.example:5432/wigwag'],
  ['postgres://wigwag:pass@/wigwag?host=/run/postgresql', 'postgres:///wigwag'],
  ['postgres:///wigwag?host=/run/postgresql&user=me@here', 'postgres:///wigwag'],
])('any address that PostgreSQL takes is named without what may be secret: %s', (url, place) => {
  expect(placeOfUrl(url)).toBe(place)
})
