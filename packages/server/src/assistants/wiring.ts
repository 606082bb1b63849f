import { namesOf } from '@wigwag/contract'
import type { Hono } from 'hono'
import { findAccount, type KeyUses } from '../accounts/index.ts'
import { createAudit, createRefusalCount } from '../audit/index.ts'
import { type createAuthenticate, credentialsOf } from '../platform/http/auth.ts'
import { problemOf } from '../platform/http/problems.ts'
import type { RateLimit } from '../platform/http/rate-limit.ts'
import type { Outbound } from '../platform/outbound/port.ts'
import { errorPage } from '../platform/pages/error.ts'
import { PAGE_HEADERS } from '../platform/pages/reply.ts'
import type { Parts } from '../platform/parts.ts'
import type { KeyFor } from '../platform/secrets/sealing.ts'
import type { PortalPages } from '../portal/index.ts'
import { type Connections, createAssistantConnections } from './connections.ts'
import { createDelegation, type Delegation } from './delegation.ts'
import type { McpOptions, Tokens } from './mcp/options.ts'
import { createMcpRoutes } from './mcp/routes.ts'
import { createAuthorizationServer } from './oauth/authorization-server.ts'
import type { OauthKeyring } from './oauth/keys.ts'
import { mountOauth } from './oauth/mount.ts'
import { createOauthRecords } from './oauth/records.ts'
import type { StandaloneConnectors } from './standalone.ts'

export interface AssistantsParts extends Parts {
  standalone: StandaloneConnectors
  keyring: OauthKeyring
  /** Its key for questions to people is the same in every process. */
  keyFor: KeyFor
  /** Fetches client ID metadata documents. */
  outbound: Outbound
  publicUrl(): string
  /** Notes that a client called the tools with the API's credentials. */
  noteTools: KeyUses['noteTools']
}

export interface Assistants {
  connections: Connections
  delegation: Delegation
  /** Serves the authorization server, where people can sign in, and the tools at `/mcp`. */
  mount(app: Hono, options: MountOptions): void
}

export interface MountOptions {
  /** Undefined where people can't sign in. */
  pages: PortalPages | undefined
  settings: McpOptions['settings']
  authenticate: ReturnType<typeof createAuthenticate>
  /** Counts each request to `/mcp`; what its tools ask of the API counts there. */
  limit: RateLimit | undefined
}

const DESCRIPTIONS = ['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp']

/** Creates everything that assistants need: connections, delegated tokens, the authorization server and the tools. */
export function createAssistants(parts: AssistantsParts): Assistants {
  const { database, clock, newId, standalone, keyFor, publicUrl, fault } = parts
  const connections = createAssistantConnections(parts)
  const delegation = createDelegation(parts)

  async function isActive(accountId: string): Promise<boolean> {
    const account = await database.read((tx) => findAccount(tx, accountId))
    return account?.status === 'active'
  }

  /** Serves the authorization server. Returns what the tools need of it. */
  function mountSignIn(app: Hono, pages: PortalPages): Tokens {
    const records = createOauthRecords({ database, clock })
    const { provider, check } = createAuthorizationServer({
      issuer: publicUrl,
      keyring: parts.keyring,
      records,
      standalone: standalone,
      delegation,
      connections,
      clock,
      endByGrant: connections.endByGrant,
      outbound: parts.outbound,
      defaultResource: () => `${publicUrl()}/mcp`,
      isResource: async (resource) =>
        namesOf(publicUrl()).some((url) => resource === `${url}/mcp`) || standalone.serves(resource),
      isActive,
      connectionOf: async (grantId) => (await connections.byGrant(grantId))?.id,
      unaskedOf: connections.unasked,
      errorPage: (title, text, id) => ({
        body: errorPage({ title, text, ...(id !== undefined && { id }) }),
        headers: PAGE_HEADERS,
      }),
      onFault: fault('oauth'),
    })
    mountOauth(app, { ...pages, clock, connections, problemOf, provider, records, onFault: fault('oauth') })
    return { check, issue: delegation.issue }
  }

  /** Serves the tools. They call the gateway's own operations and keep their journal in the database. */
  function mountMcp(
    app: Hono,
    { settings, authenticate, limit }: MountOptions,
    tokens: Tokens | undefined,
  ): void {
    const audit = createAudit({ clock, newId })
    const refusals = createRefusalCount({ clock })
    const routes = createMcpRoutes({
      settings,
      clock,
      publicUrl,
      stateKey: keyFor('questions'),
      tokens,
      async identify(c) {
        const principal = await authenticate(c, { wallet: true })
        limit?.(principal)
        parts.noteTools(principal.clientId)
        return { accountId: principal.accountId, ...credentialsOf(c) }
      },
      count: ({ connection }) => void limit?.({ clientId: `connection:${connection}` }),
      noteUse: ({ connection, lastUsedAt }) => delegation.noteUse(connection, lastUsedAt),
      fetch: (request) => app.fetch(request, { forTools: true }),
      database,
      audit(accountId, { tool, connection, ...detail }) {
        const entry = { actor: connection, action: `mcp ${tool}` as const, accountId, detail }
        // Of what came to nothing, a caller can make as much as it likes.
        const refused = detail.outcome === 'refused' || detail.outcome === 'failed'
        database
          .write((tx) => (refused ? refusals(tx, entry) : audit(tx, entry)), { patient: true })
          .catch(fault('connector'))
      },
      onFault: fault('connector'),
    })
    app.all('/mcp', routes.serve)
    if (tokens) app.on(['GET', 'HEAD', 'OPTIONS'], DESCRIPTIONS, routes.describe)
  }

  return {
    connections,
    delegation,
    mount(app, options) {
      mountMcp(app, options, options.pages && mountSignIn(app, options.pages))
    },
  }
}
