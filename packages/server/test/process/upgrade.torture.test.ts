import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { unfinished } from '../support/books.ts'
import { makeEmptyPlace, open } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import { atLength, checkFigures } from '../support/figures.ts'
import { FOR_DATABASES } from '../support/for-databases.ts'
import { type Load, runLoad } from '../support/load.ts'
import { openCarrier } from './carrier.ts'
import { installVersion, type Version } from './made-up-versions.ts'
import { checkOutcome, comesToRest } from './outcome.ts'
import { openReceiver } from './receiver.ts'
import { commandsForSeveral, type Machine, perform, startOn } from './upgrade-page.ts'

/** The next version adds the first two, the one after it takes them away, both where every send writes. No step of ours has these numbers. */
const WIDEN = {
  '9003_widen_colours.sql': `
    CREATE TABLE colours (message_id TEXT PRIMARY KEY REFERENCES messages (id) ON DELETE CASCADE, name TEXT);
    ALTER TABLE messages ADD COLUMN colour TEXT NOT NULL DEFAULT 'none';
    ALTER TABLE outbox ADD COLUMN colour TEXT;
    ALTER TABLE wallets ADD COLUMN colour BIGINT NOT NULL DEFAULT 0;`,
  '9004_index_messages_colour.sql': 'CREATE INDEX messages_colour ON messages (colour, created_at);',
}
const NARROW = {
  '9005_narrow_after_9003_colours.sql': `
    DROP INDEX messages_colour;
    ALTER TABLE messages DROP COLUMN colour;
    ALTER TABLE outbox DROP COLUMN colour;
    DROP TABLE colours;`,
}
const NARROW_STEP = Object.keys(NARROW)[0] ?? ''
/** How often all go to the next version, and back but for the last time. */
const ROUNDS = atLength({ short: 1, full: 10 })
/** Acknowledged between two things that are done. */
const MESSAGES = atLength({ short: 30, full: 500 })

async function openScene(engine: 'PostgreSQL' | 'an SQLite file') {
  const folder = await mkdtemp(join(FOR_DATABASES, 'wigwag-upgrade-'))
  const [place, carrier] = await Promise.all([makeEmptyPlace(engine), openCarrier(folder)])
  await carrier.start(['--delay', '20'])
  const versions = {
    old: await installVersion(folder, 'old', {}),
    next: await installVersion(folder, 'next', WIDEN),
    last: await installVersion(folder, 'last', { ...WIDEN, ...NARROW }),
  }
  const env = {
    WIGWAG_DATABASE_URL: place.url,
    WIGWAG_DEMO_BALANCE: '1000000',
    WIGWAG_POSTGRES_CONNECTIONS: '6',
    WIGWAG_CARRIER: `smpp://torture:secret@127.0.0.1:${carrier.port}?binds=1&reconnectMs=100`,
  }
  const around = { folder, env }
  const machines: Machine[] = []
  onTestFinished(async () => {
    await Promise.all(machines.map(({ server }) => server.kill()))
    await carrier.kill()
    await place.remove()
    await rm(folder, { recursive: true, force: true })
  })
  return {
    carrier,
    versions,
    machines,
    place,
    async addMachine(installed: Version) {
      const machine = { installed, server: await startOn(installed, around) }
      machines.push(machine)
      return machine
    },
    on: (machine: Machine, line: string, version: Version) => perform(line, { machine, version, ...around }),
    refusal: (version: Version) => startOn(version, around).then(() => 'it started', String),
  }
}
type Scene = Awaited<ReturnType<typeof openScene>>

/**
 * Clients that send all the time. Counts refused connections while a gateway restarts, and at other times.
 */
async function sendAllTheTime({ machines, carrier, place }: Scene) {
  const [{ server } = { server: undefined }] = machines
  const { demo } = server ?? {}
  if (!demo) throw new Error('the banner names no demo account')
  const receiver = await openReceiver(() => demo.callbackSecret, 0)
  onTestFinished(() => receiver.close())
  let recipients = 1_000_000
  let restarts = 0
  let restartedAt = 0
  let refused = 0
  const load: Load = runLoad({
    urls: () => machines.map(({ server: { url } }) => url),
    accounts: [demo],
    clients: 8,
    prefix: 'upgrade',
    callbackUrl: receiver.url,
    // All differ. By a last 00001 to 00006 the carrier would end a message in another way.
    recipient() {
      recipients += recipients % 100_000 === 0 ? 10 : 1
      return `23324${recipients}`
    },
    restMs: 5,
    onAnswer(answer, askedAt) {
      if (!answer && restarts === 0 && askedAt > restartedAt) refused++
    },
  })
  return {
    /** Until clients were told of some more messages. */
    async goOn() {
      const before = load.acknowledged.length
      await eventually('more is acknowledged', () => load.acknowledged.length >= before + MESSAGES)
    },
    async whileOneRestarts(work: () => Promise<unknown>) {
      restarts++
      await work()
      restarts--
      restartedAt = performance.now()
    },
    async check(name: string) {
      const { acknowledged, requests, statuses } = await load.stop()
      const database = open(place.url)
      onTestFinished(() => database.close())
      await eventually('all is final', async () => (await unfinished(database)) === 0)
      await eventually('nothing is left to do', () => comesToRest(database))
      const { 200: accepted = 0, none = 0 } = statuses
      const taken = carrier.taken().map(({ destination }) => destination)
      checkFigures(name, {
        requests,
        'connections refused while a gateway restarted': none - refused,
        'connections refused otherwise': [refused, { is: 0 }],
        'answers other than 200': [requests - accepted - none, { is: 0 }],
        'submitted more than once': [taken.length - new Set(taken).size, { is: 0 }],
        'acknowledged, and not submitted': [acknowledged.length - taken.length, { is: 0 }],
      })
      await checkOutcome({ name, database, acknowledged, receiver, atLeast: MESSAGES })
    },
  }
}

