import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { paths } from '@wigwag/contract/openapi'
import { createClient } from '@wigwag/sdk'
import { nodeTransport } from '@wigwag/sdk/node'
import createFetchClient from 'openapi-fetch'
import { median, type Row } from '../report.ts'
import { MESSAGE } from './rig/gateways.ts'
import { startServer } from './rig/processes.ts'

const ROUNDS = 9
const WARM_UP = 2

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

type Call = () => Promise<unknown>

/** The same send, made in four ways. */
function waysTo(baseUrl: string) {
  const credentials = { clientId: 'acme', clientSecret: 'secret', walletToken: 'wallet' }
  const headers = { authorization: `Basic ${btoa('acme:secret')}`, 'x-wallet': 'Token wallet' }
  const overFetch = createClient({ baseUrl, ...credentials })
  const overUndici = createClient({ baseUrl, ...credentials, fetch: nodeTransport() })
  const stock = createFetchClient<paths>({ baseUrl, headers })
  const key = () => ({ 'idempotency-key': crypto.randomUUID() })
  const json = { 'content-type': 'application/json' }
  return {
    overFetch: () => overFetch.sendSms(MESSAGE),
    overUndici: () => overUndici.sendSms(MESSAGE),
    stock: () => stock.POST('/v1/messages/sms', { body: MESSAGE, headers: key() }),
    bare: async () => {
      const init = {
        method: 'POST',
        headers: { ...headers, ...json, ...key() },
        body: JSON.stringify(MESSAGE),
      }
      return (await fetch(`${baseUrl}/v1/messages/sms`, init)).json()
    },
  }
}

/**
 * Compares the SDK with a bare `fetch` and with unmodified openapi-fetch, and measures the memory that it
 * keeps.
 */
export async function sdk(folder: string): Promise<Row[]> {
  const server = await startServer(join(import.meta.dirname, 'accepting.ts'), [], {}, folder)
  const { overFetch, overUndici, stock, bare } = waysTo(`http://127.0.0.1:${server.port}`)
  const rows: Row[] = []
  for (const [atOnce, calls] of [
    [1, 1_000],
    [32, 4_000],
  ] as const) {
    const times = await takeTurns([overFetch, bare, overUndici, stock], atOnce, calls)
    const ratio = (one: Call, other: Call) =>
      median(times.map((time) => (time.get(one) ?? 0) / (time.get(other) ?? 0)))
    rows.push(
      {
        what: `time of a call over fetch / of a bare fetch, ${atOnce} at once`,
        figure: ratio(overFetch, bare).toFixed(2),
        goal: '≤ 1.15',
      },
      {
        what: `calls a second over undici / of stock openapi-fetch, ${atOnce} at once`,
        figure: ratio(stock, overUndici).toFixed(2),
        goal: atOnce === 32 ? '≥ 3' : '',
      },
    )
  }
  for (const [name, call] of Object.entries({ fetch: overFetch, undici: overUndici })) {
    const figure = `${Math.round((await heapGrowth(call)) / 1024)} kB`
    rows.push({ what: `growth of the heap over 100,000 calls over ${name}`, figure, goal: '< 1,024 kB' })
  }
  await server.stop()
  return rows
}

/** How long each way took in each round, in an order that turns. The first rounds warm up and are not counted. */
async function takeTurns(ways: Call[], atOnce: number, calls: number): Promise<Map<Call, number>[]> {
  const times: Map<Call, number>[] = []
  for (let round = 0; round < ROUNDS + WARM_UP; round++) {
    const time = new Map<Call, number>()
    for (const way of ways) {
      // Otherwise this way would pay for the garbage of the one before.
      collect()
      const started = performance.now()
      await repeat(way, atOnce, calls)
      time.set(way, performance.now() - started)
    }
    ways.unshift(...ways.splice(-1))
    if (round >= WARM_UP) times.push(time)
  }
  return times
}

async function repeat(call: Call, atOnce: number, calls: number): Promise<void> {
  let left = calls
  const work = async () => {
    while (left-- > 0) await call()
  }
  await Promise.all(Array.from({ length: atOnce }, work))
}

/** Bytes that are still held after 100,000 calls and were not before. */
async function heapGrowth(call: Call): Promise<number> {
  const held = () => {
    collect()
    return process.memoryUsage().heapUsed
  }
  await repeat(call, 32, 10_000)
  const before = held()
  await repeat(call, 32, 100_000)
  return held() - before
}
