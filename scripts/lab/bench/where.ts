import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Finding, Table } from '../report.ts'
import { type BenchDatabase, checkBooks, makeCaller, startEngines } from './rig/database.ts'
import { finals, loadSends, sendingBy, startFlowCarrier, startGateway, untilIdle } from './rig/gateways.ts'
import type { Server } from './rig/processes.ts'
import { startReceiver } from './rig/receiver.ts'
import { cpuByThread } from './rig/usage.ts'
import { flameGraph } from './where/flame.ts'
import { INSPECTED, type Place, profile } from './where/profile.ts'
import { watchStatements } from './where/statements.ts'
import { IDLE, stepOf } from './where/steps.ts'

/** The sources, so that a profile names their files and lines. */
const SOURCES = join(import.meta.dirname, '../../../packages/server/src/main.ts')
const CONNECTIONS = 64
const WALLETS = 4
const WARM_SECONDS = 6
const FUNCTIONS = 15

export interface WhereOptions {
  engines: readonly string[]
  seconds: number
}

/** Where the time of a message over SMPP with a callback goes, by step and by function, under a load without rest. */
export async function* where(folder: string, { engines, seconds }: WhereOptions): AsyncGenerator<Finding> {
  const databases = await startEngines(folder, engines, { statements: true })
  const carrier = await startFlowCarrier(folder)
  try {
    for (const engine of engines) {
      yield* await look(folder, {
        engine,
        database: await databases.make(engine, `${engine}_where`),
        carrier,
        seconds,
      })
    }
  } finally {
    await carrier.stop()
    await databases.stop()
  }
}

interface Scene {
  engine: string
  database: BenchDatabase
  carrier: Server
  seconds: number
}

async function look(folder: string, { engine, database, carrier, seconds }: Scene): Promise<Finding[]> {
  const receiver = await startReceiver(folder)
  const env = { WIGWAG_DATABASE_URL: database.url, ...sendingBy(carrier), ...INSPECTED }
  const gateway = await startGateway(folder, env, SOURCES)
  const callers = Array.from({ length: WALLETS }, (_, index) => makeCaller(database.url, `bench${index}`))
  const statements = engine === 'postgres' ? await watchStatements(database.url) : undefined
  const loaded = loadSends(gateway, CONNECTIONS, WARM_SECONDS + seconds + 2, callers, receiver)
  await pause(WARM_SECONDS * 1_000)
  await statements?.forget()
  const before = await reading(gateway, database)
  const places = await profile(gateway.said, () => pause(seconds * 1_000))
  const after = await reading(gateway, database)
  const messages = after.finals - before.finals
  const table = await statements?.table(messages)
  await statements?.close()
  await loaded
  await untilIdle(gateway, receiver)
  await gateway.stop()
  await receiver.stop()
  checkBooks(database.url)
  const title = `Wigwag on ${engine}: ${messages} messages in ${seconds} s, over SMPP with callbacks`
  return [
    byStep(engine, places, messages),
    byFunction(engine, places, messages),
    byThread(engine, { before, after, messages }),
    ...(table ? [table] : []),
    {
      name: `where-${engine}`,
      svg: flameGraph(title, places, messages),
    },
  ]
}

type Reading = Awaited<ReturnType<typeof reading>>

async function reading(gateway: Server, database: BenchDatabase) {
  return {
    finals: await finals(gateway),
    threads: cpuByThread(gateway.pid),
    databaseMs: database.cpuMs(),
  }
}

function byStep(engine: string, places: readonly Place[], messages: number): Table {
  const steps = sorted(totals(places, stepOf))
  const all = sumOf(steps)
  const [still, busy] = [true, false].map((idle) => steps.filter(([step]) => (step === IDLE) === idle))
  return {
    title: `${engine}: steps`,
    about: [
      'Time of the first thread, which decides and stores: waits for the disk are in it.',
      'A step has the time of the functions in its folders, and of what they call that has no step itself, such as JSON. Work on the database is named by the part of the gateway that it is for.',
    ],
    columns: ['step', 'µs a message', 'share'],
    lines: [...(busy ?? []), ...(still ?? [])].map(([step, us]) => line(step, us, { all, messages })),
  }
}

function byFunction(engine: string, places: readonly Place[], messages: number): Table {
  const all = sumOf(sorted(totals(places, stepOf)))
  const functions = sorted(totals(places, nameOf)).filter(([name]) => name !== '(idle)')
  return {
    title: `${engine}: functions`,
    about: [`The ${FUNCTIONS} functions with the most time themselves, on the first thread.`],
    columns: ['function', 'µs a message', 'share'],
    lines: functions.slice(0, FUNCTIONS).map(([name, us]) => line(name, us, { all, messages })),
  }
}

/** A built-in function is named with the nearest caller that has a file. */
function nameOf({ name, file, line, parent }: Place): string {
  if (file !== '') return `${name} ${file}:${line}`
  let caller = parent
  while (caller?.file === '') caller = caller.parent
  return caller ? `${name}, called by ${caller.name} ${caller.file}:${caller.line}` : name
}

/** Processor time, which is not what the first thread's time is: that also waits. */
function byThread(
  engine: string,
  { before, after, messages }: { before: Reading; after: Reading; messages: number },
): Table {
  const threads = [...after.threads].map(([name, ms]): [string, number] => [
    `gateway: ${name}`,
    (ms - (before.threads.get(name) ?? 0)) * 1_000,
  ])
  const database: [string, number] = ['PostgreSQL', (after.databaseMs - before.databaseMs) * 1_000]
  const found = sorted(new Map([...threads, database])).filter(([, us]) => us > 0)
  const all = sumOf(found)
  return {
    title: `${engine}: processor time`,
    about: [
      'By thread. Those of V8 collect garbage and compile; WorkerThread is the checkpoints; those of the profiler and the inspector are there for this measurement alone.',
    ],
    columns: ['thread', 'µs a message', 'share'],
    lines: [...found, ['all', all] as const].map(([name, us]) => line(name, us, { all, messages })),
  }
}

function line(what: string, us: number, { all, messages }: { all: number; messages: number }): string[] {
  return [what, (us / messages).toFixed(1), `${((us / all) * 100).toFixed(1)} %`]
}

function sorted(found: ReadonlyMap<string, number>): [string, number][] {
  return [...found].sort(([, a], [, b]) => b - a)
}

function sumOf(found: readonly [string, number][]): number {
  return found.reduce((sum, [, us]) => sum + us, 0)
}

function totals(places: readonly Place[], nameOf: (place: Place) => string): Map<string, number> {
  const found = new Map<string, number>()
  for (const place of places) {
    if (place.selfUs === 0) continue
    const name = nameOf(place)
    found.set(name, (found.get(name) ?? 0) + place.selfUs)
  }
  return found
}
