import { deepStrictEqual as equal } from 'node:assert'
import { execFile } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { openCarrier } from '../../../packages/server/test/process/carrier.ts'
import { MAIN, startGateway } from '../bench/rig/gateways.ts'
import { demoHeaders, type Server } from '../bench/rig/processes.ts'
import { print, type Table, writeReport } from '../report.ts'
import type { Check } from './check.ts'
import { type Answer, type Callers, longestGap, longestPause, startCallers } from './patroni/callers.ts'
import { type Cluster, execute, startCluster } from './patroni/cluster.ts'
import { startProbe } from './patroni/probe.ts'
import { type Scenario, scenarios } from './patroni/scenarios.ts'
import { eventually } from './program.ts'

const run = promisify(execFile)
const ROLE_PASSWORD = 'of-the-gateway'
/** Until each gateway accepts a message again. */
const BACK_WITHIN_MS = 120_000
/** Messages that were under way have the claim of another gateway, which lasts; then the carrier is asked about them. */
const FINAL_WITHIN_MS = 180_000
const STEADY_MS = 3_000

const columns = [
  'fault',
  'connected',
  'acknowledged',
  'lost',
  'twice',
  'not final',
  'pause, s',
  'manager’s, s',
  'slowest refusal, s',
  'slowest answer, s',
  'statuses of sends',
  'of reads',
]

/** Two gateways by each way to connect, on a cluster of Patroni to which all is done that it is there for. */
export async function patroni(folder: string, check: Check): Promise<void> {
  // Each program that is started is killed at the exit of this one.
  process.setMaxListeners(50)
  const cluster = await startCluster(folder)
  const lines: string[][] = []
  try {
    await cluster.whole()
    const scene = await openScene(folder, cluster)
    try {
      for (const scenario of scenarios) await go(scenario, scene, check, lines)
      await check('no gateway was restarted, and the books are equal', async () => {
        for (const { pid, port } of scene.gateways) {
          process.kill(pid, 0)
          equal((await fetch(`http://127.0.0.1:${port}/livez`)).status, 200)
        }
        await checkBooks(scene.url, scene.env)
      })
    } finally {
      await scene.close()
    }
  } finally {
    await cluster.stop()
  }
  const table: Table = { title: 'What callers see of a fail-over', about, columns, lines }
  print(table)
  if (process.argv.includes('--report')) writeReport({ ...report, findings: [table] })
}

const about = [
  'Two gateways connect over HAProxy and two by an address of three hosts, all at once and on the same database. Clients ' +
    'repeat what is refused with its key, every 100 ms.',
  'Pause: the longest time without an acknowledged send. Manager’s: the longest time in which no server of the cluster ' +
    'answered a commit by a new connection. Refusal: any answer but 200. Lost: acknowledged and not there. Twice: stored or ' +
    'submitted to the carrier more than once. What was lost is brought back while clients send.',
]

const report = {
  name: 'fail-over',
  title: 'Fail-over',
  about:
    'Debian’s Patroni with etcd and HAProxy, from the files in `deploy/patroni`: three nodes, of which one is the primary ' +
    'and one the synchronous standby, on one machine. Each fault comes while clients send and read.',
  command: 'npm run lab -- interop patroni --report',
}

interface Scene {
  cluster: Cluster
  /** By a way that finds the primary, for looking. */
  url: string
  env: Record<string, string>
  gateways: readonly Server[]
  ways: readonly { name: string; gateways: readonly Server[] }[]
  headers: Record<string, string>
  probes: readonly string[]
  /** To how many numbers something was submitted more than once. */
  submittedTwice(): number
  close(): Promise<void>
}

async function openScene(folder: string, cluster: Cluster): Promise<Scene> {
  const leader = await cluster.leader()
  if (!leader) throw new Error('there is no leader')
  await execute(
    cluster.administer(leader, 'postgres'),
    `CREATE ROLE wigwag LOGIN PASSWORD '${ROLE_PASSWORD}'`,
    "CREATE DATABASE wigwag OWNER wigwag ENCODING 'UTF8' TEMPLATE template0",
    'CREATE DATABASE probe',
  )
  await execute(cluster.administer(leader, 'probe'), 'CREATE TABLE commits (n BIGSERIAL PRIMARY KEY)')
  const carrier = await openCarrier(folder)
  await carrier.start(['--delay', '100'])
  const env = {
    WIGWAG_SECRET: 'the same secret for all gateways',
    WIGWAG_POSTGRES_CONNECTIONS: '6',
    WIGWAG_CARRIER: `smpp://lab:secret@127.0.0.1:${carrier.port}?binds=1&responseMs=1000&reconnectMs=100`,
  }
  const addresses = Object.entries(cluster.addresses('wigwag', ROLE_PASSWORD, 'wigwag'))
  const ways: { name: string; gateways: Server[] }[] = []
  // One after the other, since the first makes the demo account.
  for (const [name, url] of addresses) {
    const start = () => startGateway(folder, { ...env, WIGWAG_DATABASE_URL: url })
    ways.push({ name, gateways: [await start(), await start()] })
  }
  const gateways = ways.flatMap((way) => way.gateways)
  const [first] = gateways
  if (!first) throw new Error('there are no gateways')
  return {
    cluster,
    env,
    url: addresses[0]?.[1] ?? '',
    ways,
    gateways,
    headers: demoHeaders(first),
    probes: cluster.nodes.map((node) => cluster.administer(node, 'probe')),
    submittedTwice() {
      const destinations = carrier.taken().map(({ destination }) => destination)
      return destinations.length - new Set(destinations).size
    },
    async close() {
      await Promise.all(gateways.map((gateway) => gateway.stop()))
      await carrier.kill()
    },
  }
}

