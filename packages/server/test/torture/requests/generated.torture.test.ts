import { pino } from 'pino'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { OutboundRequest, OutboundResult } from '../../../src/net/outbound/port.ts'
import type { Database } from '../../../src/store/database.ts'
import { checkStandings } from '../../support/books.ts'
import { type EngineName, makePlace } from '../../support/engine.ts'
import { eventually } from '../../support/eventually.ts'
import { atLength, checkFigures } from '../../support/figures.ts'
import { openFront } from '../../support/front.ts'
import { chaos } from '../../support/random.ts'
import { faultsOf } from './answers.ts'
import { type Ask, type Known, makeAsk } from './asks.ts'
import { type Caller, openCallers } from './callers.ts'
import { ROUTES } from './document.ts'
import { type Answer, openLine } from './line.ts'

const TIME = atLength({ short: 60_000, full: 3_600_000 })
const LINES = 12
const BATCH = 5_000
const SHOWN_FAULTS = 12

const RUNS = atLength<[EngineName, number][]>({
  short: [['an SQLite file', 1_000]],
  full: [
    ['an SQLite file', 100_000],
    ['PostgreSQL', 20_000],
  ],
})

/** Counts of answers, and the faults of answers. */
interface Tally {
  byClass: Record<string, number>
  unanswered: number
  faults: string[]
  succeeded: Set<string>
  /** The statuses seen of each operation. */
  seen: Set<string>
  /** The messages that callers were told of. */
  tickets: Set<string>
}

describe('requests that are made from the document', () => {
  it.each(RUNS)('are answered as it says, on %s, %i times', { timeout: TIME }, async (engine, count) => {
    const place = await makePlace(engine)
    onTestFinished(place.remove)
    const logged: string[] = []
    const front = await openFront(
      place.url,
      { rateLimit: { perSecond: 1_000_000, burst: 1_000_000 } },
      {
        log: pino({ level: 'error' }, { write: (line: string) => void logged.push(line) }),
        outbound: async (request) => receive(request),
      },
    )
    onTestFinished(front.close)
    const { database } = front.gateway
    const callersNow = await openCallers(front)
    const credits = await creditsIn(database)
    const known: Known = { ticket: [], key: [], callback: [], cursor: [] }
    const tally: Tally = {
      byClass: {},
      unanswered: 0,
      faults: [],
      succeeded: new Set(),
      seen: new Set(),
      tickets: new Set(),
    }
    const astray = { messages: 0, micros: 0, credits: 0 }
    for (let from = 0; from < count; from += BATCH) {
      const callers = await callersNow()
      await askAll(front.url, { from, until: Math.min(count, from + BATCH), callers, known, tally })
      await eventually('all that was sent is final', async () => (await pendingIn(database)) === 0, 120_000)
      await checkStandings(database)
      const found = await unacknowledged(database, tally.tickets)
      astray.messages += found.messages
      astray.micros += found.micros
      astray.credits += (await creditsIn(database)) - credits
    }
    const documented = ROUTES.flatMap(({ id, answers }) =>
      Object.keys(answers).map((status) => `${id} ${status}`),
    )
    const { byClass } = tally
    const never = ROUTES.map(({ id }) => id).filter((id) => !tally.succeeded.has(id))
    if (never.length > 0) console.log(`never succeeded: ${never.join()}`)
    if (tally.faults.length > 0)
      console.log([...tally.faults.slice(0, SHOWN_FAULTS), ...logged.slice(0, SHOWN_FAULTS)].join('\n'))
    checkFigures(`requests made from openapi.yaml, on ${engine}`, {
      requests: count,
      'answered with 2xx': byClass['2'] ?? 0,
      'answered with 4xx': byClass['4'] ?? 0,
      'answered with 5xx': [byClass['5'] ?? 0, { is: 0 }],
      'not answered': [tally.unanswered, { is: 0 }],
      'answers that are not valid against the document': [
        tally.faults.length - tally.unanswered - (byClass['5'] ?? 0),
        { is: 0 },
      ],
      'operations that succeeded': [
        tally.succeeded.size,
        { atLeast: atLength({ short: 15, full: ROUTES.length }) },
      ],
      'documented statuses seen': [
        documented.filter((each) => tally.seen.has(each)).length,
        { atLeast: atLength({ short: 50, full: 100 }) },
      ],
      'messages accepted': [tally.tickets.size, { atLeast: count / 25 }],
      'messages that no 2xx told of': [astray.messages, { is: 0 }],
      'micros that no 2xx moved': [Math.abs(astray.micros) + Math.abs(astray.credits), { is: 0 }],
    })
  })
})

interface Batch {
  from: number
  until: number
  callers: readonly Caller[]
  known: Known
  tally: Tally
}

