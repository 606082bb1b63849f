import { and, asc, eq } from 'drizzle-orm'
import { OperatorError } from '../../accounts/index.ts'
import type { Parts } from '../../flow/parts.ts'
import type { EpochMs } from '../../kernel/ids.ts'
import type { Clock } from '../../kernel/process/clock.ts'
import { createOperatorAudit, type OperatorAuditOptions } from '../../store/audit/index.ts'
import type { Tx } from '../../store/database.ts'
import { insertRows } from '../../store/rows.ts'
import type { OperatorRole, Tables } from '../../store/schema/schema.ts'
import { countFactors, type FactorCount, forgetFactors, makeLink, type Owner } from '../factors/index.ts'
import { endSessions } from './sessions.ts'

export type OperatorRow = Tables['operators']['$inferSelect']

/** An operator, with what they can sign in with. */
export interface ListedOperator extends OperatorRow {
  factors: FactorCount
}

const NOTHING: FactorCount = { passkeys: 0, hasGenerator: false, recoveryCodes: 0 }

interface Changing extends OperatorAuditOptions, Pick<Parts, 'database'> {
  /** The real time, by which links and sessions end: a sandbox's clock may be moved. */
  realClock: Pick<Clock, 'now'>
}

/** The people who run the gateway. Every change is audited. */
export class Operators {
  readonly #parts: Changing
  readonly #audit: ReturnType<typeof createOperatorAudit>

  constructor(parts: Changing) {
    this.#parts = parts
    this.#audit = createOperatorAudit(parts)
  }

  /** Makes an operator. The secret is of the link by which they register, once and within an hour. */
  add(name: string, role: OperatorRole): Promise<{ operator: OperatorRow; secret: string }> {
    return this.#parts.database.write(async (tx) => {
      if (await findOperator(tx, name)) throw new OperatorError(thereIs(name))
      const operator = await insertOperator(tx, {
        id: this.#parts.newId(this.#parts.clock.now()),
        name,
        role,
        now: this.#parts.clock.now(),
      })
      await this.#audit(tx, { action: 'operator.add', detail: { name, role } })
      return { operator, secret: await makeLink(tx, ownerOf(operator), this.#parts.realClock.now()) }
    })
  }

  /** By name, those who have ended last. */
  list(): Promise<ListedOperator[]> {
    return this.#parts.database.read(async (tx) => {
      const { db, t } = tx
      const rows = await db.select().from(t.operators).orderBy(asc(t.operators.name), asc(t.operators.id))
      const factors = await countFactors(tx, 'operator')
      const listed = rows.map((row) => ({ ...row, factors: factors.get(row.id) ?? NOTHING }))
      return [
        ...listed.filter(({ endedAt }) => endedAt === 0),
        ...listed.filter(({ endedAt }) => endedAt > 0),
      ]
    })
  }

  /** Ends an operator now, with their sessions and all that they could sign in with. */
  end(name: string): Promise<OperatorRow> {
    return this.#parts.database.write(async (tx) => {
      const operator = await findOperator(tx, name)
      if (!operator)
        throw new OperatorError(`there is no operator ${name}; wigwag operator list shows them all`)
      const endedAt = this.#parts.clock.now()
      const { db, t } = tx
      await db.update(t.operators).set({ endedAt }).where(eq(t.operators.id, operator.id))
      await endSessions(tx, operator.id)
      await forgetFactors(tx, ownerOf(operator))
      await this.#audit(tx, { action: 'operator.end', detail: { name } })
      return { ...operator, endedAt }
    })
  }
}

function thereIs(name: string): string {
  return `there is an operator ${name} already; who lost what they signed in with is ended first, with wigwag operator end, and added again`
}

export function ownerOf({ id }: Pick<OperatorRow, 'id'>): Owner {
  return { kind: 'operator', id }
}

/** An operator who has not ended, by name. */
export async function findOperator({ db, t }: Tx, name: string): Promise<OperatorRow | undefined> {
  const [operator] = await db
    .select()
    .from(t.operators)
    .where(and(eq(t.operators.name, name), eq(t.operators.endedAt, 0)))
  return operator
}

/** An operator who has not ended, by id. */
export async function operatorOf({ db, t }: Tx, id: string): Promise<OperatorRow | undefined> {
  const [operator] = await db
    .select()
    .from(t.operators)
    .where(and(eq(t.operators.id, id), eq(t.operators.endedAt, 0)))
  return operator
}

export async function insertOperator(
  tx: Tx,
  { now, ...operator }: Pick<OperatorRow, 'id' | 'name' | 'role'> & { now: EpochMs },
): Promise<OperatorRow> {
  const row = { ...operator, createdAt: now, endedAt: 0 }
  await insertRows(tx, tx.t.operators, [row])
  return row
}