async function go(scenario: Scenario, scene: Scene, check: Check, lines: string[][]): Promise<void> {
  const { cluster, ways, headers } = scene
  await cluster.whole()
  const twiceBefore = scene.submittedTwice()
  const probe = startProbe(scene.probes)
  const loads = ways.map(({ name, gateways }, index) => ({
    name,
    ports: gateways.map(({ port }) => port),
    callers: startCallers(
      `${scenarios.indexOf(scenario)}-${index}`,
      gateways.map(({ port }) => port),
      headers,
    ),
  }))
  await pause(STEADY_MS)
  const faultAt = performance.now()
  try {
    await scenario.make(cluster)
    await eventually(
      'a server takes writes',
      async () => probe.commits.some((at) => at > faultAt) || undefined,
      BACK_WITHIN_MS,
    )
    const madeAt = performance.now()
    for (const { ports, callers } of loads) await backOn(ports, callers, madeAt)
    await pause(STEADY_MS)
    await scenario.undo(cluster)
    await cluster.whole()
    const wholeAt = performance.now()
    for (const { ports, callers } of loads) await backOn(ports, callers, wholeAt)
  } finally {
    for (const { callers } of loads) await callers.stop()
    await probe.stop()
  }
  const managerMs = longestGap(probe.commits, faultAt)
  for (const { name, callers } of loads) {
    await check(
      `${scenario.name}, ${name}: nothing acknowledged is lost or done twice, and all becomes final`,
      async () => {
        const found = await lookAfter(scene.url, callers)
        const twice = found.twice + scene.submittedTwice() - twiceBefore
        const seconds = (ms: number) => (ms / 1_000).toFixed(1)
        const refused = callers.answers.filter(({ status }) => status !== 200)
        lines.push([
          scenario.name,
          name,
          String(callers.tickets.size),
          String(found.lost),
          String(twice),
          String(found.open),
          seconds(longestPause(callers.answers, faultAt)),
          seconds(managerMs),
          seconds(slowest(refused)),
          seconds(slowest(callers.answers)),
          statusesOf(callers.answers, 'send'),
          statusesOf(callers.answers, 'read'),
        ])
        console.log(`          ${lines.at(-1)?.slice(2).join(' | ')}`)
        equal({ lost: found.lost, twice, open: found.open }, { lost: 0, twice: 0, open: 0 })
        equal(callers.answers.filter(({ status, retryAfter }) => status === 503 && !retryAfter).length, 0)
      },
    )
  }
}

/** Waits until each gateway has acknowledged a send since a moment. */
async function backOn(ports: readonly number[], callers: Callers, since: number): Promise<void> {
  for (const port of ports)
    await eventually(
      `the gateway at ${port} accepts a message`,
      async () =>
        callers.answers.some(
          ({ what, status, at, port: from }) =>
            what === 'send' && status === 200 && at > since && from === port,
        ) || undefined,
      BACK_WITHIN_MS,
    )
}

/** Looks at what was acknowledged when all of it should be final. */
async function lookAfter(url: string, { tickets }: Callers) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const count = async (text: string, values: unknown[]) =>
      Number((await client.query(text, values)).rows[0].n)
    const [keys, ids] = [[...tickets.keys()], [...tickets.values()]]
    const open = () =>
      count("SELECT count(*) AS n FROM messages WHERE id = ANY($1) AND status IN ('pending', 'scheduled')", [
        ids,
      ])
    await eventually(
      'all is final',
      async () => ((await open()) === 0 ? true : undefined),
      FINAL_WITHIN_MS,
    ).catch(() => undefined)
    return {
      lost: ids.length - (await count('SELECT count(*) AS n FROM messages WHERE id = ANY($1)', [ids])),
      twice:
        (await count('SELECT count(*) AS n FROM messages WHERE reference = ANY($1)', [keys])) - keys.length,
      open: await open(),
    }
  } finally {
    await client.end()
  }
}

/** Asks the doctor. Waits for it, since what connects the cluster is in this process. */
async function checkBooks(url: string, env: Record<string, string>): Promise<void> {
  const args = [MAIN, 'doctor', '--database', url]
  await run(process.execPath, args, { env: { ...process.env, ...env } }).catch((error: unknown) => {
    throw new Error(`the doctor found: ${error instanceof Error && Reflect.get(error, 'stdout')}`)
  })
}

function slowest(answers: readonly Answer[]): number {
  return Math.max(0, ...answers.map(({ tookMs }) => tookMs))
}

function statusesOf(answers: readonly Answer[], kind: Answer['what']): string {
  const counts = new Map<string, number>()
  for (const { what, status } of answers)
    if (what === kind) counts.set(String(status), (counts.get(String(status)) ?? 0) + 1)
  return [...counts]
    .sort()
    .map(([status, count]) => `${status}: ${count}`)
    .join(', ')
}
