import type { Connection } from './database.ts'
import { insertRows } from './rows.ts'
import type { Tables } from './schema.ts'

export function insertAudit(
  connection: Connection,
  rows: readonly Tables['audit']['$inferSelect'][],
): Promise<void> {
  return insertRows(connection, connection.t.audit, rows)
}
