import { asc, eq } from 'drizzle-orm'
import type { Connection } from './database.ts'
import type { Tables } from './schema.ts'

export type ConnectorRow = Tables['connectors']['$inferSelect']

export async function insertConnector({ db, t }: Connection, connector: ConnectorRow): Promise<void> {
  await db.insert(t.connectors).values(connector)
}

export function listConnectors({ db, t }: Connection): Promise<ConnectorRow[]> {
  return db.select().from(t.connectors).orderBy(asc(t.connectors.createdAt), asc(t.connectors.id))
}

export async function findConnector({ db, t }: Connection, id: string): Promise<ConnectorRow | undefined> {
  const [row] = await db.select().from(t.connectors).where(eq(t.connectors.id, id))
  return row
}

export async function findConnectorOf(
  { db, t }: Connection,
  resource: string,
): Promise<ConnectorRow | undefined> {
  const [row] = await db.select().from(t.connectors).where(eq(t.connectors.resource, resource))
  return row
}

export async function removeConnector({ db, t }: Connection, id: string): Promise<void> {
  await db.delete(t.connectors).where(eq(t.connectors.id, id))
}
