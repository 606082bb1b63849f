import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Fleet } from '../../../src/delivery/fleet.ts'
import { Control } from '../../../src/delivery/operate/control.ts'
import type { LiveReport } from '../../../src/delivery/operate/switches.ts'
import { readPlan } from '../../../src/delivery/plan/read-plan.ts'
import { epochMs } from '../../../src/kernel/ids.ts'
import { type Bench, openBench } from '../../support/bench.ts'
import { eventually } from '../../support/eventually.ts'
import { FOR_DATABASES } from '../../support/for-databases.ts'
import { SINGLE, single } from '../../support/front.ts'
import { openGateway } from '../../support/gateway.ts'
import { turns } from '../../support/turns.ts'
import { openDelivery } from '../delivering.ts'

/** Its receipt never comes, so that the message stays with the carrier that took it. */
const SILENT = '233240000005'
const POLL_MS = 1_000
const A_MINUTE = 60_000

interface CarriersFile {
  names: readonly string[]
  routes: readonly { prefix: string; carriers: readonly string[] }[]
}

const BOTH: CarriersFile = {
  names: ['north', 'south'],
  routes: [
    { prefix: '', carriers: ['north', 'south'] },
    { prefix: '2332499', carriers: ['north'] },
  ],
}
/** Only north takes it, and delivers it at once. */
const ONLY_NORTH = '233249901234'

function textOf({ names, routes }: CarriersFile): string {
  return JSON.stringify({
    carriers: Object.fromEntries(names.map((name) => [name, { url: 'simulator:' }])),
    routes: routes.map(({ prefix, carriers }) => ({
      prefix,
      carriers: carriers.map((name, index) => ({ name, priority: index + 1 })),
    })),
  })
}

