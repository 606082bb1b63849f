import type { Micros } from '@wigwag/contract'
import { and, eq, ne } from 'drizzle-orm'
import type { EpochMs } from '../../kernel/ids.ts'
import type { Tx } from '../../store/database.ts'
import type { Role, SecondFactor, Tables } from '../../store/schema/schema.ts'
import { roleIn, stored } from './roles.ts'

export type PersonRow = Tables['people']['$inferSelect']
export type MembershipRow = Tables['memberships']['$inferSelect']

/** Somebody in an account. */
export interface Member {
  personId: string
  email: string
  role: Role
  since: EpochMs
  /** Ways to sign in. */
  hasPassword: boolean
  passkeys: number
  hasGenerator: boolean
  /** Whether they have any of these. */
  canSignIn: boolean
  /** Sessions in this account, and assistants that they connected to it. */
  sessions: number
  assistants: number
  /** Daily limits of all their assistants together; null for no limit. */
  assistantsSpend: Micros | null
  assistantsMessages: number | null
}

/** The person who signs in with an address. Pass it in lower case. */
export async function findPerson({ db, t }: Tx, email: string): Promise<PersonRow | undefined> {
  // PostgreSQL refuses a text with it.
  if (email.includes('\0')) return undefined
  const [person] = await db.select().from(t.people).where(eq(t.people.email, email))
  return person
}

/** Locks a person's row and reads it, so that what they sign in with stays as it is until the transaction ends. */
export async function lockPerson({ run, locks }: Tx, id: string): Promise<PersonRow | undefined> {
  const [person] = await run<PersonRow>(
    `SELECT id, email, password_hash AS "passwordHash", created_at AS "createdAt"
     FROM people WHERE id = $1 ${locks.forUpdate}`,
    [id],
  )
  return person
}

/** Whether a person has anything to sign in with. Lock them first where it must stay so. */
export async function canSignIn({ run }: Tx, personId: string): Promise<boolean> {
  const found = await run(
    `SELECT p.id FROM people p WHERE p.id = $1 AND (p.password_hash IS NOT NULL
       OR EXISTS (SELECT 1 FROM passkeys k WHERE k.owner_kind = 'person' AND k.owner_id = p.id)
       OR EXISTS (SELECT 1 FROM code_generators g WHERE g.owner_kind = 'person' AND g.owner_id = p.id))`,
    [personId],
  )
  return found.length > 0
}

/** The person of an address, made if there is none. */
export async function personOf(
  tx: Tx,
  email: string,
  { id, now }: { id: string; now: EpochMs },
): Promise<PersonRow> {
  await tx.run(
    `INSERT INTO people (id, email, created_at) VALUES ($1, $2, $3) ON CONFLICT (email) DO NOTHING`,
    [id, email, now],
  )
  const person = await findPerson(tx, email)
  if (!person) throw new Error(`there is nobody with the address ${email}`)
  return person
}

export async function setPasswordHash({ db, t }: Tx, id: string, passwordHash: string | null): Promise<void> {
  await db.update(t.people).set({ passwordHash }).where(eq(t.people.id, id))
}

export interface NewMembership {
  accountId: string
  personId: string
  role: Role
  /** Who lets them in, as the audit log says it. */
  by: string
}

/** Lets a person into an account, who may have left it before. False when they are in. */
export async function join(
  { run }: Tx,
  { accountId, personId, role, by }: NewMembership,
  now: EpochMs,
): Promise<boolean> {
  const joined = await run(
    `INSERT INTO memberships (account_id, person_id, role, created_at, created_by, sees)
     VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (account_id, person_id) DO UPDATE SET role = excluded.role, created_at = excluded.created_at,
       created_by = excluded.created_by, sees = excluded.sees, ended_at = 0, assistants_spend = NULL,
       assistants_messages = NULL, alerts_by_mail = 0
     WHERE memberships.ended_at > 0 RETURNING person_id`,
    [accountId, personId, stored(role).role, now, by, stored(role).sees],
  )
  return joined.length > 0
}

/** The people of an account, who has been there longest first. */
export async function membersOf({ run }: Tx, accountId: string): Promise<Member[]> {
  const rows = await run<
    Omit<Member, 'hasPassword' | 'hasGenerator' | 'canSignIn'> & Record<'password' | 'generators', number>
  >(
    `SELECT p.id AS "personId", p.email, ${roleIn('m')} AS role, m.created_at AS since,
       CASE WHEN p.password_hash IS NULL THEN 0 ELSE 1 END AS password,
       (SELECT count(*) FROM passkeys k WHERE k.owner_kind = 'person' AND k.owner_id = p.id) AS passkeys,
       (SELECT count(*) FROM code_generators g WHERE g.owner_kind = 'person' AND g.owner_id = p.id) AS generators,
       (SELECT count(*) FROM portal_sessions s WHERE s.person_id = p.id AND s.account_id = m.account_id) AS sessions,
       (SELECT count(*) FROM connections c WHERE c.person_id = p.id AND c.account_id = m.account_id
          AND c.ended_at = 0) AS assistants,
       m.assistants_spend AS "assistantsSpend", m.assistants_messages AS "assistantsMessages"
     FROM memberships m JOIN people p ON p.id = m.person_id
     WHERE m.account_id = $1 AND m.ended_at = 0 ORDER BY m.created_at, m.person_id`,
    [accountId],
  )
  return rows.map(({ password, generators, ...member }) => ({
    ...member,
    hasPassword: password === 1,
    hasGenerator: generators > 0,
    canSignIn: password + generators + member.passkeys > 0,
  }))
}

