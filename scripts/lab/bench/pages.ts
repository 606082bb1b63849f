import { Agent, request } from 'node:http'
import { loadavg } from 'node:os'
import { gunzipSync } from 'node:zlib'
import { median, type Row } from '../report.ts'
import { type BenchDatabase, operate, startEngines } from './rig/database.ts'
import { fillMessages, recipientOf } from './rig/fill.ts'
import { startGateway } from './rig/gateways.ts'
import { DEMO_EMAIL, type Server, signIn } from './rig/processes.ts'

const TIMES = 30
const GOAL_MS = 50
const DAY_MS = 86_400_000
const SENDERS = ['WIGWAG', 'SHOP', 'ORDERS', 'NEWS']

/** How long people wait for a page of the console when their account has so many messages. */
export async function* pages(
  folder: string,
  { engines, rows }: { engines: readonly string[]; rows: readonly number[] },
): AsyncGenerator<Row> {
  const databases = await startEngines(folder, engines)
  try {
    for (const engine of engines) {
      for (const size of rows) {
        const database = await databases.make(engine, `${engine}_pages_${size}`)
        yield { what: `${engine}, ${size.toLocaleString('en')} messages`, figure: HEAD, goal: '' }
        await fillDemo(folder, database, size)
        yield* await measurePages(folder, database)
      }
    }
  } finally {
    await databases.stop()
  }
}
const HEAD = 'ms: first time | first byte | whole | worst | processor'

/** The demo account comes with the first start. */
async function fillDemo(folder: string, { url }: BenchDatabase, size: number): Promise<void> {
  await (await startGateway(folder, { WIGWAG_DATABASE_URL: url })).stop()
  for (const sender of SENDERS.slice(1)) operate(url, ['sender', 'approve', DEMO_EMAIL, sender])
  await fillMessages(url, 'Demo', size, SENDERS)
}

/** Each page is asked for by a gateway that has just started first. */
async function measurePages(folder: string, database: BenchDatabase): Promise<Row[]> {
  const gateway = await startGateway(folder, { WIGWAG_DATABASE_URL: database.url })
  const agent = new Agent({ keepAlive: true })
  try {
    const ask = { port: gateway.port, cookie: await signIn(gateway), agent }
    const rows: Row[] = []
    for (const [what, path] of Object.entries(PATHS)) {
      rows.push(await measure(what, () => get(ask, path), gateway, database))
    }
    const older = /id="older" href="([^"]*)"/.exec((await get(ask, '/messages')).page)?.[1]
    if (older === undefined) throw new Error('expected a second page, found none')
    const second = older.replaceAll('&amp;', '&')
    rows.push(await measure('the second page', () => get(ask, second), gateway, database))
    return rows
  } finally {
    agent.destroy()
    await gateway.stop()
  }
}

const filtered = (q: string) => `/messages?q=${encodeURIComponent(q)}`
const day = (daysAgo: number) => new Date(Date.now() - daysAgo * DAY_MS).toISOString().slice(0, 10)

const PATHS: Record<string, string> = {
  'no page, to compare with: /livez': '/livez',
  'the newest messages': '/messages',
  'one status': filtered('status:failed'),
  'several statuses': filtered('status:undelivered,failed,expired,rejected'),
  'a status that no message has': filtered('status:expired'),
  'a recipient': filtered(`to:${recipientOf(500_000)}`),
  'a recipient without messages': filtered('to:233301234567'),
  'a sender': filtered('from:SHOP'),
  'a range of days': filtered(`since:${day(40)} until:${day(35)}`),
  'words that every message has': filtered('on its way'),
  'words that a few messages have': filtered('order-77-'),
  'words that no message has': filtered('nowhere to be found'),
  'words that no message has, with a status': filtered('nowhere status:undelivered'),
  'words that no message has, with several': filtered('nowhere status:undelivered,failed,expired'),
  'words that no message has, with a sender': filtered('nowhere from:SHOP'),
  'words that no message has, to a recipient': filtered(`nowhere to:${recipientOf(500_000)}`),
  'words that no message has, in a range': filtered(`nowhere since:${day(40)} until:${day(35)}`),
  insights: '/insights?range=30d',
}

/** Gets a page several times, and measures it. */
async function measure(
  what: string,
  ask: () => Promise<Answer>,
  gateway: Server,
  database: BenchDatabase,
): Promise<Row> {
  const first = await ask()
  const before = gateway.cpuMs() + database.cpuMs()
  const answers: Answer[] = []
  for (let n = 0; n < TIMES; n++) answers.push(await ask())
  const processor = (gateway.cpuMs() + database.cpuMs() - before) / TIMES
  const begin = median(answers.map(({ beginMs }) => beginMs))
  const whole = answers.map(({ ms }) => ms)
  const figures = [first.ms, begin, median(whole), Math.max(...whole), processor].map((ms) => ms.toFixed(1))
  const goal = `≤ ${GOAL_MS} ms (load ${loadavg()[0]?.toFixed(1)})`
  return { what: `  ${what}`, figure: figures.join(' | '), goal }
}

export interface Asked {
  port: number
  cookie: string
  agent: Agent
  /** The name that the site goes by, if it is another than the address. */
  host?: string
}

export interface Answer {
  page: string
  /** Until the first byte. */
  beginMs: number
  /** Until the last one. */
  ms: number
}

/** As a browser asks: on a connection that is kept, for a compressed page. */
export function get(
  { port, cookie, agent, host = `127.0.0.1:${port}` }: Asked,
  path: string,
): Promise<Answer> {
  const began = performance.now()
  const headers = { cookie, host, 'accept-encoding': 'gzip' }
  const asked = request({ host: '127.0.0.1', port, path, headers, agent }).end()
  return new Promise((resolve, reject) => {
    asked.once('error', reject).once('response', (response) => {
      const beginMs = performance.now() - began
      const chunks: Buffer[] = []
      response.once('error', reject).on('data', (chunk: Buffer) => chunks.push(chunk))
      response.once('end', () => {
        const ms = performance.now() - began
        const body = Buffer.concat(chunks)
        const page = (response.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body).toString()
        if (response.statusCode === 200) resolve({ page, beginMs, ms })
        else reject(new Error(`${path} answered ${response.statusCode}: ${page.slice(0, 500)}`))
      })
    })
  })
}
