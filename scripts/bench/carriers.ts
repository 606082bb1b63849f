import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openToRead } from '../../packages/server/src/platform/database/open.ts'
import { type BenchDatabase, checkBooks, makeCaller, startEngines } from './database.ts'
import { measureLives } from './lives/measure.ts'
import { DIGITS } from './load.ts'
import { atRest, loadOk, type Server } from './processes.ts'
import { median, type Row } from './row.ts'
import { MESSAGE, sends, startCarrier, startGateway } from './subjects.ts'

export interface CarriersOptions {
  engines: readonly string[]
  /** Measures what a carrier that fails costs the messages of another one. */
  dead: boolean
  /** A part of a fault's name, to measure it alone. */
  beside: string
}

const ROUNDS = 4
const SECONDS = 6
const CONNECTIONS = 64
const WALLETS = 4
/** Over one bind, receipts come in lock-step with their acknowledgements, and fewer messages become final. */
const SMPP = 'window=100&binds=4'

export async function* carriers(
  folder: string,
  { engines, dead, beside }: CarriersOptions,
): AsyncGenerator<Row> {
  const databases = await startEngines(folder, engines)
  try {
    for (const engine of engines) {
      const make = (name: string) => databases.make(engine, `${engine}_${name}`)
      if (!dead) yield* await overSmpp(folder, engine, make)
      else
        for (const fault of FAULTS.filter(({ what }) => what.includes(beside)))
          yield* await besideFault(folder, engine, fault, make)
    }
  } finally {
    await databases.stop()
  }
}

type Make = (name: string) => Promise<BenchDatabase>

interface Way {
  gateway: Server
  database: BenchDatabase
  callers: Record<string, string>[]
  ended: number[]
  gatewayUs: number[]
  databaseUs: number[]
  carrierUs: number[]
}

/**
 * Whole lives over the simulator, which is in the gateway's process, and over SMPP. Both gateways are there all the time
 * and take turns. The carrier, the load and the gateway share the processors, so a carrier on another machine leaves
 * the gateway more of them.
 */
async function overSmpp(folder: string, engine: string, make: Make): Promise<Row[]> {
  const carrier = await startCarrier(folder, ['--delay', '100'])
  const smpp = `smpp://bench:secret@127.0.0.1:${carrier.port}?${SMPP}`
  const inside = await openWay(folder, await make('simulator'), {})
  const outside = await openWay(folder, await make('smpp'), { WIGWAG_CARRIER: smpp })
  const turn = async (way: Way, seconds: number): Promise<void> => {
    await atRest(() => inside.gateway.cpuMs() + outside.gateway.cpuMs() + way.database.cpuMs())
    const before = carrier.cpuMs()
    const load = { seconds, connections: CONNECTIONS, callers: way.callers }
    const { ended, gatewayUs, databaseUs, messages } = await measureLives(way.gateway, way.database, load)
    way.ended.push(ended)
    way.gatewayUs.push(gatewayUs)
    way.databaseUs.push(databaseUs)
    way.carrierUs.push(((carrier.cpuMs() - before) * 1_000) / messages)
  }
  try {
    for (const way of [inside, outside]) {
      await turn(way, 2)
      for (const figures of [way.ended, way.gatewayUs, way.databaseUs, way.carrierUs]) figures.length = 0
    }
    for (let round = 0; round < ROUNDS; round++) {
      // Each is the first of its round as often as the other.
      for (const way of round % 2 === 0 ? [inside, outside] : [outside, inside]) await turn(way, SECONDS)
    }
  } finally {
    await Promise.all([inside.gateway.stop(), outside.gateway.stop()])
    await carrier.stop()
  }
  for (const { database } of [inside, outside]) checkBooks(database.url)
  return report(engine, inside, outside)
}

async function openWay(folder: string, database: BenchDatabase, env: Record<string, string>): Promise<Way> {
  const gateway = await startGateway(folder, { WIGWAG_DATABASE_URL: database.url, ...env })
  const callers = Array.from({ length: WALLETS }, (_, index) => makeCaller(database.url, `bench${index}`))
  return { gateway, database, callers, ended: [], gatewayUs: [], databaseUs: [], carrierUs: [] }
}

function report(engine: string, inside: Way, outside: Way): Row[] {
  const [inUs, outUs] = [median(inside.gatewayUs), median(outside.gatewayUs)]
  const [inEnded, outEnded] = [median(inside.ended), median(outside.ended)]
  const [inDatabase, outDatabase] = [median(inside.databaseUs), median(outside.databaseUs)]
  return [
    {
      what: `${engine}, ${CONNECTIONS} connections, ${WALLETS} wallets: finals a second over SMPP / simulator`,
      figure: `${(outEnded / inEnded).toFixed(2)} (${outEnded.toFixed(0)} / ${inEnded.toFixed(0)})`,
      goal: '≥ 0.8',
    },
    {
      what: '  processor time a message of the gateway over SMPP, simulator',
      figure: `${outUs.toFixed(0)}, ${inUs.toFixed(0)} µs`,
      goal: `≤ 25 µs more, is ${(outUs - inUs).toFixed(0)}`,
    },
    {
      what: '  of the database beside it',
      figure: `${outDatabase.toFixed(0)}, ${inDatabase.toFixed(0)} µs`,
      goal: '',
    },
    {
      what: '  of the carrier, which shares the processors',
      figure: `${median(outside.carrierUs).toFixed(0)} µs`,
      goal: '',
    },
  ]
}

