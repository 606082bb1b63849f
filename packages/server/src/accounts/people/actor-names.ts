import { type AuditRow, actorOf } from '../../store/audit/index.ts'
import type { Tx } from '../../store/database.ts'
import { placeholders } from '../../store/rows.ts'
import { findPerson } from './rows.ts'

const PREFIX = actorOf('')

/** Rows of the audit log with the addresses of people in place of their ids. Who was forgotten keeps the id. */
export async function withNames<Row extends Pick<AuditRow, 'actor' | 'detail'>>(
  { run }: Tx,
  rows: readonly Row[],
): Promise<Row[]> {
  const ids = new Set(rows.flatMap(({ actor, detail }) => [idIn(actor), detail.person]).filter(isText))
  if (ids.size === 0) return [...rows]
  const found = await run<{ id: string; email: string }>(
    `SELECT id, email FROM people WHERE id IN ${placeholders(1, ids.size)}`,
    [...ids],
  )
  const emails = new Map(found.map(({ id, email }) => [id, email]))
  return rows.map((row) => {
    const { actor, detail } = row
    const [by, about] = [emails.get(idIn(actor) ?? ''), emails.get(String(detail.person))]
    return {
      ...row,
      ...(by !== undefined && { actor: actorOf(by) }),
      ...(about !== undefined && { detail: { ...detail, person: about } }),
    }
  })
}

/** The actor of the log for a typed one: `person:` with an address becomes the person's id. */
export async function actorTyped(tx: Tx, typed: string): Promise<string> {
  const person = typed.startsWith(PREFIX)
    ? await findPerson(tx, typed.slice(PREFIX.length).toLowerCase())
    : undefined
  return person ? actorOf(person.id) : typed
}

function idIn(actor: string): string | undefined {
  return actor.startsWith(PREFIX) ? actor.slice(PREFIX.length) : undefined
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}
