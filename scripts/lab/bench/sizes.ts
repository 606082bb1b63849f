import { availableParallelism } from 'node:os'
import type { Finding, Table } from '../report.ts'
import { type Measured, measureFlow } from './flow/measure.ts'
import { checkBooks, type Engines, makeCaller, startEngines } from './rig/database.ts'
import { loadSends, startGateways } from './rig/gateways.ts'
import { pin, type Quota, startQuota } from './rig/quota.ts'

export interface SizesOptions {
  seconds: number
  /** How many gateways share PostgreSQL. */
  gateways: readonly number[]
}

/** The processor that PostgreSQL shares with the load alone. */
const OF_DATABASE = 0
/** The part of a processor that each gateway gets. */
const GATEWAY = 0.25
/** Of each gateway. */
const CONNECTIONS = 24
const WALLETS_EACH = 4

interface Size {
  gateways: number
  measured: Measured
  /** Of its share, how much each side used. */
  gatewayUse: number
  databaseUse: number
  /** How long a write took, as the metrics of the gateways say. */
  writeMs: number
}

/**
 * Measures the gain of each additional gateway. PostgreSQL has one processor, and each gateway a part of
 * another, as if each had a small machine of its own.
 */
export async function* sizes(folder: string, { seconds, gateways }: SizesOptions): AsyncGenerator<Finding> {
  const engines = await startEngines(folder, ['postgres'])
  const found: Size[] = []
  const all = Array.from({ length: availableParallelism() }, (_, index) => index)
  try {
    pin([process.pid], [OF_DATABASE])
    for (const count of gateways)
      found.push(await measure(folder, engines, { count, seconds, others: all.slice(OF_DATABASE + 1) }))
  } finally {
    pin([process.pid], all)
    await engines.stop()
  }
  yield table(found)
}

async function measure(
  folder: string,
  engines: Engines,
  { count, seconds, others }: { count: number; seconds: number; others: readonly number[] },
): Promise<Size> {
  const database = await engines.make('postgres', `sizes_${count}`)
  const gateway = await startGateways(folder, count, { WIGWAG_DATABASE_URL: database.url })
  const quotas: Quota[] = []
  try {
    const callers = Array.from({ length: count * WALLETS_EACH }, (_, n) =>
      makeCaller(database.url, `size${n}`),
    )
    const connections = count * CONNECTIONS
    // At its full speed, while the engine compiles what it runs.
    await loadSends(gateway, connections, 5, callers)
    pin(engines.pids(), [OF_DATABASE])
    pin(gateway.pids, others)
    for (const pid of gateway.pids) {
      const quota = startQuota(GATEWAY)
      quota.add([pid])
      quotas.push(quota)
    }
    const read = async () => ({
      ...(await writesOf(gateway.port)),
      gatewayMs: gateway.cpuMs(),
      databaseMs: database.cpuMs(),
      at: performance.now(),
    })
    const before = await read()
    const { promise: underLoad, resolve, reject } = Promise.withResolvers<typeof before>()
    setTimeout(() => void read().then(resolve, reject), seconds * 1_000)
    const measured = await measureFlow(gateway, database, { seconds, connections, callers })
    const then = await underLoad
    const ms = then.at - before.at
    return {
      gateways: count,
      measured,
      gatewayUse: (then.gatewayMs - before.gatewayMs) / ms / (GATEWAY * count),
      databaseUse: (then.databaseMs - before.databaseMs) / ms,
      writeMs: ((then.seconds - before.seconds) * 1_000) / (then.writes - before.writes),
    }
  } finally {
    await gateway.stop()
    for (const quota of quotas) quota.remove()
    checkBooks(database.url)
  }
}

/** Totals of the writes in the gateways' metrics. */
async function writesOf(ports: readonly number[]): Promise<{ writes: number; seconds: number }> {
  const total = { writes: 0, seconds: 0 }
  for (const port of ports) {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    const of = (name: string) =>
      Number(new RegExp(`^wigwag_database_${name}_total (\\S+)`, 'm').exec(text)?.[1] ?? Number.NaN)
    total.writes += of('writes')
    total.seconds += of('write_seconds')
  }
  return total
}

function table(found: readonly Size[]): Table {
  const final = ({ measured }: Size) => measured.ended.perSecond
  const [first] = found
  return {
    title: 'What another gateway adds',
    about: [
      `PostgreSQL may use one processor, and each gateway ${GATEWAY} of the other (control groups). The load runs in what PostgreSQL leaves of its processor. Each gateway has ${CONNECTIONS} connections with ${WALLETS_EACH} customers. The simulator delivers, and there are no callbacks.`,
      'final/s: messages that were delivered and charged, a second; by one: by what one gateway did. used: how much of its share each side used. A write: wigwag_database_write_seconds_total by wigwag_database_writes_total.',
    ],
    columns: [
      'gateways',
      'accepted/s',
      'final/s',
      'by one',
      'p50 ms',
      'p99 ms',
      'µs',
      'µs database',
      'used by gateways',
      'by PostgreSQL',
      'a write, ms',
    ],
    lines: found.map((size) => {
      const { gateways, measured, gatewayUse, databaseUse, writeMs } = size
      const { load, gatewayUs, databaseUs } = measured
      return [
        `${gateways}`,
        load.perSecond.toFixed(0),
        final(size).toFixed(0),
        first ? (final(size) / final(first)).toFixed(2) : '',
        load.p50.toFixed(0),
        load.p99.toFixed(0),
        gatewayUs.toFixed(0),
        databaseUs.toFixed(0),
        `${(gatewayUse * 100).toFixed(0)} %`,
        `${(databaseUse * 100).toFixed(0)} %`,
        writeMs.toFixed(1),
      ]
    }),
  }
}
