import { and, eq, type SQL } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { OwnerKind } from '../platform/database/schema.ts'

/** Whose a passkey or a code is. */
export interface Owner {
  kind: OwnerKind
  id: string
}

/** The rows of an owner. */
export function isOf(
  table: { ownerKind: PgColumn; ownerId: PgColumn },
  { kind, id }: Owner,
): SQL | undefined {
  return and(eq(table.ownerKind, kind), eq(table.ownerId, id))
}
