import type { Finding } from '../report.ts'
import { type Beside, type Measured, measureFlow } from './flow/measure.ts'
import { isWay, overTime, promises, type Scene, sideBySide, WAYS, type Way } from './flow/report.ts'
import { type BenchDatabase, checkBooks, makeCallers, startEngines } from './rig/database.ts'
import { loadSends, sendingBy, startFlowCarrier, startGateway } from './rig/gateways.ts'
import { processors } from './rig/processors.ts'
import { startReceiver } from './rig/receiver.ts'
import { withChildren } from './rig/usage.ts'
import { type MeasuredRival, measureRival, rivalsOf } from './rivals/rivals.ts'

export interface FlowOptions {
  /** How long each measurement lasts. */
  seconds: number
  ways: readonly string[]
  connections: readonly number[]
  wallets: readonly number[]
  /** How many processes a gateway on PostgreSQL has. On SQLite it has one. */
  processes: readonly number[]
  /** The connections of each process to the carrier, and those of Kannel. */
  binds: number
  engines: readonly string[]
  /** Other programs to measure, by name. */
  rivals: readonly string[]
}

type Shape = Pick<Scene, 'engine' | 'way' | 'connections' | 'wallets' | 'processes'>

/**
 * The whole way of a message under lasting load: accepted, handed over, delivered, charged and told of. Costs
 * are counted until nothing is left to do, so that no work can be put off past the end. The books are checked
 * after each run.
 */
export async function* flow(folder: string, options: FlowOptions): AsyncGenerator<Finding> {
  const { engines, seconds, binds } = options
  const ways = options.ways.map((way) => {
    if (!isWay(way)) throw new Error(`--ways takes ${Object.keys(WAYS).join(', ')}; got ${way}`)
    return way
  })
  const rivals = rivalsOf(options.rivals, engines)
  const databases = await startEngines(folder, engines)
  yield await processors()
  const scenes: Scene[] = []
  try {
    for (const connections of options.connections) {
      const beside: MeasuredRival[] = []
      for (const rival of rivals)
        beside.push(await measureRival(rival, connections, { folder, databases, seconds, binds }))
      for (const shape of shapes(connections, ways, options)) {
        const database = await databases.make(shape.engine, `${shape.engine}_${scenes.length}`)
        const measured = await measure(database, folder, { ...shape, seconds, binds })
        const scene = { ...shape, measured, rivals: beside }
        scenes.push(scene)
        yield* promises(scene)
      }
    }
  } finally {
    await databases.stop()
  }
  yield sideBySide(scenes)
  yield overTime(scenes)
}

/** Each process needs a connection at least. */
function shapes(
  connections: number,
  ways: readonly Way[],
  { engines, wallets, processes }: FlowOptions,
): Shape[] {
  return engines
    .flatMap((engine) =>
      ways.flatMap((way) =>
        (engine === 'sqlite' ? [1] : processes).flatMap((count) =>
          wallets.map((wallet) => ({ engine, way, connections, processes: count, wallets: wallet })),
        ),
      ),
    )
    .filter((shape) => shape.processes <= connections)
}

async function measure(
  database: BenchDatabase,
  folder: string,
  {
    seconds,
    binds,
    way,
    connections,
    wallets,
    processes,
  }: Omit<Shape, 'engine'> & Pick<FlowOptions, 'seconds' | 'binds'>,
): Promise<Measured> {
  const { smpp, callback } = WAYS[way]
  const carrier = smpp ? await startFlowCarrier(folder) : undefined
  const receiver = callback ? await startReceiver(folder) : undefined
  const beside: Beside = { carrier, receiver }
  const env = {
    WIGWAG_DATABASE_URL: database.url,
    WIGWAG_PROCESSES: `${processes}`,
    ...(carrier && sendingBy(carrier, { query: `window=100&binds=${binds}` })),
  }
  const gateway = withChildren(await startGateway(folder, env))
  try {
    const callers = await makeCallers(database.url, wallets)
    await loadSends(gateway, connections, 2, callers, receiver)
    return await measureFlow(gateway, database, { seconds, connections, callers }, beside)
  } finally {
    await gateway.stop()
    await carrier?.stop()
    await receiver?.stop()
    checkBooks(database.url)
  }
}
