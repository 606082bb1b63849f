import { type Engines, startEngines } from '../bench/database.ts'
import { median, type Row } from '../bench/row.ts'
import { capacities } from './capacities.ts'
import { type Disk, measureDisk } from './disk.ts'
import { bytes, fixed, us } from './figures.ts'
import { costsOf, type Load, type Measured, measureAccepts, measureWhole, type Pair } from './measure.ts'
import { type Model, type Simulated, simulate } from './simulate.ts'
import { splits } from './splits.ts'

export interface ScaleOptions {
  /** How long each measurement lasts. */
  seconds: number
  connections: readonly number[]
  wallets: readonly number[]
}

/** Between these, the simulation is believed. The load to which it is fitted is no check. */
const LEAST = 0.8
const MOST = 1.25
/** The load whose batches are many messages, to split costs. */
const MANY = 64
const CARRIER_US = 100_000
const SIMULATED_SECONDS = 4
const LONGEST_HOP_US = 3_000

interface Point {
  load: Load
  measured: Measured
  simulated: Simulated
  /** Whether the simulation was fitted to this load. */
  fitted: boolean
}

/**
 * Measures what messages cost, simulates a system with these costs, checks the simulation against measured loads, and
 * computes what larger systems hold. One thing is fitted, on one load: what a hand-over to a sleeping process costs.
 */
export async function* scale(folder: string, options: ScaleOptions): AsyncGenerator<Row> {
  const disk = measureDisk(folder)
  const engines = await startEngines(folder, ['postgres'])
  try {
    yield* measureAndCompute(engines, folder, disk, options)
  } finally {
    await engines.stop()
  }
}

async function* measureAndCompute(
  engines: Engines,
  folder: string,
  disk: Disk,
  { seconds, connections, wallets }: ScaleOptions,
): AsyncGenerator<Row> {
  const pairOf = async (measure: typeof measureWhole): Promise<Pair> => {
    const used = async (many: number) =>
      (await measure(engines, folder, { connections: many, wallets: 1, seconds })).used
    return { single: await used(1), many: await used(MANY) }
  }
  const accepts = await pairOf(measureAccepts)
  const whole = await pairOf(measureWhole)
  const costs = costsOf({ accepts, whole })
  const { flushesUs } = disk
  const base: Omit<Model, 'processors' | 'connections' | 'wallets'> = {
    ...{ costs, flushesUs, standbyUs: 0, hopUs: 0, carrierUs: CARRIER_US },
    ...{ gateways: 1, paidBy: 'connection', seconds: SIMULATED_SECONDS, seed: 1 },
  }
  yield* costRows(base, disk, whole)

  const points: Point[] = []
  let hopUs: number | undefined
  for (const many of connections) {
    for (const rows of wallets) {
      // A connection sends from one wallet.
      if (rows > many) continue
      const load = { connections: many, wallets: rows, seconds }
      const measured = await measureWhole(engines, folder, load)
      const model: Model = {
        ...base,
        ...load,
        seconds: SIMULATED_SECONDS,
        processors: processorsOf(measured),
      }
      const fitted = hopUs === undefined
      hopUs ??= fitHop(model, measured.load.perSecond)
      if (fitted) yield { what: 'a hand-over to a process that sleeps, fitted', figure: us(hopUs), goal: '' }
      const simulated = simulate({ ...model, hopUs })
      const point = { load, measured, simulated, fitted }
      points.push(point)
      yield* pointRows(point)
    }
  }

  const largest = points.at(-1)
  if (!largest) throw new Error('expected a load with as many connections as wallets, got none')
  const commitUs = median(flushesUs)
  const { walBytes, keptBytes, gatewayUs, databaseUs, writes, endings } = largest.measured.used
  const batches = { accept: 1 / (writes - endings), finish: 1 / endings }
  yield* capacities({ costs, commitUs, walBytes, keptBytes, gatewayUs, databaseUs, batches, disk })
  const { rows, broken } = splits({ ...base, hopUs: hopUs ?? 0 }, commitUs)
  yield* rows
  const off = points.filter((point) => !point.fitted && !isBelievable(ratioOf(point)))
  const failed = [...off.map((point) => `${told(point.load)}: ${ratioOf(point).toFixed(2)}`), ...broken]
  if (failed.length === 0) return
  const free = Math.min(...points.map(({ measured }) => measured.used.processors))
  throw new Error(
    `expected simulated by measured to be ${LEAST} to ${MOST} and the simulation to keep to the formulas, got ${failed.join('; ')}. Repeat it on a quiet machine: other work left ${free.toFixed(1)} processors here.`,
  )
}

