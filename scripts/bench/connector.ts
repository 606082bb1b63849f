import { fileURLToPath } from 'node:url'
import { createClient } from '@wigwag/sdk'
import { startConnector } from '../../packages/mcp/test/fixtures/program.ts'
import type { LoadResult } from './load.ts'
import { loadOk, type Server, startServer } from './processes.ts'
import { median, type Row } from './row.ts'
import { startGateway } from './subjects.ts'

const ROUNDS = 7
const SECONDS = 1.5
/** Pairs of calls, one after the other, whose times are compared. */
const CALLS = 1_000

const STOCK = fileURLToPath(import.meta.resolve('../../packages/mcp/test/bench/stock.ts'))
const headers = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' }
const request = (method: string, params = {}) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
const toolCall = request('tools/call', { name: 'get_balance', arguments: {} })
const ping = request('ping')

/**
 * Tool calls of the connector against the same tools under the protocol library's default set-up, taking turns in front
 * of one gateway; and what a tool call takes beyond the SDK's call that it makes.
 */
export async function connector(folder: string): Promise<Row[]> {
  const gateway = await startGateway(folder)
  const env = credentials(gateway)
  const ours = await startConnector({ HOME: folder, ...env })
  const stock = await startServer(STOCK, [], env, folder)
  const urls = { ours: ours.url, stock: `http://127.0.0.1:${stock.port}/mcp` }
  const calls = await compareThroughput({ ...urls, body: toolCall })
  const pings = await compareThroughput({ ...urls, body: ping })
  const extra = await compareLatency(ours.url, env)
  await Promise.all([ours.stop(), stock.stop()])
  await gateway.stop()
  return [
    {
      what: "tool calls a second / of the library's default set-up, 32 connections",
      figure: calls.toFixed(2),
      goal: '≥ 3',
    },
    {
      what: 'pings a second, which need no gateway / of the same',
      figure: pings.toFixed(2),
      goal: '',
    },
    {
      what: 'median time of a tool call beyond the same SDK call',
      figure: `${extra.toFixed(2)} ms`,
      goal: '≤ 2 ms',
    },
  ]
}

/** Answers a second of the one by those of the other, round by round. The first round only warms up. */
async function compareThroughput({ ours, stock, body }: Comparison): Promise<number> {
  const ratios: number[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    const theirs = await loadWith(body, stock)
    const own = await loadWith(body, ours)
    if (round > 0) ratios.push(own.perSecond / theirs.perSecond)
  }
  return median(ratios)
}
interface Comparison {
  ours: string
  stock: string
  body: string
}

/** How much longer a tool call takes than the SDK's call, in milliseconds, both over `fetch` from this process. */
async function compareLatency(url: string, env: Settings): Promise<number> {
  const sms = createClient({
    baseUrl: env.WIGWAG_BASE_URL,
    clientId: env.WIGWAG_CLIENT_ID,
    clientSecret: env.WIGWAG_CLIENT_SECRET,
    walletToken: env.WIGWAG_WALLET_TOKEN,
  })
  const init = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: toolCall }
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

function loadWith(body: string, url: string): Promise<LoadResult> {
  const { port, pathname: path } = new URL(url)
  return loadOk({ port: Number(port), connections: 32, seconds: SECONDS, path, callers: [headers], body })
}

/** What the gateway's banner tells a developer to export. */
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
