import { join } from 'node:path'
import { type BenchDatabase, checkBooks, makeCaller, startEngines } from './database.ts'
import { startKannel } from './kannel.ts'
import type { Load, LoadResult, Second } from './load.ts'
import type { Server } from './processes.ts'
import { median, type Row } from './row.ts'
import { finals, loadEcho, loadSends, settled, startEcho, startGateway } from './subjects.ts'

export interface LivesOptions {
  /** How long each measurement lasts. */
  seconds: number
  connections: readonly number[]
  wallets: readonly number[]
  engines: readonly string[]
  kannel: boolean
}

/** One engine under one load: what went in, and what came out within the same time. */
interface Measured {
  load: LoadResult
  messages: number
  /** Messages that became final within the measured time, a second. */
  ended: number
  /** Processor time a message, of the gateway and of the database beside it. */
  gatewayUs: number
  databaseUs: number
}

/**
 * Whole lives: accepted, submitted, delivered and charged, under load that lasts, with the endings inside the measured
 * time, so that no work can be put off past its end. The books are checked after each run.
 */
export async function* lives(folder: string, options: LivesOptions): AsyncGenerator<Row> {
  const databases = await startEngines(folder, options.engines)
  const echo = await startEcho(folder)
  const kannel = options.kannel ? await startKannel(join(folder, 'kannel')) : undefined
  try {
    for (const wallets of options.wallets) {
      for (const connections of options.connections) {
        const where = `${connections} connections, ${wallets} wallet${wallets === 1 ? '' : 's'}`
        const bare = await loadEcho(echo, connections, Math.min(options.seconds, 5))
        const rival = await kannel?.load(connections, options.seconds)
        if (rival) yield { what: `Kannel, ${where}: accepts a second`, figure: told(rival), goal: '' }
        for (const engine of options.engines) {
          const database = await databases.make(engine, `${engine}_${connections}_${wallets}`)
          const measured = await measure(database, folder, { ...options, connections, wallets })
          yield* report(`${engine}, ${where}`, measured, { bare, rival })
        }
      }
    }
  } finally {
    await echo.stop()
    await kannel?.stop()
    await databases.stop()
  }
}

async function measure(
  database: BenchDatabase,
  folder: string,
  { seconds, connections, wallets }: { seconds: number; connections: number; wallets: number },
): Promise<Measured> {
  const gateway = await startGateway(folder, { WIGWAG_DATABASE_URL: database.url })
  const callers = Array.from({ length: wallets }, (_, index) => makeCaller(database.url, `bench${index}`))
  await loadSends(gateway, connections, 2, callers)
  const measured = await measureLives(gateway, database, { seconds, connections, callers })
  await gateway.stop()
  checkBooks(database.url)
  return measured
}

/** From nothing under way to nothing under way, so that a message that is counted pays for all that it costs. */
export async function measureLives(
  gateway: Server,
  database: BenchDatabase,
  { seconds, connections, callers }: Pick<Load, 'seconds' | 'connections' | 'callers'>,
): Promise<Measured> {
  await settled(gateway)
  const before = await reading(gateway, database)
  const load = await loadSends(gateway, connections, seconds, callers)
  const after = await reading(gateway, database)
  await settled(gateway)
  const all = await reading(gateway, database)
  const messages = all.finals - before.finals
  return {
    load,
    messages,
    ended: (after.finals - before.finals) / ((after.at - before.at) / 1_000),
    gatewayUs: ((all.gatewayMs - before.gatewayMs) * 1_000) / messages,
    databaseUs: ((all.databaseMs - before.databaseMs) * 1_000) / messages,
  }
}

async function reading(gateway: Server, database: BenchDatabase) {
  return {
    at: performance.now(),
    finals: await finals(gateway),
    gatewayMs: gateway.cpuMs(),
    databaseMs: database.cpuMs(),
  }
}

function report(
  who: string,
  { load, ended, gatewayUs, databaseUs }: Measured,
  { bare, rival }: { bare: LoadResult; rival: LoadResult | undefined },
): Row[] {
  const answers = load.bySecond.map((second) => second.answers)
  const [slowest, fastest] = [Math.min(...answers), Math.max(...answers)]
  const us = `${gatewayUs.toFixed(0)} + ${databaseUs.toFixed(0)} µs`
  const onPostgres = databaseUs > 0
  return [
    {
      what: `${who}: accepts a second`,
      figure: told(load),
      goal: onPostgres ? 'p99 ≤ 60 ms' : 'p99 ≤ 25 ms',
    },
    { what: '  p50 in the worst second of each tenth', figure: overTime(load.bySecond, 'p50'), goal: '' },
    { what: '  p99 in the worst second of each tenth', figure: overTime(load.bySecond, 'p99'), goal: '' },
    {
      what: '  final within the time / accepted',
      figure: (ended / load.perSecond).toFixed(2),
      goal: '≥ 0.97',
    },
    { what: '  slowest second / fastest', figure: (slowest / fastest).toFixed(2), goal: '≥ 0.5' },
    {
      what: '  processor time a message, gateway + database',
      figure: us,
      goal: onPostgres ? '≤ 160 µs' : '',
    },
    { what: '  whole lives / bare Hono echoes', figure: (ended / bare.perSecond).toFixed(2), goal: '' },
    ...(rival
      ? [
          {
            what: '  whole lives / accepts of Kannel',
            figure: (ended / rival.perSecond).toFixed(2),
            goal: onPostgres ? '≥ 0.8' : '≥ 1.3',
          },
        ]
      : []),
  ]
}

function told({ perSecond, p50, p99, bySecond }: LoadResult): string {
  const middle = median(bySecond.map(({ answers }) => answers))
  return `${perSecond.toFixed(0)}, median second ${middle}, p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)} ms`
}

/** The worst second of each tenth, in order. */
function overTime(seconds: readonly Second[], of: 'p50' | 'p99'): string {
  const tenths: number[] = []
  for (const [index, second] of seconds.entries()) {
    const tenth = Math.floor((index * 10) / seconds.length)
    tenths[tenth] = Math.max(tenths[tenth] ?? 0, second[of])
  }
  // Fewer than ten seconds leave tenths empty.
  return `${tenths.flatMap((worst) => worst.toFixed(1)).join(' ')} ms`
}
