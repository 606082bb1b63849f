/** Joins what signing in is made of: the authorization server, the portal's pages, and the tokens of assistants. */
import { randomBytes } from 'node:crypto'
import type { Hono } from 'hono'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Tokens } from '../connector/options.ts'
import { mountConsole } from '../console/mount.ts'
import { namesOf } from '../domain/loopback.ts'
import type { Connections } from '../gateway/connections.ts'
import type { Connectors } from '../gateway/connectors.ts'
import type { Delegation } from '../gateway/delegation.ts'
import { problemOf } from '../gateway/failures.ts'
import type { OauthKeyring } from '../gateway/oauth-keys.ts'
import { createOauthRecords } from '../gateway/oauth-records.ts'
import type { Outbound } from '../gateway/ports.ts'
import type { Portal } from '../gateway/sign-in.ts'
import { createClientAddress } from '../net/client-address.ts'
import { createAuthorizationServer } from '../oauth/authorization-server.ts'
import { createClientDocuments } from '../oauth/client-documents.ts'
import { mountOauth } from '../oauth/mount.ts'
import { createTokenCheck } from '../oauth/token-check.ts'
import { errorPage } from '../pages/error.ts'
import { createFormTickets } from '../pages/form-ticket.ts'
import { PAGE_HEADERS } from '../pages/headers.ts'
import type { PageContext } from '../pages/page-context.ts'
import { findAccount } from '../store/accounts.ts'
import type { Database } from '../store/database.ts'
import type { Sealer } from '../store/sealing.ts'

export interface SignInParts {
  config: Pick<Config, 'trustedProxies'>
  database: Database
  clock: Clock
  publicUrl(): string
  sealer: Sealer
  outbound: Outbound
  keyring: OauthKeyring
  connectors: Connectors
  connections: Connections
  delegation: Delegation
  portal: Portal
  /** Told of a peer that sent `X-Forwarded-For` and is not trusted to. */
  onUntrustedProxy(peer: string): void
  /** Who is told of a fault in a room. */
  fault(room: string): (error: unknown) => void
}

export interface SignIn {
  tokens: Tokens
  mount(app: Hono): void
}

export function composeSignIn(parts: SignInParts): SignIn {
  const { config, database, clock, publicUrl, outbound, connectors, connections, delegation, portal } = parts
  const mcpUrl = () => `${publicUrl()}/mcp`
  const clientAddress = createClientAddress(config.trustedProxies, parts.onUntrustedProxy)
  const addressOf = (c: PageContext) =>
    clientAddress(c.env?.incoming?.socket.remoteAddress, c.req.header('x-forwarded-for'))
  const tickets = createFormTickets({
    key: parts.sealer.keyFor('form tickets'),
    publicUrl,
    randomBytes,
  })
  const records = createOauthRecords({ database, clock })
  const check = createTokenCheck({ provider: () => provider(), connections })
  const provider = createAuthorizationServer({
    issuer: publicUrl,
    keyring: parts.keyring,
    records,
    connectors,
    delegation,
    check,
    clock,
    endGrant: connections.endGrant,
    documents: createClientDocuments({ outbound, clock }),
    defaultResource: mcpUrl,
    isResource: async (resource) =>
      namesOf(publicUrl()).some((url) => resource === `${url}/mcp`) || connectors.serves(resource),
    isActive,
    connectionOf: async (grantId) => (await connections.byGrant(grantId))?.id,
    errorPage: (title, text) => ({ body: errorPage({ title, text }), headers: PAGE_HEADERS }),
    onFault: parts.fault('oauth'),
  })

  async function isActive(accountId: string): Promise<boolean> {
    const account = await database.read((connection) => findAccount(connection, accountId))
    return account?.status === 'active'
  }

  return {
    tokens: { check, issue: delegation.issue },
    mount(app) {
      const shared = { portal, connections, tickets, publicUrl, addressOf, clock, problemOf }
      mountOauth(app, { ...shared, provider, records, onFault: parts.fault('oauth') })
      mountConsole(app, { ...shared, onFault: parts.fault('console') })
    },
  }
}
