import { type Micros, micros } from '@wigwag/contract'
import { type Attempt, type EarlierSend, type Journal, KEY_LIFE, type Known, TWO_MINUTES } from '@wigwag/mcp'
import { dayOf } from '../../domain/daily-use.ts'
import type { Database, Tx } from '../../platform/database/database.ts'
import { type DayRow, findDay, putDay } from './day-rows.ts'

/** The owner of the sends: an API client or a connection. What is counted is counted under a lock on its row. */
export interface JournalOwner {
  table: 'clients' | 'connections'
  id: string
}

const A_DAY_MS = 86_400_000

/**
 * The journal of one caller in the gateway's database: safe for parallel calls, several processes and crashes. Each call
 * reads a few rows, however many sends there are. This gateway honours keys, so that a send has one ticket.
 */
export function createJournal(database: Database, owner: JournalOwner): Journal {
  const { table, id: ownerId } = owner

  /** The row of a connection counts its day already, when its sends are accepted. */
  const countsDays = table === 'clients'

  async function lock({ run, locks }: Tx): Promise<void> {
    await run(`SELECT id FROM ${table} WHERE id = $1 ${locks.forUpdate}`, [ownerId])
  }

  async function look(tx: Tx, attempt: Attempt): Promise<Known & { row: DayRow }> {
    const row = await dayRow(tx, attempt.at)
    const { messages, spent, unpriced } = row
    return {
      keyed: await keyed(tx, attempt),
      copied: false,
      twin: await twin(tx, attempt),
      day: { messages, spent, unpriced: unpriced > 0 },
      row,
    }
  }

  /** The use of today. A row of a later day is another gateway's, whose clock is ahead: it counts for both. */
  async function dayRow(tx: Tx, now: number): Promise<DayRow> {
    const today = dayOf(now)
    const row = countsDays ? await findDay(tx, ownerId) : undefined
    return row && row.day >= today ? row : { day: today, messages: 0, spent: micros(0), unpriced: 0 }
  }

  /** Counts a send of a cost on a day, or takes it out again. */
  async function count(tx: Tx, row: DayRow, cost: Micros | null, times: 1 | -1): Promise<void> {
    if (!countsDays) return
    await putDay(tx, ownerId, {
      day: row.day,
      messages: row.messages + times,
      spent: micros(row.spent + times * (cost ?? 0)),
      unpriced: row.unpriced + (cost === null ? times : 0),
    })
  }

  async function keyed({ run }: Tx, { key, at }: Attempt): Promise<EarlierSend[]> {
    if (key === undefined) return []
    return (
      await run<Sent>(
        `SELECT id, digest, ticket FROM connector_sends WHERE client_id = $1 AND key = $2 AND at > $3
         ORDER BY at LIMIT 2`,
        [ownerId, key, at - KEY_LIFE],
      )
    ).map(shown)
  }

  async function twin({ run }: Tx, { digest, at }: Attempt): Promise<EarlierSend | undefined> {
    const [row] = await run<Sent>(
      `SELECT id, digest, ticket FROM connector_sends WHERE client_id = $1 AND digest = $2 AND at > $3
       ORDER BY at DESC LIMIT 1`,
      [ownerId, digest, at - TWO_MINUTES],
    )
    return row && shown(row)
  }

  return {
    attempt: (attempt, decide) =>
      database.write(async (tx) => {
        await lock(tx)
        const { row, ...known } = await look(tx, attempt)
        const id = decide(known)
        if (known.keyed.some((send) => send.id === id)) {
          await tx.run('UPDATE connector_sends SET attempts = attempts + 1 WHERE id = $1', [id])
          return id
        }
        const { at, digest, key = null, cost } = attempt
        await tx.run(
          `INSERT INTO connector_sends (id, client_id, at, day, digest, key, cost, attempts, failures)
           VALUES ($1, $2, $3, $4, $5, $6, $7, 1, 0)`,
          [id, ownerId, at, row.day, digest, key, cost],
        )
        await count(tx, row, cost, 1)
        return id
      }),

    known: (attempt) => database.read((tx) => look(tx, attempt)),

    end: ({ id, outcome, ticket = null, key = null }) =>
      database.write(async (tx) => {
        await lock(tx)
        const [send] = await tx.run<{ day: number; cost: Micros | null; left: number }>(
          `UPDATE connector_sends SET failures = failures + $1, ticket = coalesce(ticket, $2), key = coalesce(key, $3)
           WHERE id = $4 RETURNING day, cost, attempts - failures AS "left"`,
          [outcome === 'failed' ? 1 : 0, ticket, key, id],
        )
        if (!send || send.left > 0) return
        await tx.run('DELETE FROM connector_sends WHERE id = $1', [id])
        const row = countsDays ? await findDay(tx, ownerId) : undefined
        if (row?.day === send.day) await count(tx, row, send.cost, -1)
      }),

    async sent(_connection, now, most) {
      const rows = await database.read(({ run }) =>
        run<{ ticket: string }>(
          `SELECT ticket FROM connector_sends WHERE client_id = $1 AND at >= $2 AND ticket IS NOT NULL
           ORDER BY at DESC LIMIT $3`,
          [ownerId, (dayOf(now) - 1) * A_DAY_MS, most],
        ),
      )
      return rows.map(({ ticket }) => ticket)
    },
  }
}

interface Sent {
  id: string
  digest: string
  ticket: string | null
}

function shown({ ticket, ...send }: Sent): EarlierSend {
  return { ...send, ticket: ticket ?? undefined }
}
