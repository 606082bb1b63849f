import type { Micros } from '@wigwag/contract'
import type { Tx } from '../../platform/database/database.ts'

/** What an API client's tools have sent on the last day that they were used. */
export interface DayRow {
  day: number
  messages: number
  spent: Micros
  /** How many of them have a price that is not known. */
  unpriced: number
}

export async function findDay({ run }: Tx, clientId: string): Promise<DayRow | undefined> {
  const [row] = await run<DayRow>(
    'SELECT day, messages, spent, unpriced FROM connector_days WHERE client_id = $1',
    [clientId],
  )
  return row
}

export async function putDay({ run }: Tx, clientId: string, row: DayRow): Promise<void> {
  const { day, messages, spent, unpriced } = row
  await run(
    `INSERT INTO connector_days (client_id, day, messages, spent, unpriced) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (client_id) DO UPDATE SET day = excluded.day, messages = excluded.messages,
       spent = excluded.spent, unpriced = excluded.unpriced`,
    [clientId, day, messages, spent, unpriced],
  )
}
