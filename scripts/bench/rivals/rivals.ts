import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { LoadResult } from '../load.ts'
import { atRest, loadOk, startServer } from '../processes.ts'
import { BODY } from '../subjects.ts'
import type { Usage } from '../usage.ts'
import { startKannel } from './kannel.ts'
import { startPrism } from './prism.ts'

/** Something beside Wigwag that answers sends. */
export interface Rival {
  name: string
  /** Whether it does more for what it accepted after it has answered. */
  keeps: boolean
  usage: Usage
  load(connections: number, seconds: number): Promise<LoadResult>
  stop(): Promise<void>
}

const STARTS: Record<string, (folder: string) => Promise<Rival>> = {
  echo: (folder) => startOurs('bare Hono echo', 'echo.ts', folder),
  stateless: (folder) => startOurs('stateless', 'stateless.ts', folder),
  prism: startPrism,
  kannel: startKannel,
}

/** Where nothing is put off, more time changes nothing. */
const LONGEST_WITHOUT_KEEPING = 15

export async function startRivals(folder: string, names: readonly string[]): Promise<Rival[]> {
  const rivals: Rival[] = []
  for (const name of names) {
    const start = STARTS[name]
    if (!start) throw new Error(`--with takes ${Object.keys(STARTS).join(', ')}; got ${name}`)
    const place = join(folder, name)
    await mkdir(place, { recursive: true })
    rivals.push(await start(place))
  }
  return rivals
}

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

/** Sends as the document has them, of a caller that need not exist. */
export function loadDocumented(port: number, connections: number, seconds: number): Promise<LoadResult> {
  const callers = [{ authorization: `Basic ${btoa('bench:bench')}`, 'x-wallet': 'Token bench' }]
  return loadOk({ port, connections, seconds, path: '/v1/messages/sms', callers, body: BODY })
}

/** What one that is not Wigwag does with sends, and what a message costs it until nothing is left to do. */
export interface MeasuredRival {
  name: string
  load: LoadResult
  us: number
  keptBytes: number
  peakMb: number
}

export async function measureRival(
  { name, keeps, usage, load }: Rival,
  connections: number,
  seconds: number,
): Promise<MeasuredRival> {
  await load(connections, 2)
  await atRest(usage.cpuMs)
  usage.forgetPeak()
  const [ms, mb] = [usage.cpuMs(), usage.residentMb()]
  const result = await load(connections, keeps ? seconds : Math.min(seconds, LONGEST_WITHOUT_KEEPING))
  await atRest(usage.cpuMs)
  return {
    name,
    load: result,
    us: ((usage.cpuMs() - ms) * 1_000) / result.requests,
    keptBytes: ((usage.residentMb() - mb) * 2 ** 20) / result.requests,
    peakMb: usage.peakMb(),
  }
}
