import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { LoadResult } from '../load.ts'
import { atRest, startServer } from '../processes.ts'
import { startKannel } from './kannel.ts'
import { startPrism } from './prism.ts'
import { loadDocumented, type Rival } from './rival.ts'

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
