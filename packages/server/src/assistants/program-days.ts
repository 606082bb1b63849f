import type { DailyUse } from '../domain/daily-use.ts'
import type { Tx } from '../platform/database/database.ts'

/** What a program's tools have sent on the last day that they were used, by the id of its API client. */
export interface ProgramDay extends DailyUse {
  clientId: string
}

/** Locks what programs have used until the transaction ends, in the order of their ids. */
export async function lockDays({ run }: Tx, clientIds: readonly string[]): Promise<ProgramDay[]> {
  const days: ProgramDay[] = []
  for (const clientId of [...clientIds].sort())
    days.push(
      ...(await run<ProgramDay>(
        `INSERT INTO connector_days (client_id, day, messages, spent) VALUES ($1, 0, 0, 0)
         ON CONFLICT (client_id) DO UPDATE SET client_id = excluded.client_id
         RETURNING client_id AS "clientId", day, messages, spent`,
        [clientId],
      )),
    )
  return days
}

export async function findDay({ run }: Tx, clientId: string): Promise<ProgramDay | undefined> {
  const [day] = await run<ProgramDay>(
    'SELECT client_id AS "clientId", day, messages, spent FROM connector_days WHERE client_id = $1',
    [clientId],
  )
  return day
}

/** Stores what a locked program has used of its daily limits. */
export async function setProgramDay(
  { run }: Tx,
  clientId: string,
  { day, spent, messages }: DailyUse,
): Promise<void> {
  await run('UPDATE connector_days SET day = $1, spent = $2, messages = $3 WHERE client_id = $4', [
    day,
    spent,
    messages,
    clientId,
  ])
}
