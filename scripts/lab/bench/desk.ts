import { Agent, request } from 'node:http'
import { loadavg } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { median, type Row } from '../report.ts'
import { beside, type Streams } from './console.ts'
import { get } from './pages.ts'
import { type BenchDatabase, startEngines } from './rig/database.ts'
import { fillCustomers, recipientOf, SHARED, withDatabase } from './rig/fill.ts'
import { startGateway } from './rig/gateways.ts'
import type { Server } from './rig/processes.ts'

const CUSTOMERS = 1_000
const GOAL_MS = 50
const TIMES = 30
/** The most that an operator may have, in ten sessions. */
const SESSIONS = 10
const STREAMS_EACH = 20

/** How long operators wait for a page of the desk, and what open overviews cost those who send. */
export async function* desk(
  folder: string,
  { engines, rows }: { engines: readonly string[]; rows: readonly number[] },
): AsyncGenerator<Row> {
  const databases = await startEngines(folder, engines)
  try {
    for (const engine of engines) {
      for (const size of rows) {
        const database = await databases.make(engine, `${engine}_desk_${size}`)
        const what = `${engine}, ${size.toLocaleString('en')} messages of ${CUSTOMERS.toLocaleString('en')} customers`
        yield { what, figure: 'ms: first | median | 95 of 100', goal: '' }
        // The demo account and the prices come with the first start.
        await (await startGateway(folder, { WIGWAG_DATABASE_URL: database.url })).stop()
        await fillCustomers(database.url, CUSTOMERS, size)
        yield* await measurePages(folder, database, size)
      }
      yield* await beside(folder, databases, engine, openOverviews)
    }
  } finally {
    await databases.stop()
  }
}

interface Sample {
  accountId: string
  ticket: string
  clientId: string
}

/** Each page is asked for so many times, of another customer, message or number each time. */
async function measurePages(folder: string, database: BenchDatabase, size: number): Promise<Row[]> {
  const samples = await withDatabase(database.url, ({ read }) =>
    read(({ run }) => run<Sample>(SAMPLES, [TIMES])),
  )
  const gateway = await startGateway(folder, { WIGWAG_DATABASE_URL: database.url })
  const port = deskPort(gateway)
  const agent = new Agent({ keepAlive: true })
  try {
    const ask = { port, host: `localhost:${port}`, cookie: await openDesk(port), agent }
    const rows: Row[] = []
    for (const [what, pathOf] of Object.entries(PATHS)) {
      const answers: number[] = []
      for (const [nth, sample] of samples.entries()) {
        const number = Math.floor(((nth + 0.5) / samples.length) * size)
        const path = pathOf({ ...sample, nth, number })
        // A glance within a second of another is of the same reading.
        if (path === '/') await pause(1_100)
        answers.push((await get(ask, path)).ms)
      }
      const sorted = answers.toSorted((a, b) => a - b)
      const figures = [answers[0] ?? 0, median(answers), sorted[Math.floor(0.95 * sorted.length)] ?? 0]
      rows.push({
        what: `  ${what}`,
        figure: figures.map((ms) => ms.toFixed(1)).join(' | '),
        goal: `≤ ${GOAL_MS} ms (load ${loadavg()[0]?.toFixed(1)})`,
      })
    }
    return rows
  } finally {
    agent.destroy()
    await gateway.stop()
  }
}

/** Messages from all over the table, with whose they are. */
const SAMPLES = `SELECT m.id AS ticket, m.account_id AS "accountId", c.id AS "clientId"
  FROM messages m JOIN clients c ON c.account_id = m.account_id ORDER BY m.id DESC LIMIT $1`

type Place = Sample & { nth: number; number: number }

const find = (q: string) => `/messages?q=${encodeURIComponent(q)}`
const among = (q: string) => `/customers?q=${encodeURIComponent(q)}`

