import { accountsOfPerson, findPerson, makeInvitation, membersOf } from '../../accounts/people/index.ts'
import { createOperatorAudit } from '../../store/audit/index.ts'
import type { Tx } from '../../store/database.ts'
import type { Role } from '../../store/schema/schema.ts'
import type { Cell, Cells } from './cell.ts'

/** Somebody of an account whose address is taken in the other cell, by whoever that may be. */
export interface Taken {
  email: string
  role: Role
  /** The accounts that the address signs in to there, by their names. */
  signsInTo: readonly string[]
}

export interface Invited extends Taken {
  /** The secret of the link that lets in who signs in with the address there. */
  secret: string
}

/** The people of an account who do not come along as who they are. */
export interface Staying {
  /** Their addresses are taken in the other cell. Nothing of them is copied. */
  taken: ReadonlySet<string>
  /** They have left the account. Their names go along, and nothing to sign in with. */
  ended: ReadonlySet<string>
}

export async function stayingPeople({ source, target }: Cells, accountId: string): Promise<Staying> {
  const here = await source.database.read(({ run }) =>
    run<{ id: string; email: string; endedAt: number }>(
      `SELECT p.id, p.email, m.ended_at AS "endedAt" FROM memberships m JOIN people p ON p.id = m.person_id
       WHERE m.account_id = $1`,
      [accountId],
    ),
  )
  // Addresses copied by an earlier run belong to members of this account there, so they are not taken.
  const there = await target.database.read(({ run }) =>
    run<{ email: string }>(
      `SELECT email FROM people p WHERE email IN (SELECT json_array_elements_text($1))
         AND NOT EXISTS (SELECT 1 FROM memberships m WHERE m.person_id = p.id AND m.account_id = $2)`,
      [JSON.stringify(here.map(({ email }) => email)), accountId],
    ),
  )
  const emails = new Set(there.map(({ email }) => email))
  return {
    taken: new Set(here.flatMap(({ id, email }) => (emails.has(email) ? [id] : []))),
    ended: new Set(here.flatMap(({ id, endedAt }) => (endedAt > 0 ? [id] : []))),
  }
}

/** The people of an account who will be invited to the other cell. */
export async function takenThere({ source, target }: Cells, accountId: string): Promise<Taken[]> {
  const here = await source.database.read((tx) => membersOf(tx, accountId))
  return target.database.read(async (tx) => {
    const taken: Taken[] = []
    for (const { email, role } of here) taken.push(...(await takenIn(tx, { email, role })))
    return taken
  })
}

async function takenIn(tx: Tx, { email, role }: Pick<Taken, 'email' | 'role'>): Promise<Taken[]> {
  const person = await findPerson(tx, email)
  if (!person) return []
  const accounts = await accountsOfPerson(tx, person.id)
  return [{ email, role, signsInTo: accounts.map(({ name }) => name) }]
}

/** Invites everybody who did not come along: who has the address there may be somebody else. */
export async function inviteOthers(
  tx: Tx,
  target: Cell,
  { accountId, members }: { accountId: string; members: readonly Pick<Taken, 'email' | 'role'>[] },
): Promise<Invited[]> {
  const audit = createOperatorAudit(target)
  const isIn = new Set((await membersOf(tx, accountId)).map(({ email }) => email))
  const invited: Invited[] = []
  for (const { email, role } of members.filter((one) => !isIn.has(one.email))) {
    const [taken] = await takenIn(tx, { email, role })
    const invitation = { accountId, email, role, createdBy: target.acting.actor }
    const secret = await makeInvitation(tx, invitation, target.realClock.now())
    await audit(tx, { action: 'person.invite', accountId, detail: { email, role } })
    invited.push({ email, role, signsInTo: taken?.signsInTo ?? [], secret })
  }
  return invited
}