const FAULTS = [
  { what: 'a dead carrier', flags: [], dies: true },
  { what: 'a carrier that never answers', flags: ['--silent', '100'], dies: false },
]

/** Messages a second to each of the two carriers. */
const PACE = 200
const PREFIXES = { sound: '23324', faulty: '23320' }

interface Pair {
  gateway: Server
  database: BenchDatabase
  caller: Record<string, string>
  stop(): Promise<void>
}

/** How long messages of a sound carrier take to become final, beside one that fails and beside one that does not. */
async function besideFault(
  folder: string,
  engine: string,
  { what, flags, dies }: (typeof FAULTS)[number],
  make: Make,
): Promise<Row[]> {
  const name = dies ? 'dead' : 'silent'
  const quiet = await openPair(folder, await make(`beside_${name}_quiet`), [], false)
  const troubled = await openPair(folder, await make(`beside_${name}`), flags, dies)
  const [alone, beside]: [number[], number[]] = [[], []]
  const turn = async (pair: Pair, found: number[]): Promise<void> => {
    await atRest(() => quiet.gateway.cpuMs() + troubled.gateway.cpuMs() + pair.database.cpuMs())
    found.push(await p99ToFinal(pair))
  }
  try {
    for (const pair of [quiet, troubled]) await turn(pair, [])
    for (let round = 0; round < ROUNDS; round++) {
      const turns = [() => turn(quiet, alone), () => turn(troubled, beside)]
      for (const each of round % 2 === 0 ? turns : turns.toReversed()) await each()
    }
  } finally {
    await Promise.all([quiet.stop(), troubled.stop()])
  }
  for (const { database } of [quiet, troubled]) checkBooks(database.url)
  const [before, during] = [median(alone), median(beside)]
  return [
    {
      what: `${engine}: p99 from accept to final beside ${what}`,
      figure: `${(during / before).toFixed(1)} × (${before.toFixed(0)} → ${during.toFixed(0)} ms)`,
      goal: '≤ 1.5 ×',
    },
  ]
}

async function openPair(
  folder: string,
  database: BenchDatabase,
  flags: string[],
  dies: boolean,
): Promise<Pair> {
  const sound = await startCarrier(folder, ['--delay', '0'])
  const faulty = await startCarrier(folder, ['--delay', '0', ...flags])
  const file = join(folder, `carriers-${sound.port}.json`)
  const way = (name: string) => ({ prefix: PREFIXES[name as keyof typeof PREFIXES], carriers: [{ name }] })
  const carrier = ({ port }: Server) => ({
    url: `smpp://bench@127.0.0.1:${port}?${SMPP}`,
    passwordEnv: 'BENCH_PASSWORD',
  })
  await writeFile(
    file,
    JSON.stringify({
      carriers: { sound: carrier(sound), faulty: carrier(faulty) },
      routes: [way('sound'), way('faulty')],
    }),
  )
  const gateway = await startGateway(folder, {
    WIGWAG_DATABASE_URL: database.url,
    WIGWAG_CARRIER: `file:${file}`,
    BENCH_PASSWORD: 'secret',
  })
  if (dies) await faulty.stop()
  return {
    gateway,
    database,
    caller: makeCaller(database.url, 'bench'),
    async stop() {
      await gateway.stop()
      await sound.stop()
      if (!dies) await faulty.stop()
    },
  }
}

/** Loads both carriers, and looks up in the database how long the messages of the sound one took. */
async function p99ToFinal({ gateway, database, caller }: Pair): Promise<number> {
  const from = Date.now()
  const to = (prefix: string) => ({
    ...sends(gateway, [caller]),
    body: JSON.stringify({ ...MESSAGE, To: `${prefix}${DIGITS}7` }),
    ...{ connections: 8, pace: PACE, seconds: SECONDS },
  })
  await Promise.all([loadOk(to(PREFIXES.sound)), loadOk(to(PREFIXES.faulty))])
  const store = openToRead({ url: database.url, postgresConnections: 1, onIdleError: () => undefined })
  try {
    for (const deadline = performance.now() + 30_000; ; ) {
      const rows = await store.read(({ run }) =>
        run<{ status: string; ms: number }>(
          `SELECT status, effected_at - created_at AS ms FROM messages WHERE recipient LIKE $1 AND created_at >= $2`,
          [`%${PREFIXES.sound}%`, from],
        ),
      )
      const waiting = rows.filter(({ status }) => status === 'pending').length
      if (waiting === 0)
        return rows.map(({ ms }) => ms).sort((a, b) => a - b)[Math.floor(rows.length * 0.99)] ?? 0
      if (performance.now() > deadline)
        throw new Error(`expected all messages to be final, ${waiting} are not`)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  } finally {
    await store.close()
  }
}
