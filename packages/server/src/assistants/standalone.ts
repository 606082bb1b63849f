import { randomBytes } from 'node:crypto'
import { isLoopback } from '@wigwag/contract'
import { asc, eq } from 'drizzle-orm'
import { OperatorError } from '../accounts/index.ts'
import type { Parts } from '../flow/parts.ts'
import type { EpochMs } from '../kernel/ids.ts'
import { createOperatorAudit, type OperatorAuditOptions } from '../store/audit/index.ts'
import type { Tx } from '../store/database.ts'
import { insertRows } from '../store/rows.ts'
import type { Tables } from '../store/schema/schema.ts'
import type { SealedAt, Sealer } from '../store/secrets/sealing.ts'

/** A standalone connector: the one resource it serves, and its client credentials. */
export interface StandaloneConnector {
  id: string
  resource: string
  secret: string
}

/** The standalone connectors that an operator has allowed to exchange tokens. */
export class StandaloneConnectors {
  readonly #parts: OperatorAuditOptions & Pick<Parts, 'database'> & { sealer: Sealer }

  constructor(parts: OperatorAuditOptions & Pick<Parts, 'database'> & { sealer: Sealer }) {
    this.#parts = parts
  }

  async add(given: string): Promise<StandaloneConnector> {
    const { database, clock, sealer } = this.#parts
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
      await insertRows(tx, tx.t.connectors, [{ ...connector, secret, createdAt: clock.now() }])
      await this.#audit(tx, 'connector.add', connector)
    })
    return connector
  }

  async list(): Promise<{ id: string; resource: string; createdAt: EpochMs }[]> {
    const rows = await this.#parts.database.read(({ db, t: { connectors } }) =>
      db.select().from(connectors).orderBy(asc(connectors.createdAt), asc(connectors.id)),
    )
    return rows.map(({ id, resource, createdAt }) => ({ id, resource, createdAt }))
  }

  remove(idOrResource: string): Promise<void> {
    return this.#parts.database.write(async (tx) => {
      const found =
        (await findConnector(tx, idOrResource)) ?? (await findConnectorOf(tx, hrefOf(idOrResource)))
      if (!found)
        throw new OperatorError(`there is no connector ${idOrResource}; wigwag connector list shows them all`)
      await tx.db.delete(tx.t.connectors).where(eq(tx.t.connectors.id, found.id))
      await this.#audit(tx, 'connector.remove', found)
    })
  }

  async find(id: string): Promise<StandaloneConnector | undefined> {
    const { database, sealer } = this.#parts
    const found = await database.read((tx) => findConnector(tx, id))
    return (
      found && {
        id: found.id,
        resource: found.resource,
        secret: sealer.open(found.secret, rowOf(found.id)),
      }
    )
  }

  /** The resource comes from an unauthenticated request, and PostgreSQL accepts no zero character. */
  async serves(resource: string): Promise<boolean> {
    if (resource.includes('\0')) return false
    return (await this.#parts.database.read((tx) => findConnectorOf(tx, resource))) !== undefined
  }

  #audit(
    tx: Tx,
    action: 'connector.add' | 'connector.remove',
    { id, resource }: Pick<StandaloneConnector, 'id' | 'resource'>,
  ): Promise<void> {
    return createOperatorAudit(this.#parts)(tx, { action, detail: { connector: id, resource } })
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

function hrefOf(given: string): string {
  return URL.parse(given)?.href ?? given
}

type ConnectorRow = Tables['connectors']['$inferSelect']

async function findConnector({ db, t }: Tx, id: string): Promise<ConnectorRow | undefined> {
  const [row] = await db.select().from(t.connectors).where(eq(t.connectors.id, id))
  return row
}

async function findConnectorOf({ db, t }: Tx, resource: string): Promise<ConnectorRow | undefined> {
  const [row] = await db.select().from(t.connectors).where(eq(t.connectors.resource, resource))
  return row
}
