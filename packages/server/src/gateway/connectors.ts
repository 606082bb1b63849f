import { randomBytes } from 'node:crypto'
import type { Clock } from '../clock.ts'
import type { EpochMs } from '../domain/ids.ts'
import { isLoopback } from '../domain/loopback.ts'
import {
  findConnector,
  findConnectorOf,
  insertConnector,
  listConnectors,
  removeConnector,
} from '../store/connectors.ts'
import type { Database } from '../store/database.ts'
import type { Sealer } from '../store/sealing.ts'
import { createAudit } from './audit.ts'
import { OperatorError } from './operator-error.ts'

/** A connector that runs apart from the gateway: the one resource it serves, and what it is known by. */
export interface Connector {
  id: string
  resource: string
  secret: string
}

/** The connectors that an operator has allowed to trade tokens. */
export interface Connectors {
  add(resource: string): Promise<Connector>
  list(): Promise<{ id: string; resource: string; createdAt: EpochMs }[]>
  remove(idOrResource: string): Promise<void>
  find(id: string): Promise<Connector | undefined>
  serves(resource: string): Promise<boolean>
}

export interface ConnectorsOptions {
  database: Database
  clock: Clock
  sealer: Sealer
  newId(now: number): string
}

export function createConnectors({ database, clock, sealer, newId }: ConnectorsOptions): Connectors {
  const audit = createAudit({ clock, newId })

  return {
    async add(given) {
      const resource = readResource(given)
      const connector = {
        id: `wm_${randomBytes(12).toString('base64url')}`,
        resource,
        secret: `wx_${randomBytes(32).toString('base64url')}`,
      }
      await database.write(async (connection) => {
        if (await findConnectorOf(connection, resource))
          throw new OperatorError(
            `there is already a connector for ${resource}; wigwag connector list shows it`,
          )
        const secret = sealer.seal(connector.secret)
        await insertConnector(connection, { ...connector, secret, createdAt: clock.now() })
        const detail = { connector: connector.id, resource }
        await audit(connection, { actor: 'operator', action: 'connector.add', detail })
      })
      return connector
    },

    async list() {
      const rows = await database.read(listConnectors)
      return rows.map(({ id, resource, createdAt }) => ({ id, resource, createdAt }))
    },

    remove: (idOrResource) =>
      database.write(async (connection) => {
        const found =
          (await findConnector(connection, idOrResource)) ?? (await findConnectorOf(connection, idOrResource))
        if (!found)
          throw new OperatorError(
            `there is no connector ${idOrResource}; wigwag connector list shows them all`,
          )
        await removeConnector(connection, found.id)
        const detail = { connector: found.id, resource: found.resource }
        await audit(connection, { actor: 'operator', action: 'connector.remove', detail })
      }),

    async find(id) {
      const found = await database.read((connection) => findConnector(connection, id))
      return found && { id: found.id, resource: found.resource, secret: sealer.open(found.secret) }
    },

    // Whoever asks to sign in writes the resource, and PostgreSQL takes no zero character.
    serves: async (resource) =>
      !resource.includes('\0') &&
      (await database.read((connection) => findConnectorOf(connection, resource))) !== undefined,
  }
}

/** A resource is compared letter by letter, so it must be written in the one way that a URL is printed. */
function readResource(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined
  const isHttp = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url))
  if (!url || !isHttp || url.hash || url.search || url.username)
    throw new OperatorError(
      `expected the connector's public address, such as https://mcp.example.com/mcp, got ${JSON.stringify(given)}`,
    )
  return url.href
}