/** Asks on several connections at once; which request has which number does not depend on them. */
async function askAll(url: string, { from, until, callers, known, tally }: Batch): Promise<void> {
  let next = from
  async function ask(): Promise<void> {
    const line = openLine(new URL(url))
    while (next < until) {
      const index = next++
      const request = makeAsk(chaos(index), callers, known)
      const answer = await line.ask(request)
      if (answer) note(request, answer, index, { known, tally })
      else {
        tally.unanswered++
        tally.faults.push(`${index}: no answer to ${shown(request)}`)
      }
    }
    line.close()
  }
  await Promise.all(Array.from({ length: LINES }, ask))
}

function note(
  ask: Ask,
  answer: Answer,
  index: number,
  { known, tally }: Pick<Batch, 'known' | 'tally'>,
): void {
  const kind = String(answer.status).slice(0, 1)
  tally.byClass[kind] = (tally.byClass[kind] ?? 0) + 1
  tally.seen.add(`${ask.operation} ${answer.status}`)
  const faults = answer.status >= 500 ? ['the gateway failed'] : faultsOf(ask, answer)
  if (faults.length > 0) {
    const said = `${answer.status} ${answer.body.toString('utf8', 0, 400)}`
    tally.faults.push(`${index}: ${faults.slice(0, 3).join('; ')}\n  to ${shown(ask)}\n  answered ${said}`)
  }
  if (answer.status === 200 && !ask.head) {
    tally.succeeded.add(ask.operation)
    learn(ask, JSON.parse(answer.body.toString()), known, tally)
  }
}

interface Learned {
  Ticket?: string
  Id?: string
  Kind?: string
  Secret?: string
  NextCursor?: string
  Items?: Learned[]
}

/** Keeps facts of an answer: ids to ask about next, tickets of accepted messages, and a rotated secret. */
function learn(ask: Ask, body: Learned | Learned[], known: Known, tally: Tally): void {
  const results = [body].flat()
  for (const { Ticket, NextCursor, Items = [] } of results) {
    if (Ticket && ACCEPTING.has(ask.operation)) tally.tickets.add(Ticket)
    if (Ticket) known.ticket.push(Ticket)
    if (NextCursor) known.cursor.push(NextCursor)
    for (const { Id } of Items) {
      if (Id) known[ask.operation === 'listKeys' ? 'key' : 'callback'].push(Id)
    }
  }
  const [{ Kind, Secret } = {}] = results
  if (!Secret || !ask.caller.secrets) return
  if (Kind === 'client') ask.caller.secrets.clientSecret = Secret
  if (Kind === 'wallet') ask.caller.secrets.walletToken = Secret
}

const ACCEPTING = new Set(['sendSms', 'sendBulkSms', 'scheduleSms'])

const shown = ({ bytes }: Ask) => JSON.stringify(bytes.toString('latin1', 0, 700))

async function pendingIn({ read }: Database): Promise<number> {
  const [row] = await read(({ run }) =>
    run<{ n: number }>("SELECT count(*) AS n FROM messages WHERE status = 'pending'", []),
  )
  return row?.n ?? 0
}

async function creditsIn({ read }: Database): Promise<number> {
  const [row] = await read(({ run }) =>
    run<{ sum: number }>(
      "SELECT CAST(coalesce(sum(amount), 0) AS BIGINT) AS sum FROM ledger WHERE kind = 'credit'",
      [],
    ),
  )
  return row?.sum ?? 0
}

/**
 * Counts stored messages that no caller was told of, and money that left wallets beyond the told messages.
 */
async function unacknowledged(
  { read }: Database,
  tickets: ReadonlySet<string>,
): Promise<{ messages: number; micros: number }> {
  const rows = await read(({ run }) =>
    run<{ id: string; owed: number }>(
      `SELECT id, CASE WHEN status IN ('pending', 'scheduled') THEN price ELSE cost END AS owed FROM messages`,
      [],
    ),
  )
  const [wallets] = await read(({ run }) =>
    run<{ left: number }>(
      `SELECT CAST((SELECT sum(amount) FROM ledger WHERE kind = 'credit') - sum(posted) + sum(held) AS BIGINT) AS "left"
       FROM wallets`,
      [],
    ),
  )
  const told = rows.filter(({ id }) => tickets.has(id))
  expect(told.length, 'messages of which callers were told').toBe(tickets.size)
  const owed = told.reduce((sum, row) => sum + row.owed, 0)
  return { messages: rows.length - told.length, micros: (wallets?.left ?? 0) - owed }
}

/** Receivers of callbacks take them, refuse them or are gone. */
function receive({ url }: OutboundRequest): OutboundResult {
  const status = [200, 200, 500, 410][url.length % 4] ?? 200
  return { kind: 'reply', status, headers: {}, body: new Uint8Array(), truncated: false, latencyMs: 1 }
}
