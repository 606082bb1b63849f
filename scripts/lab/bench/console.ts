import { request } from 'node:http'
import { median, type Row } from '../report.ts'
import { type Engines, startEngines } from './rig/database.ts'
import { loadSends, startGateway, untilIdle } from './rig/gateways.ts'
import type { LoadResult } from './rig/load.ts'
import { atRest, type Server, signIn } from './rig/processes.ts'

const ROUNDS = 6
const SECONDS = 4
const CONNECTIONS = 64
const SESSIONS = 10
/** The most that a session may have. */
const STREAMS_EACH = 20
/** People look at different lists, and streams of the same list share their reads. */
const FILTERS = ['', 'status:pending', 'status:success', 'status:failed,expired', 'from:WIGWAG']

interface Measured extends LoadResult {
  /** Processor time of the gateway for a message, from its request to its end. */
  us: number
}

/** Measures how much open pages of the console slow down accepts of the account that they show. */
export async function* consoleStreams(
  folder: string,
  { engines }: { engines: readonly string[] },
): AsyncGenerator<Row> {
  const databases = await startEngines(folder, engines)
  try {
    for (const engine of engines) yield* await beside(folder, databases, engine, openLists)
  } finally {
    await databases.stop()
  }
}

/** Open pages that are kept up to date. */
export interface Streams {
  /** How many events they got. */
  events(): number
  close(): void
}

/**
 * Measures how much open pages slow down senders. Rounds with and without pages alternate on one gateway, so
 * that both have as many messages behind them.
 */
export async function beside(
  folder: string,
  databases: Engines,
  engine: string,
  openPages: (gateway: Server) => Promise<Streams>,
): Promise<Row[]> {
  const database = await databases.make(engine, `${engine}_console`)
  const gateway = await startGateway(folder, { WIGWAG_DATABASE_URL: database.url })
  const alone: Measured[] = []
  const streamed: Measured[] = []
  const heard: number[] = []
  const ratios: number[] = []

  async function measure(): Promise<Measured> {
    await untilIdle(gateway)
    await atRest(() => gateway.cpuMs() + database.cpuMs())
    const before = gateway.cpuMs()
    const load = await loadSends(gateway, CONNECTIONS, SECONDS)
    await untilIdle(gateway)
    return { ...load, us: (1_000 * (gateway.cpuMs() - before)) / load.requests }
  }
  async function measureBeside(): Promise<Measured> {
    const streams = await openPages(gateway)
    const result = await measure()
    heard.push(streams.events() / SECONDS)
    streams.close()
    return result
  }
  try {
    await loadSends(gateway, CONNECTIONS, 2)
    for (let round = 0; round < ROUNDS; round++) {
      // Each is the first of its round as often as the other.
      const first = round % 2 === 0
      const before = first ? await measure() : undefined
      const busy = await measureBeside()
      const quiet = before ?? (await measure())
      alone.push(quiet)
      streamed.push(busy)
      ratios.push(busy.perSecond / quiet.perSecond)
    }
  } finally {
    await gateway.stop()
  }
  const side = (results: Measured[], of: 'perSecond' | 'p99' | 'us', digits: number) =>
    median(results.map((result) => result[of])).toFixed(digits)
  return [
    {
      what: `${engine}: accepts a second with ${SESSIONS * STREAMS_EACH} open pages / with none`,
      figure: median(ratios).toFixed(2),
      goal: '≥ 0.9',
    },
    {
      what: '  accepts a second: with none | with them',
      figure: `${side(alone, 'perSecond', 0)} | ${side(streamed, 'perSecond', 0)}`,
      goal: '',
    },
    {
      what: '  p99 of an accept, in ms: with none | with them',
      figure: `${side(alone, 'p99', 1)} | ${side(streamed, 'p99', 1)}`,
      goal: '',
    },
    {
      what: '  processor time of the gateway a message: with none | with them',
      figure: `${side(alone, 'us', 0)} | ${side(streamed, 'us', 0)} µs`,
      goal: '',
    },
    { what: '  events that the pages got, a second', figure: median(heard).toFixed(0), goal: '' },
  ]
}

/** Opens lists of messages, and reads their streams as fast as they come. */
async function openLists(gateway: Server): Promise<Streams> {
  const { port } = gateway
  const cookies = await Promise.all(Array.from({ length: SESSIONS }, () => signIn(gateway)))
  let events = 0
  const open = await Promise.all(
    cookies.flatMap((cookie) =>
      Array.from({ length: STREAMS_EACH }, async (_, index) => {
        const q = FILTERS[index % FILTERS.length] ?? ''
        const path = `/messages/live?q=${encodeURIComponent(q)}`
        const asked = request({ host: '127.0.0.1', port, path, headers: { cookie }, agent: false }).end()
        await new Promise<void>((resolve, reject) => {
          asked.once('error', reject)
          asked.once('response', (response) => {
            if (response.statusCode !== 200) reject(new Error(`a stream answered ${response.statusCode}`))
            response.on('error', () => undefined)
            response.setEncoding('utf8').on('data', (text: string) => {
              events += text.split('event: ').length - 1
            })
            resolve()
          })
        })
        asked.on('error', () => undefined)
        return asked
      }),
    ),
  )
  return {
    events: () => events,
    close() {
      for (const asked of open) asked.destroy()
    },
  }
}