const isReady = async ({ server }: Machine) => (await fetch(`${server.url}/readyz`)).status === 200

describe('gateways are upgraded under load by the commands of the page, and every promise is kept', {
  timeout: atLength({ short: 1_200_000, full: 1_800_000 }),
}, () => {
  it('several on PostgreSQL, one after the other', async () => {
    const scene = await openScene('PostgreSQL')
    const { versions, machines } = scene
    const { first, each, last } = commandsForSeveral()
    const one = await scene.addMachine(versions.old)
    await scene.addMachine(versions.old)
    const load = await sendAllTheTime(scene)
    const all = async (machine: Machine, lines: readonly string[], version: Version) => {
      const said: string[] = []
      await load.whileOneRestarts(async () => {
        for (const line of lines) said.push(await scene.on(machine, line, version))
      })
      await load.goOn()
      return said.join('')
    }

    await load.goOn()
    const said: string[] = []
    for (const line of first) said.push(await scene.on(one, line, versions.next))
    expect(said.join('')).toContain(`${Object.keys(WIDEN).join('\n')}\nThe database postgres://`)
    await load.goOn()
    const third = await scene.addMachine(versions.old)
    expect(third.server.said()).toMatch(/a newer version of wigwag added to the database/)
    for (const machine of machines) expect(await isReady(machine)).toBe(true)
    const doctor = await scene.on(third, 'wigwag doctor', versions.next)
    expect(doctor).toMatch(
      /^warn {2}migrations {2}a newer version .*9003_widen_colours.sql, 9004_.*works beside it/m,
    )
    await load.goOn()

    for (let round = 1; round <= ROUNDS; round++) {
      for (const machine of [one, ...machines.slice(1, 2)]) await all(machine, each, versions.next)
      const waits = await scene.on({ ...one, installed: versions.last }, 'wigwag migrate', versions.last)
      expect(waits).toMatch(
        new RegExp(`^${NARROW_STEP} waits: it takes away what \\S+ \\(version \\S+\\) still uses`, 'm'),
      )
      await all(third, each, versions.next)
      if (round < ROUNDS) for (const machine of machines) await all(machine, each, versions.old)
    }
    for (const line of last) await scene.on(third, line, versions.next)
    await load.goOn()

    const narrowed: string[] = []
    for (const line of first) narrowed.push(await scene.on(one, line, versions.last))
    expect(narrowed.join('')).toContain(`${NARROW_STEP}\nThe database postgres://`)
    await load.goOn()
    for (const machine of machines) await all(machine, each, versions.last)
    for (const line of last) await scene.on(third, line, versions.last)
    expect(await scene.refusal(versions.old)).toContain(
      `${NARROW_STEP}, which takes away what this version uses`,
    )
    await load.check('three gateways on PostgreSQL, two versions on')
  })

  it('one on an SQLite file, which also goes back after a step that only adds', async () => {
    const scene = await openScene('an SQLite file')
    const { versions } = scene
    const machine = await scene.addMachine(versions.old)
    const load = await sendAllTheTime(scene)
    const upgradeTo = async (version: Version) => {
      machine.installed = version
      await load.whileOneRestarts(() => scene.on(machine, 'sudo systemctl restart wigwag', version))
      await load.goOn()
      expect(await isReady(machine)).toBe(true)
    }
    await load.goOn()
    const said = await scene.on({ ...machine, installed: versions.next }, 'wigwag migrate', versions.next)
    expect(said).toContain('9003_widen_colours.sql')
    await load.goOn()
    for (let round = 1; round <= ROUNDS; round++) {
      await upgradeTo(versions.next)
      await upgradeTo(versions.old)
      expect(machine.server.said()).toMatch(/a newer version of wigwag added to the database/)
    }
    await upgradeTo(versions.next)
    await upgradeTo(versions.last)
    await load.goOn()
    await load.check('a gateway on SQLite, two versions on and one back')
    await machine.server.stop()
    expect(await scene.refusal(versions.old)).toContain(
      `${NARROW_STEP}, which takes away what this version uses`,
    )
  })
})