/** A folder with a carriers' file. */
function carriersFile(text = textOf(BOTH)) {
  const folder = mkdtempSync(join(FOR_DATABASES, 'wigwag-control-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const write = (next: string) => writeFileSync(join(folder, 'carriers.json'), next)
  write(text)
  const carrier = { given: 'file:./carriers.json', folder, variables: () => ({}) }
  return { folder, write, changes: { carrier, pollMs: POLL_MS } }
}

async function openTwoCarriers() {
  const { changes, ...file } = carriersFile()
  const bench = await openBench({ config: changes })
  await bench.advance(POLL_MS)
  return { ...bench, ...file, send: sender(bench) }
}

function sender({ call }: Pick<Bench, 'call'>) {
  return async (to = SILENT): Promise<string> => {
    const answer = await call('POST', SINGLE, {}, single(to))
    return ((await answer.json()) as { Ticket: string }).Ticket
  }
}

/** Where a message is: `dispatch/north` waits for north, `await/north` was taken by it. */
async function whereIs({ database }: Pick<Bench, 'database'>, ticket: string): Promise<string> {
  const [row] = await database.read(({ run }) =>
    run<{ place: string }>(`SELECT kind || '/' || lane AS place FROM outbox WHERE id = $1`, [ticket]),
  )
  return row?.place ?? 'final'
}

const statesOf = (reports: readonly LiveReport[]) =>
  reports.map(({ carriers }) =>
    Object.fromEntries(carriers.map(({ carrier, paused, kind }) => [carrier, paused ? 'paused' : kind])),
  )

describe('a carrier that an operator has paused', () => {
  it('gets nothing more once its gateway has looked, and its messages go to the others of their route', async () => {
    const gateway = await openTwoCarriers()
    const { advance, carriers, send } = gateway
    const before = await send()
    await advance(0)
    expect(await whereIs(gateway, before)).toBe('await/north')
    expect(await carriers.pause('north')).toBe(true)
    await advance(POLL_MS)
    expect(statesOf(await carriers.reports())).toEqual([{ north: 'paused', south: 'up' }])
    const after = await send()
    await advance(0)
    expect(await whereIs(gateway, after)).toBe('await/south')
  })

  it('keeps the messages that no other takes, until it is resumed', async () => {
    const gateway = await openTwoCarriers()
    const { advance, carriers, send } = gateway
    await carriers.pause('north')
    await advance(POLL_MS)
    const ticket = await send(ONLY_NORTH)
    await advance(A_MINUTE)
    expect(await whereIs(gateway, ticket)).toBe('dispatch/north')
    expect((await carriers.overview()).messages).toMatchObject([{ carrier: 'north', waiting: 1 }, {}])
    expect(await carriers.resume('north')).toBe(true)
    await advance(A_MINUTE)
    expect(await whereIs(gateway, ticket)).toBe('final')
  })

  it('is paused and resumed once, with an audit row each', async () => {
    const { carriers, database } = await openTwoCarriers()
    expect([await carriers.pause('north'), await carriers.pause('north')]).toEqual([true, false])
    expect([await carriers.resume('north'), await carriers.resume('north')]).toEqual([true, false])
    const rows = await database.read(({ run }) =>
      run<{ action: string }>(`SELECT action FROM audit WHERE action LIKE 'carrier.%' ORDER BY id`, []),
    )
    expect(rows.map(({ action }) => action)).toEqual(['carrier.pause', 'carrier.resume'])
  })

  it('gets nothing from a gateway that starts later', async () => {
    const { folder, changes } = carriersFile()
    const place = { database: `file:${join(folder, 'wigwag.db')}`, config: changes }
    const first = await openBench(place)
    await first.carriers.pause('north')
    await first.stop()
    const second = await openBench(place)
    // It has not looked yet: that takes a timer, and no time has passed.
    const send = sender(second)
    const ticket = await send(ONLY_NORTH)
    const next = await send()
    await eventually('south took the next', async () => (await whereIs(second, next)) === 'await/south')
    expect(await whereIs(second, ticket)).toBe('dispatch/north')
  })
})

describe('carriers that are read again', () => {
  const reloaded = async ({ advance, carriers }: Bench) => {
    const number = await carriers.reload()
    await advance(POLL_MS)
    const reports = await carriers.reports()
    expect(reports.map(({ reload }) => reload)).toEqual([number])
    return reports
  }

  it('change nothing when the file is broken, and the lines are reported', async () => {
    const gateway = await openTwoCarriers()
    const { advance, carriers, send, write } = gateway
    write(textOf(BOTH).replace('"routes"', '\n"rutes"'))
    const [report] = await reloaded(gateway)
    expect(report?.problems).toEqual(
      expect.arrayContaining([expect.stringMatching(/^\.?\/?carriers\.json:2:\d+:.*"rutes"/)]),
    )
    expect(statesOf(await carriers.reports())).toEqual([{ north: 'up', south: 'up' }])
    const ticket = await send()
    await advance(0)
    expect(await whereIs(gateway, ticket)).toBe('await/north')
    write(textOf(BOTH))
    expect(await reloaded(gateway)).toMatchObject([{ problems: [] }])
  })

  it('open a new carrier, which takes messages, and close one that is gone', async () => {
    const gateway = await openTwoCarriers()
    const { advance, send, write } = gateway
    write(textOf({ names: ['south', 'west'], routes: [{ prefix: '', carriers: ['west', 'south'] }] }))
    expect(statesOf(await reloaded(gateway))).toEqual([{ south: 'up', west: 'up' }])
    const ticket = await send()
    await advance(0)
    expect(await whereIs(gateway, ticket)).toBe('await/west')
  })

  it('change one after the other when several ask at once, and no more once the gateway stops', async () => {
    const opened = await openDelivery()
    const plan = readPlan('simulator', { environment: {}, folder: '.' })
    let [changing, most, changes] = [0, 0, 0]
    const control = new Control({
      ...opened,
      log: pino({ level: 'silent' }),
      process: { id: 'one', name: 'one:1', version: '1', schema: 2, startedAt: epochMs(0) },
      reloads: 0,
      readPlan: () => plan,
      pollMs: POLL_MS,
      endedThreads: () => [],
      onStranded() {},
      retain: { messagesMs: undefined, callbacksMs: undefined, auditMs: undefined },
      onFault: (error) => opened.faults.push(error),
      fleet: otherwise(opened.fleet, async (next) => {
        most = Math.max(most, ++changing)
        changes++
        await opened.fleet.apply(next)
        await turns()
        changing--
      }),
    })
    await Promise.all([control.reload(), control.reload(), control.reload()])
    expect(most).toBe(1)
    expect(opened.faults).toEqual([])
    await control.stop()
    await control.reload()
    expect(changes).toBe(3)
  })

  it('are in force also where opening them fails halfway, and are opened at the next look', async () => {
    const opened = await openDelivery()
    const plan = readPlan('simulator', { environment: {}, folder: '.' })
    let changes = 0
    const control = new Control({
      ...opened,
      log: pino({ level: 'silent' }),
      process: { id: 'one', name: 'one:1', version: '1', schema: 2, startedAt: epochMs(0) },
      reloads: 0,
      readPlan: () => plan,
      pollMs: POLL_MS,
      endedThreads: () => [],
      onStranded() {},
      retain: { messagesMs: undefined, callbacksMs: undefined, auditMs: undefined },
      onFault: (error) => opened.faults.push(error),
      fleet: otherwise(opened.fleet, async (next) => {
        await opened.fleet.apply(next)
        if (++changes === 1) throw new Error('on purpose')
      }),
    })
    await control.reload()
    expect(opened.faults).toMatchObject([{ message: 'on purpose' }])
    expect(control.inForce().plan).toBe(plan)
    control.start()
    opened.pass(0)
    await turns()
    expect(changes).toBe(2)
    opened.pass(POLL_MS)
    await turns()
    await control.stop()
    expect([changes, opened.faults.length]).toEqual([2, 1])
  })
})

describe('the list of running gateways', () => {
  it('loses one that died after half a minute', async () => {
    const gateway = await openGateway({ pollMs: 1_000 })
    const { advance, carriers, clock, database } = gateway
    await advance(1_000)
    const [own] = await carriers.reports()
    expect(own).toMatchObject({ problems: [], carriers: [{ carrier: 'simulator', place: 'simulator' }] })
    const dead = JSON.stringify({ ...own, name: 'dead:1' })
    await database.write(({ run }) =>
      run('INSERT INTO carrier_reports (process, at, report) VALUES ($1, $2, $3)', [
        'dead',
        clock.now(),
        dead,
      ]),
    )
    const names = async () => (await carriers.reports()).map(({ name }) => name)
    expect(await names()).toContain('dead:1')
    await advance(30_000)
    expect(await names()).toContain('dead:1')
    await advance(1_000)
    expect(await names()).toEqual([own?.name])
  })
})

/** A fleet that applies plans as a test says. */
function otherwise(fleet: Fleet, apply: Fleet['apply']) {
  return {
    apply,
    get plan() {
      return fleet.plan
    },
    all: () => fleet.all(),
    pause: (names: ReadonlySet<string>) => fleet.pause(names),
    matchReceipts: () => fleet.matchReceipts(),
  }
}