function processorsOf({ used }: Measured): Model['processors'] {
  return { shared: used.processors }
}

/** The hand-over with which the simulation is as fast as what was measured; zero when it is slower without any. */
export function fitHop(model: Model, perSecond: number): number {
  let [low, high] = [0, LONGEST_HOP_US]
  for (let tries = 0; tries < 14; tries++) {
    const hopUs = (low + high) / 2
    if (simulate({ ...model, hopUs }).acceptsPerSecond > perSecond) low = hopUs
    else high = hopUs
  }
  return low
}

function ratioOf({ measured, simulated }: Point): number {
  return simulated.acceptsPerSecond / measured.load.perSecond
}

function isBelievable(ratio: number): boolean {
  return ratio >= LEAST && ratio <= MOST
}

function* costRows({ costs }: Pick<Model, 'costs'>, disk: Disk, { many }: Pair): Generator<Row> {
  const { accept, finish, client } = costs
  const sides = [
    ['gateway, to accept', accept.gateway],
    ['database, to accept', accept.database],
    ['gateway, to submit and end', finish.gateway],
    ['database, to end', finish.database],
  ] as const
  for (const [what, { message, statement }] of sides)
    yield {
      what: `processor time: ${what}`,
      figure: `${us(message)} a message + ${us(statement)} a statement`,
      goal: '',
    }
  yield { what: 'processor time: the load itself', figure: us(client), goal: '' }
  yield {
    what: `commits a message, ${MANY} connections`,
    figure: `${many.writes.toFixed(3)}, of which endings ${many.endings.toFixed(3)}`,
    goal: '',
  }
  yield { what: 'write-ahead log of a message', figure: bytes(many.walBytes), goal: '' }
  yield { what: 'kept of a message, with its indexes', figure: bytes(many.keptBytes), goal: '' }
  const flushes = [...disk.flushesUs].sort((a, b) => a - b)
  const late = flushes[Math.floor(flushes.length * 0.99)] ?? 0
  yield {
    what: 'a flush of this disk, median and p99',
    figure: `${us(median(flushes))}, ${us(late)}`,
    goal: '',
  }
  yield {
    what: 'what this disk stores of a log',
    figure: `${fixed(disk.bytesPerSecond / 1e6, 0)} MB/s`,
    goal: '',
  }
}

function* pointRows(point: Point): Generator<Row> {
  const { load, measured, simulated, fitted } = point
  const { used } = measured
  const beside = (one: number, other: number, digits = 0) => `${fixed(one, digits)}, ${fixed(other, digits)}`
  yield {
    what: `${told(load)}: accepts a second, measured and simulated`,
    figure: beside(measured.load.perSecond, simulated.acceptsPerSecond),
    goal: '',
  }
  yield {
    what: '  simulated by measured',
    figure: ratioOf(point).toFixed(2),
    goal: fitted ? 'fitted' : `${LEAST} to ${MOST}`,
  }
  yield { what: '  final a second', figure: beside(measured.ended, simulated.finalsPerSecond), goal: '' }
  yield { what: '  p50, ms', figure: beside(measured.load.p50, simulated.p50Ms, 1), goal: '' }
  yield { what: '  p99, ms', figure: beside(measured.load.p99, simulated.p99Ms, 1), goal: '' }
  yield {
    what: '  messages in a batch of accepts',
    figure: beside(1 / (used.writes - used.endings), simulated.acceptBatch, 1),
    goal: '',
  }
  yield {
    what: '  messages in a batch of endings',
    figure: beside(1 / used.endings, simulated.finishBatch, 1),
    goal: '',
  }
  yield {
    what: '  a wallet is held for, and waited for, ms, simulated',
    figure: beside(simulated.holdMs, simulated.lockWaitMs, 2),
    goal: '',
  }
  yield { what: '  processors that nothing else used', figure: fixed(used.processors, 2), goal: '' }
}

function told({ connections, wallets }: Load): string {
  const count = (number: number, one: string) => `${number} ${one}${number === 1 ? '' : 's'}`
  return `${count(connections, 'connection')}, ${count(wallets, 'wallet')}`
}
