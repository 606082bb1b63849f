import { expect } from 'vitest'
import { systemClock } from '../../src/platform/clock.ts'
import type { Database } from '../../src/platform/database/database.ts'
import { checkBooks } from '../support/books.ts'
import type { LoadResult } from '../support/load.ts'
import type { Receiver } from './receiver.ts'

interface Row {
  id: string
  status: string
  cost: number
}

/**
 * What must hold when the dust has settled: each message that a client was told of is there, final and charged
 * once; there is no other; and each was called back with the same signed bytes every time.
 */
export async function checkOutcome(database: Database, load: LoadResult, receiver: Receiver): Promise<void> {
  await checkBooks(database)
  const rows = await database.read(({ run }) => run<Row>('SELECT id, status, cost FROM messages', []))
  const tickets = load.acknowledged
  expect(new Set(tickets).size).toBe(tickets.length)
  expect(rows.map(({ id }) => id).sort()).toEqual([...tickets].sort())

  expect(receiver.faults).toEqual([])
  const byTicket = new Map([...receiver.callbacks.values()].map((each) => [each.payload.Ticket, each]))
  expect(byTicket.size).toBe(receiver.callbacks.size)
  for (const { id, status, cost } of rows) {
    const delivered = byTicket.get(id)
    expect({ id, taken: (delivered?.taken ?? 0) > 0, bodies: delivered?.bodies.size }).toEqual({
      id,
      taken: true,
      bodies: 1,
    })
    expect(delivered?.payload).toMatchObject({ Ticket: id, Status: status, Cost: cost / 1_000_000 })
  }
  const states = await database.read(({ run }) => run('SELECT DISTINCT state FROM callbacks', []))
  expect(states).toEqual([{ state: 'delivered' }])
  expect(await database.read(({ run }) => run('SELECT id FROM outbox', []))).toEqual([])
}

/** A callback whose second attempt failed waits five minutes. The first pause is shorter than this. */
const LONG_MS = 10_000

/**
 * Whether nothing is left to do. Callbacks that wait for minutes, after attempts that failed, are posted at once when
 * only they are left.
 */
export async function comesToRest(database: Database): Promise<boolean> {
  const [row] = await database.read(({ run }) =>
    run<{ jobs: number; late: number }>(
      `SELECT count(*) AS jobs, count(CASE WHEN kind = 'callback' AND run_at > $1 THEN 1 END) AS late FROM outbox`,
      [systemClock.now() + LONG_MS],
    ),
  )
  if (row && row.jobs > 0 && row.jobs === row.late)
    await database.write(({ run }) => run("UPDATE outbox SET run_at = 1 WHERE kind = 'callback'", []))
  return row?.jobs === 0
}

/** Whether every message is with the carrier. */
export async function isHandedOver(database: Database): Promise<boolean> {
  const [row] = await database.read(({ run }) =>
    run<{ n: number }>("SELECT count(*) AS n FROM outbox WHERE kind = 'dispatch'", []),
  )
  return row?.n === 0
}

export function figuresOf(load: LoadResult, receiver: Receiver): string {
  const attempts = [...receiver.callbacks.values()].reduce((sum, each) => sum + each.attempts, 0)
  const again = attempts - receiver.callbacks.size
  return [
    `${load.requests} requests ${JSON.stringify(load.statuses)}`,
    `${load.acknowledged.length} messages`,
    `${receiver.callbacks.size} callbacks in ${attempts} deliveries (${receiver.refused} refused, ${again} repeated)`,
  ].join(', ')
}
