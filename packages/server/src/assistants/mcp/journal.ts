import { ZERO } from '@wigwag/contract'
import {
  type Attempt,
  type EarlierSend,
  type End,
  type Journal,
  KEY_LIFE,
  type Known,
  TWO_MINUTES,
} from '@wigwag/mcp'
import { DAY_MS, utcDay } from '../../kernel/time/spans.ts'
import type { Database, Tx } from '../../store/database.ts'

/** The owner of the sends: an API client or a connection. Attempts are recorded under a lock on its row. */
export interface JournalOwner {
  table: 'clients' | 'connections'
  id: string
}

/** A day is counted when a send is accepted, with the hold of its price. */
const NOT_COUNTED_HERE = { messages: 0, spent: ZERO, unpriced: false }

/**
 * The journal of one caller in the gateway's database: safe for parallel calls, several processes and crashes. Each
 * call reads a few rows, however many sends there are. This gateway honours keys, so that a send has one ticket.
 */
export class StoredJournal implements Journal {
  readonly #database: Database
  readonly #owner: JournalOwner

  constructor(database: Database, owner: JournalOwner) {
    this.#database = database
    this.#owner = owner
  }

  attempt(attempt: Attempt, decide: (known: Known) => string): Promise<string> {
    return this.#database.write(async (tx) => {
      await lock(tx, this.#owner)
      const known = await findKnown(tx, this.#owner, attempt)
      const id = decide(known)
      if (known.keyed.some((send) => send.id === id)) {
        await tx.run('UPDATE connector_sends SET attempts = attempts + 1 WHERE id = $1', [id])
        return id
      }
      const { at, digest, key = null } = attempt
      await tx.run(
        `INSERT INTO connector_sends (id, client_id, at, digest, key, attempts, failures)
         VALUES ($1, $2, $3, $4, $5, 1, 0)`,
        [id, this.#owner.id, at, digest, key],
      )
      return id
    })
  }

  known(attempt: Attempt): Promise<Known> {
    return this.#database.read((tx) => findKnown(tx, this.#owner, attempt))
  }

  end({ id, outcome, ticket, key }: End): Promise<void> {
    return this.#database.write(async (tx) => {
      await lock(tx, this.#owner)
      const [send] = await tx.run<{ left: number }>(
        `UPDATE connector_sends SET failures = failures + $1, ticket = coalesce(ticket, $2), key = coalesce(key, $3)
         WHERE id = $4 RETURNING attempts - failures AS "left"`,
        [outcome === 'failed' ? 1 : 0, ticket ?? null, key ?? null, id],
      )
      if (send && send.left <= 0) await tx.run('DELETE FROM connector_sends WHERE id = $1', [id])
    })
  }

  async sent(_connection: string, now: number, most: number): Promise<string[]> {
    const rows = await this.#database.read(({ run }) =>
      run<{ ticket: string }>(
        `SELECT ticket FROM connector_sends WHERE client_id = $1 AND at >= $2 AND ticket IS NOT NULL
         ORDER BY at DESC LIMIT $3`,
        [this.#owner.id, (utcDay(now) - 1) * DAY_MS, most],
      ),
    )
    return rows.map(({ ticket }) => ticket)
  }
}

async function lock({ run, locks }: Tx, { table, id }: JournalOwner): Promise<void> {
  await run(`SELECT id FROM ${table} WHERE id = $1 ${locks.forUpdate}`, [id])
}

async function findKnown(tx: Tx, { id: ownerId }: JournalOwner, attempt: Attempt): Promise<Known> {
  return {
    keyed: await keyed(tx, ownerId, attempt),
    copied: false,
    twin: await twin(tx, ownerId, attempt),
    day: NOT_COUNTED_HERE,
  }
}

async function keyed({ run }: Tx, ownerId: string, { key, at }: Attempt): Promise<EarlierSend[]> {
  if (key === undefined) return []
  return (
    await run<Sent>(
      `SELECT id, digest, ticket FROM connector_sends WHERE client_id = $1 AND key = $2 AND at > $3
       ORDER BY at LIMIT 2`,
      [ownerId, key, at - KEY_LIFE],
    )
  ).map(shown)
}

async function twin({ run }: Tx, ownerId: string, { digest, at }: Attempt): Promise<EarlierSend | undefined> {
  const [row] = await run<Sent>(
    `SELECT id, digest, ticket FROM connector_sends WHERE client_id = $1 AND digest = $2 AND at > $3
     ORDER BY at DESC LIMIT 1`,
    [ownerId, digest, at - TWO_MINUTES],
  )
  return row && shown(row)
}

interface Sent {
  id: string
  digest: string
  ticket: string | null
}

function shown({ ticket, ...send }: Sent): EarlierSend {
  return { ...send, ticket: ticket ?? undefined }
}
