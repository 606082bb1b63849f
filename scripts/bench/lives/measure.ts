import type { BenchDatabase } from '../database.ts'
import type { Load, LoadResult } from '../load.ts'
import { finals, loadSends, settled, type Target } from '../subjects.ts'

/** One engine under one load: what went in, and what came out within the same time. */
export interface Measured {
  load: LoadResult
  messages: number
  /** Messages that became final within the measured time, a second. */
  ended: number
  /** Processor time a message, of the gateways and of the database beside them. */
  gatewayUs: number
  databaseUs: number
  /** How much more memory the gateways held at the end than at the start, a message. */
  keptBytes: number
  peakMb: number
}

/** From nothing under way to nothing under way, so that a message that is counted pays for all that it costs. */
export async function measureLives(
  gateway: Target,
  database: BenchDatabase,
  { seconds, connections, callers }: Pick<Load, 'seconds' | 'connections' | 'callers'>,
): Promise<Measured> {
  await settled(gateway)
  gateway.forgetPeak()
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
    keptBytes: ((all.residentMb - before.residentMb) * 2 ** 20) / messages,
    peakMb: gateway.peakMb(),
  }
}

async function reading(gateway: Target, database: BenchDatabase) {
  return {
    at: performance.now(),
    finals: await finals(gateway),
    gatewayMs: gateway.cpuMs(),
    databaseMs: database.cpuMs(),
    residentMb: gateway.residentMb(),
  }
}
