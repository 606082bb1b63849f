import { and, eq, gt, inArray } from 'drizzle-orm'
import type { EpochMs } from '../../kernel/ids.ts'
import type { Tx } from '../../store/database.ts'

/** Whether a person of an account is told of alerts by mail. */
export interface Mailing {
  byMail: boolean
  /** When they were last sent a code, and when they showed it; 0 for never. */
  askedAt: number
  provenAt: number
}

interface Place {
  accountId: string
  personId: string
}

export async function mailingOf({ db, t }: Tx, place: Place): Promise<Mailing | undefined> {
  const { people, memberships } = t
  const [row] = await db
    .select({
      byMail: memberships.alertsByMail,
      askedAt: people.mailAskedAt,
      provenAt: people.mailProvenAt,
    })
    .from(memberships)
    .innerJoin(people, eq(people.id, memberships.personId))
    .where(inPlace(t, place))
  return row && { ...row, byMail: row.byMail === 1 }
}

/** False when it is so already. */
export async function setAlertsByMail({ db, t }: Tx, place: Place, byMail: boolean): Promise<boolean> {
  const { memberships } = t
  const [from, to] = byMail ? ([0, 1] as const) : ([1, 0] as const)
  const changed = await db
    .update(memberships)
    .set({ alertsByMail: to })
    .where(and(inPlace(t, place), eq(memberships.alertsByMail, from)))
    .returning({ id: memberships.personId })
  return changed.length > 0
}

/** Notes that a code is sent to a person's address. False when the last one is not so old; a clock may be set back. */
export async function noteMailAsked(
  { run }: Tx,
  personId: string,
  now: EpochMs,
  afterMs: number,
): Promise<boolean> {
  const noted = await run(
    `UPDATE people SET mail_asked_at = $1 WHERE id = $2 AND (mail_asked_at <= $3 OR mail_asked_at > $4)
     RETURNING 1 AS one`,
    [now, personId, now - afterMs, now],
  )
  return noted.length > 0
}

/** Notes that an address is the person's. */
export async function noteMailProven({ db, t }: Tx, personId: string, now: EpochMs): Promise<void> {
  await db.update(t.people).set({ mailProvenAt: now }).where(eq(t.people.id, personId))
}

/** A person who is told by mail, with the account that it is about. */
export interface Mailed {
  accountId: string
  account: string
  email: string
}

/** The people of some accounts who are told by mail. Who has left is not among them. */
export function mailedPeople({ db, t }: Tx, accountIds: readonly string[]): Promise<Mailed[]> {
  const { accounts, people, memberships } = t
  return db
    .select({ accountId: memberships.accountId, account: accounts.name, email: people.email })
    .from(memberships)
    .innerJoin(people, eq(people.id, memberships.personId))
    .innerJoin(accounts, eq(accounts.id, memberships.accountId))
    .where(
      and(
        inArray(memberships.accountId, [...accountIds]),
        eq(memberships.alertsByMail, 1),
        eq(memberships.endedAt, 0),
        gt(people.mailProvenAt, 0),
      ),
    )
    .orderBy(memberships.accountId, memberships.personId)
}

function inPlace({ memberships }: Tx['t'], { accountId, personId }: Place) {
  return and(
    eq(memberships.accountId, accountId),
    eq(memberships.personId, personId),
    eq(memberships.endedAt, 0),
  )
}
