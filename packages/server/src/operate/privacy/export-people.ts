import { type Micros, toDecimal } from '@wigwag/contract'
import { roleIn } from '../../accounts/people/index.ts'
import { actorOf } from '../../store/audit/index.ts'
import type { ReadOnlyDatabase } from '../../store/database.ts'
import type { Role } from '../../store/schema/schema.ts'
import { SLICE } from '../../store/slices.ts'

interface PersonRow {
  id: string
  email: string
  role: Role
  since: number
  createdBy: string
  endedAt: number
  assistantsSpend: Micros | null
  assistantsMessages: number | null
  alertsByMail: number
}

/**
 * Who is in an account and who left it, by the ids that the audit log has. `lastSignInAt` is null also where the log does
 * not reach back so far.
 */
export async function* exportPeople(
  database: ReadOnlyDatabase,
  accountId: string,
): AsyncGenerator<Record<string, unknown>> {
  const people = await database.read(({ run }) =>
    run<PersonRow>(
      `SELECT p.id, p.email, ${roleIn('m')} AS role, m.created_at AS since, m.created_by AS "createdBy", m.ended_at AS "endedAt",
         m.assistants_spend AS "assistantsSpend", m.assistants_messages AS "assistantsMessages",
         m.alerts_by_mail AS "alertsByMail"
       FROM memberships m JOIN people p ON p.id = m.person_id
       WHERE m.account_id = $1 ORDER BY m.created_at, m.person_id`,
      [accountId],
    ),
  )
  const signIns = await lastSignIns(database, accountId)
  for (const { since, endedAt, assistantsSpend, alertsByMail, ...person } of people)
    yield {
      ...person,
      since: timeOf(since),
      endedAt: timeOf(endedAt),
      lastSignInAt: timeOf(signIns.get(actorOf(person.id)) ?? 0),
      alertsByMail: alertsByMail === 1,
      assistantsSpend: assistantsSpend === null ? null : toDecimal(assistantsSpend),
    }
}

/** When each actor last signed in to an account. The log is walked in slices: it may be long. */
async function lastSignIns(database: ReadOnlyDatabase, accountId: string): Promise<Map<string, number>> {
  const found = new Map<string, number>()
  for (let after = ''; ; ) {
    const rows = await database.read(({ run }) =>
      run<{ id: string; actor: string; action: string; at: number }>(
        `SELECT id, actor, action, at FROM audit WHERE account_id = $1 AND id > $2 ORDER BY id LIMIT ${SLICE}`,
        [accountId, after],
      ),
    )
    for (const { actor, action, at } of rows) if (action === 'portal.sign-in') found.set(actor, at)
    const last = rows.at(-1)
    if (!last || rows.length < SLICE) return found
    after = last.id
  }
}

function timeOf(at: number): string | null {
  return at === 0 ? null : new Date(at).toISOString()
}
