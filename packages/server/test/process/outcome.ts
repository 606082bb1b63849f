import { systemClock } from '../../src/kernel/process/clock.ts'
import type { Database } from '../../src/store/database.ts'
import { checkBooks } from '../support/books.ts'
import { eventually } from '../support/eventually.ts'
import { checkFigures, type Figures } from '../support/figures.ts'
import type { Receiver } from './receiver.ts'

interface Row {
  id: string
  status: string
  price: number
  cost: number
  /** The number of its charges in the ledger; `charged`: their sum. */
  charges: number
  charged: number
}

/** All messages with what their wallets paid for them. */
const CHARGED = `
  SELECT m.id, m.status, m.price, m.cost, count(l.message_id) AS charges,
    CAST(coalesce(sum(l.amount), 0) AS BIGINT) AS charged
  FROM messages m LEFT JOIN ledger l ON l.message_id = m.id AND l.kind = 'post'
  GROUP BY m.id, m.status, m.price, m.cost`

export interface Ended {
  database: Database
  /** The tickets that clients were told of. */
  acknowledged: readonly string[]
  receiver: Receiver
}

export interface Scene extends Ended {
  name: string
  /** The fewest acknowledgements for which the scene says anything. */
  atLeast: number
  also?: Figures
}

/**
 * Checks the promises when everything is over: each message that a client was told of is there, final and
 * charged once; there is no other; and each was called back with the same signed bytes every time.
 */
export async function checkOutcome({ name, atLeast, also, ...ended }: Scene): Promise<void> {
  checkFigures(name, {
    ...also,
    acknowledged: [ended.acknowledged.length, { atLeast }],
    ...(await wrongOutcomes(ended)),
  })
  await checkBooks(ended.database)
}

/** All that is wrong when everything is over. */
export async function wrongOutcomes({ database, acknowledged, receiver }: Ended): Promise<Figures> {
  const rows = await database.read(({ run }) => run<Row>(CHARGED, []))
  const stored = new Set(rows.map(({ id }) => id))
  const told = new Set(acknowledged)
  const jobs = await database.read(({ run }) => run('SELECT id, kind FROM outbox', []))
  return {
    'acknowledged twice': [acknowledged.length - told.size, { is: 0 }],
    missing: [[...told].filter((ticket) => !stored.has(ticket)), { is: 0 }],
    'stored, and no client was told': [rows.filter(({ id }) => !told.has(id)), { is: 0 }],
    'not final': [rows.filter(({ status }) => OPEN.has(status)), { is: 0 }],
    'double charges': [rows.filter(({ charges }) => charges > 1), { is: 0 }],
    'wrong charges': [rows.filter((row) => !isChargedRightly(row)), { is: 0 }],
    ...(await callbackFigures(database, receiver, rows)),
    'jobs left over': [jobs, { is: 0 }],
  }
}

const OPEN: ReadonlySet<string> = new Set(['pending', 'scheduled'])

function isChargedRightly({ status, price, cost, charged }: Row): boolean {
  const due = status === 'success' ? price : 0
  return charged === due && cost === due
}

async function callbackFigures(
  database: Database,
  receiver: Receiver,
  rows: readonly Row[],
): Promise<Figures> {
  const delivered = [...receiver.callbacks.values()]
  const byTicket = new Map(delivered.map((each) => [each.payload.Ticket, each]))
  const undelivered = await database.read(({ run }) =>
    run("SELECT id, state FROM callbacks WHERE state <> 'delivered'", []),
  )
  const wrong = rows.flatMap(({ id, status, cost }) => {
    const payload = byTicket.get(id)?.payload
    const isRight = !payload || (payload.Status === status && payload.Cost === cost / 1_000_000)
    return isRight ? [] : [{ id, status, cost, payload }]
  })
  return {
    'callbacks posted again': delivered.reduce((sum, { attempts }) => sum + attempts - 1, 0),
    'callbacks missing': [rows.filter(({ id }) => !byTicket.get(id)?.taken), { is: 0 }],
    'callbacks with differing bodies': [
      delivered.flatMap(({ bodies }) => (bodies.size === 1 ? [] : [[...bodies]])),
      { is: 0 },
    ],
    'callbacks that say something else than the message': [wrong, { is: 0 }],
    'messages with two callbacks': [delivered.length - byTicket.size, { is: 0 }],
    'callbacks with a wrong signature': [receiver.faults, { is: 0 }],
    'callbacks taken that count as not delivered': [undelivered, { is: 0 }],
  }
}

/** A callback whose second attempt failed waits five minutes. The first pause is shorter than this. */
const LONG_MS = 10_000

/**
 * Whether nothing is left to do. Callbacks that wait for minutes, after attempts that failed, are posted at once when
 * only they are left.
 */
export function comesToRest(database: Database): Promise<boolean> {
  return isDone(database, 'TRUE')
}

/** Whether nothing is left to do but what a process holds, which may be gone, and what waits for a receipt. */
export function isHeldOrWaits(database: Database): Promise<boolean> {
  return isDone(database, "kind IN ('dispatch', 'callback') AND lease_until = 0")
}

async function isDone(database: Database, which: string): Promise<boolean> {
  const [row] = await database.read(({ run }) =>
    run<{ jobs: number; late: number }>(
      `SELECT count(*) AS jobs, count(CASE WHEN kind = 'callback' AND run_at > $1 THEN 1 END) AS late
       FROM outbox WHERE ${which}`,
      [systemClock.now() + LONG_MS],
    ),
  )
  if (row && row.jobs > 0 && row.jobs === row.late)
    await database.write(({ run }) =>
      run(`UPDATE outbox SET run_at = 1 WHERE kind = 'callback' AND ${which}`, []),
    )
  return row?.jobs === 0
}

/** Whether every message is with the carrier. */
export async function isHandedOver(database: Database): Promise<boolean> {
  const [row] = await database.read(({ run }) =>
    run<{ n: number }>("SELECT count(*) AS n FROM outbox WHERE kind IN ('scheduled', 'dispatch')", []),
  )
  return row?.n === 0
}

/** Whether no message that the carrier has answered waits for its receipt. */
export async function isAnsweredFinal(database: Database): Promise<boolean> {
  const [row] = await database.read(({ run }) =>
    run<{ n: number }>("SELECT count(*) AS n FROM outbox WHERE kind = 'await' AND submitted_at > 0", []),
  )
  return row?.n === 0
}

/** Looks after all messages that wait for a receipt, as a minute would, until each of them waits again. */
export async function lookAtOnce(database: Database, patienceMs?: number): Promise<void> {
  await database.write(({ run }) => run("UPDATE outbox SET run_at = 1 WHERE kind = 'await'", []))
  const areLookedAfter = async () => {
    const now = systemClock.now()
    const [row] = await database.read(({ run }) =>
      run<{ n: number }>(
        `SELECT count(*) AS n FROM outbox
         WHERE kind = 'dispatch' OR (kind = 'await' AND (run_at <= $1 OR lease_until > $2))`,
        [now, now],
      ),
    )
    return row?.n === 0
  }
  await eventually('all waiting messages are looked after', areLookedAfter, patienceMs)
}
