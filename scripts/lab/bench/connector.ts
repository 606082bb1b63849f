import { fileURLToPath } from 'node:url'
import { createClient } from '@wigwag/sdk'
import { spawnProgram, startConnector } from '../../../packages/mcp/test/fixtures/program.ts'
import {
  earlierRequest,
  type RawRequest,
  statelessRequest,
} from '../../../packages/mcp/test/fixtures/stateless.ts'
import { median, type Row } from '../report.ts'
import { startGateway } from './rig/gateways.ts'
import { loadOk, type Server, startServer } from './rig/processes.ts'
import { type Usage, usageOf } from './rig/usage.ts'

const ROUNDS = 7
const SECONDS = 1.5
/** Pairs of calls, one after the other, whose times are compared. */
const CALLS = 1_000
/** Starts of the connector over stdio. */
const STARTS = 11

const STOCK_1 = fileURLToPath(import.meta.resolve('../../../packages/mcp/test/bench/stock.ts'))
const STOCK_2 = fileURLToPath(import.meta.resolve('../../../packages/mcp/test/bench/stock-both-eras.ts'))
const balance = { name: 'get_balance', arguments: {} }
const requests = {
  earlier: { call: earlierRequest('tools/call', balance), idle: earlierRequest('ping') },
  stateless: { call: statelessRequest('tools/call', balance), idle: statelessRequest('server/discover') },
}

/**
 * Tool calls of the connector against the same tools under the default set-ups of the protocol's libraries, taking turns
 * in front of one gateway, for clients of both eras; what a tool call takes beyond the SDK's call that it makes; and how
 * soon a connector over stdio answers.
 */
export async function connector(folder: string): Promise<Row[]> {
  const gateway = await startGateway(folder)
  const env = credentials(gateway)
  const ours = await startConnector({ HOME: folder, ...env })
  const [first, second] = await Promise.all([
    startServer(STOCK_1, [], env, folder),
    startServer(STOCK_2, [], env, folder),
  ])
  const { earlier, stateless } = requests
  const rows: Row[] = []
  const usage = usageOf(ours.pid)
  for (const { what, stock, request, goal = '' } of [
    { what: 'tool calls at 2025-11-25 / of SDK 1.x', stock: first, request: earlier.call, goal: '≥ 3' },
    { what: 'tool calls at 2025-11-25 / of server 2.x', stock: second, request: earlier.call, goal: '≥ 3' },
    { what: 'tool calls at 2026-07-28 / of server 2.x', stock: second, request: stateless.call, goal: '≥ 3' },
    { what: 'pings at 2025-11-25 / of SDK 1.x', stock: first, request: earlier.idle },
    { what: 'discoveries at 2026-07-28 / of server 2.x', stock: second, request: stateless.idle },
  ]) {
    const { faster, own, theirs } = await compare({
      ours: { url: ours.url, usage },
      stock: { url: `http://127.0.0.1:${stock.port}/mcp`, usage: stock },
      request,
    })
    rows.push(
      {
        what: `answers a second by the library's default set-up: ${what}`,
        figure: faster.toFixed(2),
        goal,
      },
      {
        what: '  processor time of the process that serves them, ours and theirs, and theirs / ours',
        figure: `${own.toFixed(0)}, ${theirs.toFixed(0)} µs, ${(theirs / own).toFixed(2)}`,
        goal: '',
      },
    )
  }
  for (const [revision, { call }] of [
    ['2025-11-25', earlier],
    ['2026-07-28', stateless],
  ] as const) {
    const extra = await compareLatency(ours.url, env, call)
    const what = `median time of a tool call at ${revision} beyond the same SDK call`
    rows.push({ what, figure: `${extra.toFixed(2)} ms`, goal: '≤ 2 ms' })
  }
  rows.push(await firstAnswer({ HOME: folder, ...env }))
  await Promise.all([ours.stop(), first.stop(), second.stop()])
  await gateway.stop()
  return rows
}

/**
 * Answers a second of the one by those of the other, round by round, and the processor time of an answer. The first round
 * only warms up.
 */
async function compare({ ours, stock, request }: Comparison) {
  const ratios: number[] = []
  const micros = { own: [] as number[], theirs: [] as number[] }
  for (let round = 0; round <= ROUNDS; round++) {
    const theirs = await loadWith(request, stock)
    const own = await loadWith(request, ours)
    if (round === 0) continue
    ratios.push(own.perSecond / theirs.perSecond)
    micros.theirs.push(theirs.micros)
    micros.own.push(own.micros)
  }
  return { faster: median(ratios), own: median(micros.own), theirs: median(micros.theirs) }
}
interface Comparison {
  ours: Served
  stock: Served
  request: RawRequest
}
interface Served {
  url: string
  usage: Pick<Usage, 'cpuMs'>
}

/** From the start of the process to its first answer, in which it has also checked its credentials at the gateway. */
async function firstAnswer(env: Record<string, string>): Promise<Row> {
  const times: number[] = []
  for (let start = 0; start < STARTS; start++) {
    const started = performance.now()
    const { write, read, child, ended } = spawnProgram(env)
    write(JSON.stringify(requests.stateless.idle.body))
    await read()
    times.push(performance.now() - started)
    child.stdin.end()
    await ended
  }
  return {
    what: 'over stdio, from the start to the first answer',
    figure: `${median(times).toFixed(0)} ms`,
    goal: '≤ 300 ms',
  }
}

/** How much longer a tool call takes than the SDK's call, in milliseconds, both over `fetch` from this process. */
async function compareLatency(url: string, env: Settings, { headers, body }: RawRequest): Promise<number> {
  const sms = createClient({
    baseUrl: env.WIGWAG_BASE_URL,
    clientId: env.WIGWAG_CLIENT_ID,
    clientSecret: env.WIGWAG_CLIENT_SECRET,
    walletToken: env.WIGWAG_WALLET_TOKEN,
  })
  const init = { method: 'POST', headers, body: JSON.stringify(body) }
  const callTool = async () => {
    const answer = await (await fetch(url, init)).json()
    if (typeof answer?.result?.structuredContent?.balance !== 'number')
      throw new Error(`expected a balance, got ${JSON.stringify(answer)}`)
  }
  const times = { tool: [] as number[], sdk: [] as number[] }
  for (let call = 0; call < CALLS; call++) {
    times.tool.push(await timeOf(callTool))
    times.sdk.push(await timeOf(() => sms.getBalance()))
  }
  return median(times.tool) - median(times.sdk)
}

async function timeOf(call: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await call()
  return performance.now() - started
}

async function loadWith({ headers, body }: RawRequest, { url, usage }: Served) {
  const { port, pathname: path } = new URL(url)
  const request = { path, callers: [headers], body: JSON.stringify(body) }
  const before = usage.cpuMs()
  const { perSecond, requests } = await loadOk({
    port: Number(port),
    connections: 32,
    seconds: SECONDS,
    ...request,
  })
  return { perSecond, micros: ((usage.cpuMs() - before) * 1_000) / requests }
}

/** The settings that the gateway's banner tells a developer to export. */
function credentials({ port, said }: Server) {
  const value = (name: string) => new RegExp(`export WIGWAG_${name}=(\\S+)`).exec(said)?.[1] ?? ''
  return {
    WIGWAG_BASE_URL: `http://127.0.0.1:${port}`,
    WIGWAG_CLIENT_ID: value('CLIENT_ID'),
    WIGWAG_CLIENT_SECRET: value('CLIENT_SECRET'),
    WIGWAG_WALLET_TOKEN: value('WALLET_TOKEN'),
  }
}
type Settings = ReturnType<typeof credentials>
