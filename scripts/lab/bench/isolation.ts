import { median, type Row } from '../report.ts'
import { follow, rowsOf } from './isolation/journeys.ts'
import { type Scene, TROUBLES, type Trouble } from './isolation/troubles.ts'
import { type BenchDatabase, makeCaller, startEngines } from './rig/database.ts'
import { MESSAGE, sends, startGateway } from './rig/gateways.ts'
import type { LoadResult } from './rig/load.ts'
import { atRest, load, type Server, signIn } from './rig/processes.ts'

const ROUNDS = 4
const SECONDS = 4
/** At a steady pace: without rest, requests wait for one another, and the wait that trouble adds is lost in that. */
const PACE = { accepts: 500, reads: 200, probes: 50, pages: 10 }
/** Longer than the messages that are followed take to be sent. */
const FOLLOWED_SECONDS = 15

type Measured = Record<keyof typeof PACE, LoadResult>

/** Of each kind of request, the share of them that has to be quick enough. */
const SHOWN: Record<keyof Measured, { of: 'p95' | 'p99'; name: string }> = {
  accepts: { of: 'p99', name: 'accepts' },
  reads: { of: 'p99', name: 'reads of a status' },
  probes: { of: 'p99', name: '/livez' },
  pages: { of: 'p95', name: 'a page of the console' },
}

/** How long one account's requests take beside some trouble, against those of a gateway without it. */
export async function* isolation(
  folder: string,
  { engines, beside }: { engines: readonly string[]; beside: string },
): AsyncGenerator<Row> {
  const databases = await startEngines(folder, engines)
  try {
    for (const engine of engines) {
      for (const [index, trouble] of TROUBLES.entries()) {
        if (!trouble.engines.includes(engine) || !trouble.what.includes(beside)) continue
        const name = `${engine}_${index}`
        const carriers = await trouble.carriers?.(folder)
        const quiet = await stage(folder, await databases.make(engine, `${name}_quiet`), {
          program: trouble.program,
          env: { ...carriers?.quiet },
        })
        const troubled = await stage(folder, await databases.make(engine, `${name}_troubled`), {
          ...trouble,
          env: { ...trouble.env, ...carriers?.troubled },
        })
        try {
          const how = trouble.wayMs === undefined ? compare : followBoth
          yield* await how(engine, trouble, { quiet, troubled })
        } finally {
          await Promise.all([quiet.gateway.stop(), troubled.gateway.stop()])
          await carriers?.stop()
        }
      }
    }
  } finally {
    await databases.stop()
  }
}

async function stage(
  folder: string,
  database: BenchDatabase,
  { program, env, prepare }: Partial<Pick<Trouble, 'program' | 'env' | 'prepare'>>,
): Promise<Scene> {
  await prepare?.(database.url)
  const gateway = await startGateway(folder, { WIGWAG_DATABASE_URL: database.url, ...env }, program)
  const [measured, troubled] = [makeCaller(database.url, 'measured'), makeCaller(database.url, 'troubled')]
  return { folder, database, gateway, measured, troubled, cookie: await signIn(gateway) }
}

interface Pair {
  quiet: Scene
  troubled: Scene
}

/** Both gateways are there all the time, and take turns in being measured. */
async function compare(engine: string, trouble: Trouble, { quiet, troubled }: Pair): Promise<Row[]> {
  const { seconds = SECONDS, begin, once, atMostMs } = trouble
  const pace = { ...PACE, ...trouble.pace }
  const [alone, beside]: [Measured[], Measured[]] = [[], []]
  const more: Row[] = []
  const rest = async () =>
    trouble.lasts ||
    atRest(() => quiet.gateway.cpuMs() + troubled.gateway.cpuMs() + troubled.database.cpuMs())

  async function measureAlone(): Promise<void> {
    await rest()
    alone.push(await measure(quiet, seconds, pace))
  }
  async function measureBeside(): Promise<void> {
    await rest()
    const end = await begin?.(troubled, seconds)
    beside.push(await measure(troubled, seconds, pace))
    more.push(...((await end?.()) ?? []))
  }
  for (const scene of [quiet, troubled]) await measure(scene, 2, pace)
  for (let round = 0; round < (once ? 1 : ROUNDS); round++) {
    // Each is the first of its round as often as the other.
    const turns = round % 2 === 0 ? [measureAlone, measureBeside] : [measureBeside, measureAlone]
    for (const turn of turns) await turn()
  }
  const what = `${engine}: ${trouble.what}`
  const rows = (Object.keys(SHOWN) as (keyof Measured)[]).map((kind) => {
    const { of, name } = SHOWN[kind]
    const [before = 0, during = 0] = [alone, beside].map((all) =>
      median(all.map((result) => result[kind][of])),
    )
    const behind = alone.some((result) => result[kind].perSecond < 0.8 * pace[kind])
    const most = atMostMs?.[kind]
    const goal = most === undefined ? '3 ×' : `${typeof most === 'number' ? most : most[engine]} ms`
    return {
      what: kind === 'accepts' ? `${of} of others' ${name} beside ${what}` : `  ${of} of ${name}`,
      figure: `${(during / before).toFixed(1)} × (${before.toFixed(1)} → ${during.toFixed(1)} ms)`,
      goal: behind ? 'not comparable: the gateway without trouble fell behind as well' : `≤ ${goal}`,
    }
  })
  return [
    ...rows,
    {
      what: '  refused of others',
      figure: `${beside.reduce((sum, one) => sum + refused(one), 0)}`,
      goal: '0',
    },
    ...more,
  ]
}

function refused(measured: Measured): number {
  return Object.values(measured).reduce(
    (sum, { requests, statuses }) => sum + requests - (statuses[200] ?? 0),
    0,
  )
}

/** Follows another account's messages to their end. Lasting trouble begins only once. */
async function followBoth(engine: string, trouble: Trouble, { quiet, troubled }: Pair): Promise<Row[]> {
  const alone = await follow(quiet)
  const end = await trouble.begin?.(troubled, FOLLOWED_SECONDS)
  const beside = await follow(troubled)
  const rows = rowsOf(`${engine}: ${trouble.what}`, { alone, beside, mostMs: trouble.wayMs ?? 0 })
  return [...rows, ...((await end?.()) ?? [])]
}

/** Sends of the measured account, and beside them reads of one of its messages, probes of the process, and a page. */
async function measure(
  { gateway, measured, cookie }: Scene,
  seconds: number,
  pace: typeof PACE,
): Promise<Measured> {
  const to = sends(gateway, [measured])
  const reads = { port: to.port, callers: to.callers, seconds, connections: 4 }
  const [accepts, read, probes, pages] = await Promise.all([
    load({ ...to, connections: 16, pace: pace.accepts, seconds }),
    load({ ...reads, path: await statusPath(gateway, measured), pace: pace.reads }),
    load({ ...reads, path: '/livez', pace: pace.probes }),
    load({ ...reads, callers: [{ cookie }], path: '/messages', pace: pace.pages }),
  ])
  return { accepts, reads: read, probes, pages }
}

async function statusPath({ port }: Server, headers: Record<string, string>): Promise<string> {
  const init = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' } }
  const url = `http://127.0.0.1:${port}/v1/messages/sms`
  const { Ticket } = await (await fetch(url, { ...init, body: JSON.stringify(MESSAGE) })).json()
  return `/v1/transactions/${Ticket}/status`
}
