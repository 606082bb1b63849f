import { type BenchDatabase, checkBooks, makeCaller, startEngines } from './database.ts'
import { type Measured, measureLives } from './lives/measure.ts'
import { overTime, promises, type Scene, sideBySide } from './lives/report.ts'
import { type MeasuredRival, measureRival, startRivals } from './rivals/rivals.ts'
import type { Finding } from './row.ts'
import { loadSends, startGateways } from './subjects.ts'

export interface LivesOptions {
  /** How long each measurement lasts. */
  seconds: number
  connections: readonly number[]
  wallets: readonly number[]
  /** How many gateways share a database of PostgreSQL. On SQLite there is one. */
  gateways: readonly number[]
  engines: readonly string[]
  /** What is measured beside. */
  rivals: readonly string[]
}

type Shape = Pick<Scene, 'engine' | 'connections' | 'wallets' | 'gateways'>

/**
 * Whole lives: accepted, submitted, delivered and charged, under load that lasts, with the endings inside the measured
 * time, so that no work can be put off past its end. The books are checked after each run.
 */
export async function* lives(folder: string, options: LivesOptions): AsyncGenerator<Finding> {
  const databases = await startEngines(folder, options.engines)
  const rivals = await startRivals(folder, options.rivals)
  const scenes: Scene[] = []
  try {
    for (const connections of options.connections) {
      const beside: MeasuredRival[] = []
      for (const rival of rivals) beside.push(await measureRival(rival, connections, options.seconds))
      for (const shape of shapes(connections, options)) {
        const name = `${shape.engine}_${scenes.length}`
        const database = await databases.make(shape.engine, name)
        const measured = await measure(database, folder, { ...shape, seconds: options.seconds })
        const scene = { ...shape, measured, rivals: beside }
        scenes.push(scene)
        yield* promises(scene)
      }
    }
  } finally {
    await Promise.all(rivals.map((rival) => rival.stop()))
    await databases.stop()
  }
  yield sideBySide(scenes)
  yield overTime(scenes)
}

/** Each wallet and each gateway needs a connection at least. */
function shapes(connections: number, { engines, wallets, gateways }: LivesOptions): Shape[] {
  return engines
    .flatMap((engine) =>
      (engine === 'sqlite' ? [1] : gateways).flatMap((count) =>
        wallets.map((wallet) => ({ engine, connections, gateways: count, wallets: wallet })),
      ),
    )
    .filter((shape) => shape.wallets * shape.gateways <= connections)
}

async function measure(
  database: BenchDatabase,
  folder: string,
  { seconds, connections, wallets, gateways }: Omit<Shape, 'engine'> & { seconds: number },
): Promise<Measured> {
  const gateway = await startGateways(folder, gateways, { WIGWAG_DATABASE_URL: database.url })
  const callers = Array.from({ length: wallets }, (_, index) => makeCaller(database.url, `bench${index}`))
  await loadSends(gateway, connections, 2, callers)
  const measured = await measureLives(gateway, database, { seconds, connections, callers })
  await gateway.stop()
  checkBooks(database.url)
  return measured
}