const PATHS: Record<string, (place: Place) => string> = {
  'the overview': () => '/',
  'the customers': () => '/customers',
  'customers by a part of the name': ({ number }) => among(`tomer ${number % CUSTOMERS}`),
  'customers by a name that nobody has': ({ nth }) => among(`nobody ${nth}`),
  'customers by an address': ({ number }) => among(`c${number % CUSTOMERS}@example.com`),
  'customers by a client ID': ({ clientId }) => among(clientId),
  'customers by a sender ID': ({ number }) => among(`SHOP${number % CUSTOMERS}`),
  'a customer': ({ accountId }) => `/customers/${accountId}`,
  'a statement': ({ accountId }) => `/customers/${accountId}/statement`,
  'sender IDs that wait': () => '/senders',
  messages: () => '/messages',
  'a ticket': ({ ticket }) => find(ticket),
  'a number': ({ number }) => find(recipientOf(number)),
  'a number without messages': ({ nth }) => find(`2330${nth % 10}1234567`),
  'a reference': ({ number }) => find(`order-${number}`),
  'a reference that a hundred customers use': () => find(SHARED),
  'a reference that nobody has': ({ nth }) => find(`nothing-${nth}`),
  'the messages of a customer': ({ accountId }) => `/messages?account=${accountId}`,
  'a message': ({ ticket }) => `/messages/${ticket}`,
  'what waits': () => '/messages/waiting',
  'what was set aside': () => '/messages/set-aside',
  'what is uncertain': () => '/messages/uncertain',
  'callbacks that were given up': () => '/messages/callbacks',
  'the carriers': () => '/carriers',
  'which way': ({ number }) => `/carriers/plan/way?to=${recipientOf(number)}`,
  prices: () => '/prices',
  'the audit log': () => '/audit',
  'the audit log of an operator': () => '/audit?by=operator:demo',
  'the audit log of an action': () => '/audit?action=message',
  'the audit log of a customer': ({ accountId }) => `/audit?account=${accountId}`,
  operators: () => '/operators',
  'the console of a customer': ({ accountId }) => `/customers/${accountId}/console/messages`,
}

function deskPort({ said }: Server): number {
  const port = /operators +http:\/\/localhost:(\d+)/.exec(said)?.[1]
  if (port === undefined) throw new Error(`expected the address of the desk, got ${said}`)
  return Number(port)
}

/** One press opens the desk of a sandbox. Gives the cookies. */
async function openDesk(port: number): Promise<string> {
  const origin = `http://localhost:${port}`
  const form = await fetch(`${origin}/sign-in`)
  const ticket = /name="form_ticket" value="([^"]*)"/.exec(await form.text())?.[1] ?? ''
  const cookie = cookiesOf(form)
  const body = new URLSearchParams({ form_ticket: ticket })
  const done = await fetch(`${origin}/open`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie, origin },
    body,
  })
  if (done.status !== 303) throw new Error(`expected the desk to open, got ${done.status}`)
  return `${cookie}; ${cookiesOf(done)}`
}

const cookiesOf = ({ headers }: Response) =>
  headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ')

/** Opens all overviews that one operator may have. */
async function openOverviews(gateway: Server): Promise<Streams> {
  const port = deskPort(gateway)
  let events = 0
  const open: ReturnType<typeof request>[] = []
  for (let session = 0; session < SESSIONS; session++) {
    const cookie = await openDesk(port)
    for (let index = 0; index < STREAMS_EACH; index++) {
      const headers = { cookie, host: `localhost:${port}` }
      const asked = request({ host: '127.0.0.1', port, path: '/live', headers, agent: false }).end()
      await new Promise<void>((resolve, reject) => {
        asked.once('error', reject).once('response', (response) => {
          if (response.statusCode !== 200) reject(new Error(`an overview answered ${response.statusCode}`))
          response.on('error', () => undefined)
          response.setEncoding('utf8').on('data', (text: string) => {
            events += text.split('event: ').length - 1
          })
          resolve()
        })
      })
      asked.on('error', () => undefined)
      open.push(asked)
    }
  }
  return {
    events: () => events,
    close() {
      for (const asked of open) asked.destroy()
    },
  }
}
