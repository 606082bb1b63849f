import { type BenchDatabase, makeCaller, startEngines } from './database.ts'
import type { LoadResult } from './load.ts'
import { atRest, loadOk, type Server } from './processes.ts'
import { median, type Row } from './row.ts'
import { MESSAGE, sends, startGateway } from './subjects.ts'
import { type Scene, TROUBLES, type Trouble } from './troubles.ts'

const ROUNDS = 4
const SECONDS = 4
/** At a steady pace: without rest, requests wait for one another, and the wait that trouble adds is lost in that. */
const PACE = { accepts: 500, reads: 200 }

interface Measured {
  accepts: LoadResult
  reads: LoadResult
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
        const quiet = await stage(folder, await databases.make(engine, `${name}_quiet`), {
          program: trouble.program,
        })
        const troubled = await stage(folder, await databases.make(engine, `${name}_troubled`), trouble)
        yield* await compare(`${engine}: ${trouble.what}`, trouble, { quiet, troubled })
      }
    }
  } finally {
    await databases.stop()
  }
}

async function stage(
  folder: string,
  database: BenchDatabase,
  { program, env, prepare }: Pick<Trouble, 'program' | 'env' | 'prepare'>,
): Promise<Scene> {
  await prepare?.(database.url)
  const gateway = await startGateway(folder, { WIGWAG_DATABASE_URL: database.url, ...env }, program)
  const [measured, troubled] = [makeCaller(database.url, 'measured'), makeCaller(database.url, 'troubled')]
  return { database, gateway, measured, troubled }
}

/** Both gateways are there all the time, and take turns in being measured. */
async function compare(
  what: string,
  { seconds = SECONDS, begin }: Trouble,
  { quiet, troubled }: { quiet: Scene; troubled: Scene },
): Promise<Row[]> {
  const [alone, beside]: [Measured[], Measured[]] = [[], []]
  const rest = () =>
    atRest(() => quiet.gateway.cpuMs() + troubled.gateway.cpuMs() + troubled.database.cpuMs())

  async function measureAlone(): Promise<void> {
    await rest()
    alone.push(await measure(quiet, seconds))
  }
  async function measureBeside(): Promise<void> {
    await rest()
    const end = await begin?.(troubled, seconds)
    beside.push(await measure(troubled, seconds))
    await end?.()
  }
  try {
    for (const scene of [quiet, troubled]) await measure(scene, 2)
    for (let round = 0; round < ROUNDS; round++) {
      // Each is the first of its round as often as the other.
      const turns = round % 2 === 0 ? [measureAlone, measureBeside] : [measureBeside, measureAlone]
      for (const turn of turns) await turn()
    }
  } finally {
    await Promise.all([quiet.gateway.stop(), troubled.gateway.stop()])
  }
  return (['accepts', 'reads'] as const).map((kind) => {
    const p99 = (results: Measured[]) => median(results.map((result) => result[kind].p99))
    const [before, during] = [p99(alone), p99(beside)]
    const behind = alone.some((result) => result[kind].perSecond < 0.8 * PACE[kind])
    return {
      what: `p99 of others' ${kind} beside ${what}`,
      figure: `${(during / before).toFixed(1)} × (${before.toFixed(1)} → ${during.toFixed(1)} ms)`,
      goal: behind ? 'not comparable: the gateway without trouble fell behind as well' : '≤ 3 ×',
    }
  })
}

/** Sends of the measured account, and beside them reads of one of its messages. */
async function measure({ gateway, measured }: Scene, seconds: number): Promise<Measured> {
  const to = sends(gateway, [measured])
  const path = await statusPath(gateway, measured)
  const [accepts, reads] = await Promise.all([
    loadOk({ ...to, connections: 16, pace: PACE.accepts, seconds }),
    loadOk({ port: to.port, callers: to.callers, path, connections: 4, pace: PACE.reads, seconds }),
  ])
  return { accepts, reads }
}

async function statusPath({ port }: Server, headers: Record<string, string>): Promise<string> {
  const init = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' } }
  const url = `http://127.0.0.1:${port}/v1/messages/sms`
  const { Ticket } = await (await fetch(url, { ...init, body: JSON.stringify(MESSAGE) })).json()
  return `/v1/transactions/${Ticket}/status`
}
