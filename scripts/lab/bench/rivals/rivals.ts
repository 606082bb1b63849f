import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Share } from '../flow/measure.ts'
import type { Engines } from '../rig/database.ts'
import type { LoadResult } from '../rig/load.ts'
import { atRest, startServer } from '../rig/processes.ts'
import { startKannel } from './kannel.ts'
import { startPrism } from './prism.ts'
import { loadDocumented, type Rival } from './rival.ts'

/** Means for rivals that need more than a folder. */
interface Means {
  databases: Engines
  /** Connections to the carrier. */
  binds: number
}

type Start = (folder: string, means: Means) => Promise<Rival>

const STARTS: Record<string, Start> = {
  echo: (folder) => startOurs('bare Hono echo', 'echo.ts', folder),
  stateless: (folder) => startOurs('stateless', 'stateless.ts', folder),
  prism: (folder) => startPrism(folder),
  kannel: (folder, { binds }) => startKannel(folder, binds),
}

/** Where nothing is put off, more time changes nothing. */
const LONGEST_WITHOUT_KEEPING = 15

/**
 * The rivals with these names. Where we measure PostgreSQL, Kannel runs a second time with its receipts
 * there.
 */
export function rivalsOf(names: readonly string[], engines: readonly string[]): Start[] {
  return names.flatMap((name) => {
    const start = STARTS[name]
    if (!start) throw new Error(`--with takes ${Object.keys(STARTS).join(', ')}; got ${name}`)
    return name === 'kannel' && engines.includes('postgres') ? [start, startOnPostgres] : [start]
  })
}

async function startOnPostgres(folder: string, { databases, binds }: Means): Promise<Rival> {
  return startKannel(folder, binds, await databases.make('postgres', `kannel_${kannels++}`))
}
let kannels = 0

async function startOurs(name: string, script: string, folder: string): Promise<Rival> {
  const server = await startServer(join(import.meta.dirname, script), [], {}, folder)
  return {
    name,
    keeps: false,
    usage: server,
    load: (connections, seconds) => loadDocumented(server.port, connections, seconds),
    stop: server.stop,
  }
}

/** A rival under a load of sends. Costs are a message's, counted until nothing is left to do. */
export interface MeasuredRival {
  name: string
  load: LoadResult
  told: Share | undefined
  left: number
  us: number
  databaseUs: number
  keptBytes: number
  peakMb: number
}

/** How long to wait for what one left to do; what it has not done by then costs it nothing. */
const LONGEST_BACKLOG_MS = 60_000

/** It runs for this measurement alone, so that what it leaves to do is in the way of no other. */
export async function measureRival(
  start: Start,
  connections: number,
  { folder, seconds, ...means }: Means & { folder: string; seconds: number },
): Promise<MeasuredRival> {
  const rival = await start(await mkdtemp(join(folder, 'rival-')), means)
  try {
    return await measure(rival, connections, seconds)
  } finally {
    await rival.stop()
  }
}

async function measure(
  { name, keeps, usage, database, told, load }: Rival,
  connections: number,
  seconds: number,
): Promise<MeasuredRival> {
  const busyMs = () => usage.cpuMs() + (database?.cpuMs() ?? 0)
  await load(connections, 2)
  await atRest(busyMs)
  usage.forgetPeak()
  const [ms, databaseMs, mb] = [usage.cpuMs(), database?.cpuMs() ?? 0, usage.residentMb()]
  const before = await told?.()
  const result = await load(connections, keeps ? seconds : Math.min(seconds, LONGEST_WITHOUT_KEEPING))
  const within = told && (await told()) - (before ?? 0)
  const ended = await untilTold(result.requests)
  const share = within === undefined ? undefined : within / result.requests
  return {
    name,
    load: result,
    told: share === undefined ? undefined : { ratio: share, perSecond: share * result.perSecond },
    left: within === undefined ? 0 : result.requests - within,
    us: ((usage.cpuMs() - ms) * 1_000) / ended,
    databaseUs: (((database?.cpuMs() ?? 0) - databaseMs) * 1_000) / ended,
    keptBytes: ((usage.residentMb() - mb) * 2 ** 20) / result.requests,
    peakMb: usage.peakMb(),
  }

  /** Gives how many messages it has done all for. */
  async function untilTold(messages: number): Promise<number> {
    const deadline = performance.now() + LONGEST_BACKLOG_MS
    for (;;) {
      const ended = told ? (await told()) - (before ?? 0) : messages
      if (ended < messages && performance.now() < deadline) await pause(100)
      else if (ended < messages) return ended
      else break
    }
    await atRest(busyMs)
    return messages
  }
}