/** An account that somebody is in. */
export interface Membership {
  accountId: string
  name: string
  role: Role
  /** Since when they are in it. */
  since: EpochMs
  status: 'active' | 'suspended'
  /** Whether it asks for a second factor. */
  needsFactor: boolean
}

/** The accounts that a person is in, by name. */
export function accountsOfPerson({ run }: Tx, personId: string): Promise<Membership[]> {
  return run<Omit<Membership, 'needsFactor'> & { secondFactor: string }>(
    `SELECT a.id AS "accountId", a.name, ${roleIn('m')} AS role, m.created_at AS since, a.status,
       a.second_factor AS "secondFactor"
     FROM memberships m JOIN accounts a ON a.id = m.account_id
     WHERE m.person_id = $1 AND m.ended_at = 0 ORDER BY a.name, a.id`,
    [personId],
  ).then((rows) =>
    rows.map(({ secondFactor, ...row }) => ({ ...row, needsFactor: secondFactor !== 'optional' })),
  )
}

/**
 * Locks the people of an account until the transaction ends, and reads their roles: an account keeps an owner, however
 * many are removed at once.
 */
export async function lockRoles({ run, locks }: Tx, accountId: string): Promise<Map<string, Role>> {
  const rows = await run<{ personId: string; role: Role }>(
    `SELECT person_id AS "personId", ${roleIn('memberships')} AS role FROM memberships
     WHERE account_id = $1 AND ended_at = 0 ORDER BY person_id ${locks.forUpdate}`,
    [accountId],
  )
  return new Map(rows.map(({ personId, role }) => [personId, role]))
}

/** Locks a person's place in an account until the transaction ends. Their role; undefined when they are not in it. */
export async function lockRole(
  { run, locks }: Tx,
  { accountId, personId }: Pick<MembershipRow, 'accountId' | 'personId'>,
): Promise<Role | undefined> {
  const [row] = await run<{ role: Role }>(
    `SELECT ${roleIn('memberships')} AS role FROM memberships
     WHERE account_id = $1 AND person_id = $2 AND ended_at = 0 ${locks.forUpdate}`,
    [accountId, personId],
  )
  return row?.role
}

export async function setRole(
  { db, t }: Tx,
  { accountId, personId }: Pick<MembershipRow, 'accountId' | 'personId'>,
  role: Role,
): Promise<void> {
  const { memberships } = t
  await db
    .update(memberships)
    .set(stored(role))
    .where(and(eq(memberships.accountId, accountId), eq(memberships.personId, personId)))
}

export async function endMembership(
  { db, t }: Tx,
  { accountId, personId }: Pick<MembershipRow, 'accountId' | 'personId'>,
  endedAt: EpochMs,
): Promise<void> {
  const { memberships } = t
  await db
    .update(memberships)
    .set({ endedAt })
    .where(and(eq(memberships.accountId, accountId), eq(memberships.personId, personId)))
}

/** False when it is so already, or when an owner would lift what the operator requires. */
export async function setSecondFactor(
  { db, t }: Tx,
  accountId: string,
  secondFactor: SecondFactor,
  byOperator: boolean,
): Promise<boolean> {
  const { accounts } = t
  const mayChange = byOperator ? undefined : ne(accounts.secondFactor, 'operator')
  const changed = await db
    .update(accounts)
    .set({ secondFactor })
    .where(and(eq(accounts.id, accountId), ne(accounts.secondFactor, secondFactor), mayChange))
    .returning({ id: accounts.id })
  return changed.length > 0
}

/** Sets the daily limits of all assistants of a person, or of the account; null for no limit. */
export async function setAssistantLimits(
  { db, t }: Tx,
  accountId: string,
  personId: string | undefined,
  { spend, messages }: { spend: Micros | null; messages: number | null },
): Promise<boolean> {
  const limits = { assistantsSpend: spend, assistantsMessages: messages }
  const { accounts, memberships } = t
  const changed =
    personId === undefined
      ? await db.update(accounts).set(limits).where(eq(accounts.id, accountId)).returning({ id: accounts.id })
      : await db
          .update(memberships)
          .set(limits)
          .where(
            and(
              eq(memberships.accountId, accountId),
              eq(memberships.personId, personId),
              eq(memberships.endedAt, 0),
            ),
          )
          .returning({ id: memberships.personId })
  return changed.length > 0
}

/** Somebody who is in no account any more. */
export interface Leftover {
  id: string
  /** Whether they were in another account, whose log names them. */
  wasElsewhere: boolean
}

/** Deletes who was in an account. Returns those who are in no account after that. */
export async function forgetPeople({ db, t, run }: Tx, accountId: string): Promise<Leftover[]> {
  const rows = await run<{ id: string }>(
    `DELETE FROM memberships WHERE account_id = $1 RETURNING person_id AS id`,
    [accountId],
  )
  await db.delete(t.invitations).where(eq(t.invitations.accountId, accountId))
  const left: Leftover[] = []
  for (const { id } of rows) {
    const others = await db
      .select({ endedAt: t.memberships.endedAt })
      .from(t.memberships)
      .where(eq(t.memberships.personId, id))
    if (others.every(({ endedAt }) => endedAt > 0)) left.push({ id, wasElsewhere: others.length > 0 })
  }
  return left
}

/** Deletes a person. Their sessions and factors are deleted before. */
export async function deletePerson({ db, t }: Tx, id: string): Promise<void> {
  await db.delete(t.people).where(eq(t.people.id, id))
}
