import { median, type Row } from '../report.ts'
import { claims } from './claims.ts'
import { measureFlow } from './flow/measure.ts'
import { type BenchDatabase, makeCaller, startEngines } from './rig/database.ts'
import { fillMessages, recipientOf } from './rig/fill.ts'
import { loadSends, startGateway } from './rig/gateways.ts'
import type { Server } from './rig/processes.ts'

const FEW = 1_000
const ROUNDS = 5
/** Long enough for a checkpoint of SQLite's log to be in it. */
const SECONDS = 8
const CONNECTIONS = 64
const SEARCHES = 50
const MILLION_MS = 20
const TEN_MILLION_MS = 100

export interface GrowthOptions {
  /** How many messages are there; a thousand is what they are compared with. */
  rows: readonly number[]
  engines: readonly string[]
}

/** A gateway whose one busy wallet has so many messages already. */
interface Grown {
  size: number
  database: BenchDatabase
  gateway: Server
  caller: Record<string, string>
}

/** Measures a message, a search by recipient and a claim with many messages already stored, or waiting. */
export async function* growth(folder: string, { rows, engines }: GrowthOptions): AsyncGenerator<Row> {
  const databases = await startEngines(folder, engines)
  try {
    for (const engine of engines) {
      const grown: Grown[] = []
      for (const size of [FEW, ...rows])
        grown.push(await grow(folder, await databases.make(engine, `${engine}_${size}`), size))
      for (const one of grown) yield await searches(engine, one)
      yield* await costs(engine, grown)
      for (const { gateway } of grown) await gateway.stop()
      for (const size of rows)
        yield* await claims(folder, await databases.make(engine, `${engine}_claims_${size}`), {
          engine,
          size,
        })
    }
  } finally {
    await databases.stop()
  }
}

async function grow(folder: string, database: BenchDatabase, size: number): Promise<Grown> {
  const caller = makeCaller(database.url, 'grown')
  await fillMessages(database.url, 'grown', size)
  const gateway = await startGateway(folder, { WIGWAG_DATABASE_URL: database.url })
  return { size, database, gateway, caller }
}

/** Searches for recipients from all of the time, each for another one that has messages. */
async function searches(engine: string, { size, gateway, caller }: Grown): Promise<Row> {
  const search = async (index: number) => {
    const url = `http://127.0.0.1:${gateway.port}/v1/messages?To=${recipientOf(index)}`
    const began = performance.now()
    const page = await (await fetch(url, { headers: caller })).json()
    const took = performance.now() - began
    if (!page.Items?.length) throw new Error(`expected messages, got ${JSON.stringify(page)}`)
    return took
  }
  await search(0)
  const times: number[] = []
  for (let n = 1; n <= SEARCHES; n++) times.push(await search(Math.floor((n * size) / (SEARCHES + 1))))
  return {
    what: `${engine}: search by recipient at ${count(size)} rows, median and worst`,
    figure: `${median(times).toFixed(1)}, ${Math.max(...times).toFixed(1)} ms`,
    goal: `≤ ${size > 1_000_000 ? TEN_MILLION_MS : MILLION_MS} ms`,
  }
}

/** Processor time of whole lives, in rounds that take turns, and what the many cost by the few of the same round. */
async function costs(engine: string, grown: readonly Grown[]): Promise<Row[]> {
  const rounds: number[][] = []
  for (const { gateway, caller } of grown) await loadSends(gateway, CONNECTIONS, 2, [caller])
  for (let round = 0; round < ROUNDS; round++) {
    const us: number[] = []
    for (const { gateway, database, caller } of grown) {
      const load = { connections: CONNECTIONS, seconds: SECONDS, callers: [caller] }
      const { gatewayUs, databaseUs } = await measureFlow(gateway, database, load)
      us.push(gatewayUs + databaseUs)
    }
    rounds.push(us)
  }
  return grown.slice(1).map(({ size }, index) => ({
    what: `${engine}: processor time a message at ${count(size)} rows / at ${count(FEW)}`,
    figure: median(rounds.map((us) => (us[index + 1] ?? 0) / (us[0] ?? 0))).toFixed(2),
    goal: '< 1.5',
  }))
}

function count(size: number): string {
  return size.toLocaleString('en')
}
