import { randomBytes } from 'node:crypto'
import { isLoopback } from '@wigwag/contract'
import { asc, eq } from 'drizzle-orm'
import { OperatorError } from '../accounts/index.ts'
import { createOperatorAudit, type OperatorAuditOptions } from '../audit/index.ts'
import type { EpochMs } from '../domain/ids.ts'
import type { Database, Tx } from '../platform/database/database.ts'
import { insertRows } from '../platform/database/rows.ts'
import type { Tables } from '../platform/database/schema.ts'
import type { SealedAt } from '../platform/secrets/box.ts'
import type { Sealer } from '../platform/secrets/sealing.ts'

/** A standalone connector: the one resource it serves, and its client credentials. */
export interface StandaloneConnector {
  id: string
  resource: string
  secret: string
}

/** The standalone connectors that an operator has allowed to exchange tokens. */
export interface StandaloneConnectors {
  add(resource: string): Promise<StandaloneConnector>
  list(): Promise<{ id: string; resource: string; createdAt: EpochMs }[]>
  remove(idOrResource: string): Promise<void>
  find(id: string): Promise<StandaloneConnector | undefined>
  serves(resource: string): Promise<boolean>
}

export interface StandaloneOptions extends OperatorAuditOptions {
  database: Database
  sealer: Sealer
}

export function createStandaloneConnectors(options: StandaloneOptions): StandaloneConnectors {
  const { database, clock, sealer } = options
  const audit = createOperatorAudit(options)

  return {
    async add(given) {
      const resource = readResource(given)
      const connector = {
        id: `wm_${randomBytes(12).toString('base64url')}`,
        resource,
        secret: `wx_${randomBytes(32).toString('base64url')}`,
      }
      await database.write(async (tx) => {
        if (await findConnectorOf(tx, resource))
          throw new OperatorError(
            `there is already a connector for ${resource}; wigwag connector list shows it`,
          )
        const secret = await sealer.seal(tx, connector.secret, rowOf(connector.id))
        await insertConnector(tx, { ...connector, secret, createdAt: clock.now() })
        const detail = { connector: connector.id, resource }
        await audit(tx, { action: 'connector.add', detail })
      })
      return connector
    },

    async list() {
      const rows = await database.read(listConnectors)
      return rows.map(({ id, resource, createdAt }) => ({ id, resource, createdAt }))
    },

    remove: (idOrResource) =>
      database.write(async (tx) => {
        const found = (await findConnector(tx, idOrResource)) ?? (await findConnectorOf(tx, idOrResource))
        if (!found)
          throw new OperatorError(
            `there is no connector ${idOrResource}; wigwag connector list shows them all`,
          )
        await removeConnector(tx, found.id)
        const detail = { connector: found.id, resource: found.resource }
        await audit(tx, { action: 'connector.remove', detail })
      }),

    async find(id) {
      const found = await database.read((tx) => findConnector(tx, id))
      return (
        found && {
          id: found.id,
          resource: found.resource,
          secret: sealer.open(found.secret, rowOf(found.id)),
        }
      )
    },

    // The resource comes from an unauthenticated request, and PostgreSQL accepts no zero character.
    serves: async (resource) =>
      !resource.includes('\0') && (await database.read((tx) => findConnectorOf(tx, resource))) !== undefined,
  }
}

function rowOf(key: string): SealedAt {
  return { table: 'connectors', key }
}

/** Resources are compared exactly, so this normalizes the given URL. */
function readResource(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined
  const isHttp = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url))
  if (!url || !isHttp || url.hash || url.search || url.username)
    throw new OperatorError(
      `expected the connector's public address, such as https://mcp.example.com/mcp, got ${JSON.stringify(given)}`,
    )
  return url.href
}

export type ConnectorRow = Tables['connectors']['$inferSelect']

function insertConnector(tx: Tx, connector: ConnectorRow): Promise<void> {
  return insertRows(tx, tx.t.connectors, [connector])
}

function listConnectors({ db, t }: Tx): Promise<ConnectorRow[]> {
  return db.select().from(t.connectors).orderBy(asc(t.connectors.createdAt), asc(t.connectors.id))
}

async function findConnector({ db, t }: Tx, id: string): Promise<ConnectorRow | undefined> {
  const [row] = await db.select().from(t.connectors).where(eq(t.connectors.id, id))
  return row
}

async function findConnectorOf({ db, t }: Tx, resource: string): Promise<ConnectorRow | undefined> {
  const [row] = await db.select().from(t.connectors).where(eq(t.connectors.resource, resource))
  return row
}

async function removeConnector({ db, t }: Tx, id: string): Promise<void> {
  await db.delete(t.connectors).where(eq(t.connectors.id, id))
}
