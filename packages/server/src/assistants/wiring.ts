import { namesOf } from '@wigwag/contract'
import type { Hono } from 'hono'
import { findAccount, type KeyUses } from '../accounts/index.ts'
import type { Parts } from '../flow/parts.ts'
import type { OperatorContact } from '../kernel/operator-contact.ts'
import { loadedOnce } from '../kernel/process/loaded-once.ts'
import { type Authentication, credentialsOf } from '../net/callers/auth.ts'
import type { RateLimit } from '../net/callers/rate-limit.ts'
import type { Outbound } from '../net/outbound/port.ts'
import { errorPage } from '../net/pages/error.tsx'
import { PAGE_HEADERS } from '../net/pages/reply.ts'
import { problemOf } from '../net/server/problems.ts'
import type { PortalPages } from '../sign-in/portal/index.ts'
import { createAudit, createRefusalCount } from '../store/audit/index.ts'
import type { KeyFor } from '../store/secrets/sealing.ts'
import { Connections } from './connections.ts'
import { Delegation } from './delegation.ts'
import type { McpRoutes, Tokens, ToolHost } from './mcp/routes.ts'
import { AuthorizationServer } from './oauth/authorization-server.ts'
import type { HourlyLimits } from './oauth/hourly-limits.ts'
import type { OauthKeyring } from './oauth/keys.ts'
import { mountOauth } from './oauth/mount.ts'
import { OauthRecords } from './oauth/records.ts'
import type { StandaloneConnectors } from './standalone.ts'

const DESCRIPTIONS = ['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp']

/** Opens everything that assistants need: connections, delegated tokens, the authorization server and the tools. */
export function openAssistants(
  parts: Parts,
  own: {
    operator: OperatorContact
    standalone: StandaloneConnectors
    keyring: OauthKeyring
    /** Its key for questions to people is the same in every process. */
    keyFor: KeyFor
    /** Fetches client ID metadata documents. */
    outbound: Outbound
    publicUrl(): string
    uses: Pick<KeyUses, 'noteTools'>
    /** Replaces some of `HOURLY_LIMITS`. */
    hourlyLimits?: Partial<HourlyLimits> | undefined
  },
) {
  const { database, clock, fault } = parts
  const { standalone, keyring, keyFor, outbound, publicUrl, uses, hourlyLimits: limits } = own
  const connections = new Connections(parts)
  const delegation = new Delegation({ ...parts, operator: own.operator })

  async function isActive(accountId: string): Promise<boolean> {
    const account = await database.read((tx) => findAccount(tx, accountId))
    return account?.status === 'active'
  }

  /** Serves the authorization server. Returns what the tools need of it. */
  function mountAuthorization(app: Hono, pages: PortalPages): Tokens {
    const records = new OauthRecords(parts)
    const onFault = fault('oauth')
    const server = new AuthorizationServer({
      issuer: publicUrl,
      keyring,
      records,
      standalone,
      delegation,
      connections,
      clock,
      outbound,
      limits,
      defaultResource: () => `${publicUrl()}/mcp`,
      isResource: async (resource) =>
        namesOf(publicUrl()).some((url) => resource === `${url}/mcp`) || standalone.serves(resource),
      isActive,
      errorPage: (title, text, id) => ({
        body: errorPage({ title, text, ...(id !== undefined && { id }) }),
        headers: PAGE_HEADERS,
      }),
      onFault,
    })
    const provider = () => server.provider()
    mountOauth(app, { ...pages, clock, limits, connections, problemOf, provider, records, onFault })
    return {
      check: server.check,
      issue: (connection, canSend) => delegation.issue(connection, canSend),
    }
  }

  /** Serves the tools. They call the gateway's own operations and keep their journal in the database. */
  function mountMcp(
    app: Hono,
    { settings, authenticate, limit }: Mounting,
    tokens: Tokens | undefined,
  ): void {
    const audit = createAudit(parts)
    const refusals = createRefusalCount(parts)
    const routes = loadedMcp({
      settings,
      clock,
      publicUrl,
      stateKey: keyFor('questions'),
      tokens,
      async identify(c) {
        const principal = await authenticate(c, { wallet: true })
        limit?.(principal)
        uses.noteTools(principal.clientId)
        return { accountId: principal.accountId, ...credentialsOf(c) }
      },
      count: ({ connection }) => void limit?.({ clientId: `connection:${connection}` }),
      noteUse: ({ connection, lastUsedAt }) => delegation.noteUse(connection, lastUsedAt),
      fetch: (request) => app.fetch(request, { forTools: true }),
      database,
      audit(accountId, { tool, connection, ...detail }) {
        const entry = { actor: connection, action: `mcp ${tool}` as const, accountId, detail }
        // Nothing limits how many calls of a caller are refused, so they are counted and have no row each.
        const refused = detail.outcome === 'refused' || detail.outcome === 'failed'
        database
          .write((tx) => (refused ? refusals(tx, entry) : audit(tx, entry)), { patient: true })
          .catch(fault('connector'))
      },
      onFault: fault('connector'),
    })
    app.all('/mcp', async (c) => (await routes()).serve(c))
    if (tokens) app.on(['GET', 'HEAD', 'OPTIONS'], DESCRIPTIONS, async (c) => (await routes()).describe(c))
  }

  return {
    connections,
    delegation,
    /** Serves the authorization server, where people can sign in, and the tools at `/mcp`. */
    mount(app: Hono, mounting: Mounting): void {
      mountMcp(app, mounting, mounting.pages && mountAuthorization(app, mounting.pages))
    },
  }
}

/** How assistants are served. */
interface Mounting {
  /** Undefined where people can't sign in. */
  pages: PortalPages | undefined
  settings: ToolHost['settings']
  authenticate: Authentication['authenticate']
  /** Counts each request to `/mcp`. The API counts the calls that its tools make. */
  limit: RateLimit | undefined
}

/** The tools' routes. The `@wigwag/mcp` package is loaded at the first call. */
function loadedMcp(host: ToolHost): () => Promise<McpRoutes> {
  return loadedOnce(async () => {
    const { McpRoutes: Routes } = await import('./mcp/routes.ts')
    return new Routes(host)
  })
}
