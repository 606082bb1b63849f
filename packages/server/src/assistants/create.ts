import type { Hono } from 'hono'
import { findAccount } from '../accounts/index.ts'
import { type AuditEntry, createAudit } from '../audit/index.ts'
import { epochMs } from '../domain/ids.ts'
import { namesOf } from '../domain/loopback.ts'
import { type createAuthenticate, credentialsOf } from '../platform/http/auth.ts'
import { problemOf } from '../platform/http/problems.ts'
import type { Outbound } from '../platform/outbound/port.ts'
import { errorPage } from '../platform/pages/error.ts'
import { PAGE_HEADERS } from '../platform/pages/reply.ts'
import type { Parts } from '../platform/parts.ts'
import type { KeyFor } from '../platform/secrets/sealing.ts'
import type { PortalPages } from '../portal/index.ts'
import { createConnector } from './connector/connector.ts'
import { decideExclusively, type JournalOwner } from './connector/journal.ts'
import type { ConnectorOptions, Decide, Tokens } from './connector/options.ts'
import type { Connectors } from './connectors.ts'
import { createDelegation, type Delegation } from './delegation.ts'
import { createGrants, type Grants } from './grants.ts'
import { createAuthorizationServer } from './oauth/authorization-server.ts'
import type { OauthKeyring } from './oauth/keys.ts'
import { mountOauth } from './oauth/mount.ts'
import { createOauthRecords } from './oauth/records.ts'
import { createTokenCheck } from './oauth/token-check.ts'

export interface AssistantsParts extends Parts {
  connectors: Connectors
  keyring: OauthKeyring
  /** Its key for questions to people is the same in every process. */
  keyFor: KeyFor
  /** Fetches client ID metadata documents. */
  outbound: Outbound
  publicUrl(): string
}

export interface Assistants {
  grants: Grants
  delegation: Delegation
  /** Serves the authorization server. Only for gateways where people can sign in. */
  mountSignIn(app: Hono, pages: PortalPages): void
  /** Serves the tools at `/mcp`. They call the gateway's own operations and keep their journal in the database. */
  mountConnector(app: Hono, options: MountConnectorOptions): void
}

export interface MountConnectorOptions {
  settings: ConnectorOptions['settings']
  authenticate: ReturnType<typeof createAuthenticate>
}

const DESCRIPTIONS = ['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp']

/** Creates everything that assistants need: grants, delegated tokens, the authorization server and the tools. */
export function createAssistants(parts: AssistantsParts): Assistants {
  const { database, clock, newId, connectors, keyFor, publicUrl, fault } = parts
  const grants = createGrants(parts)
  const delegation = createDelegation(parts)
  let tokens: Tokens | undefined

  async function isActive(accountId: string): Promise<boolean> {
    const account = await database.read((tx) => findAccount(tx, accountId))
    return account?.status === 'active'
  }

  return {
    grants,
    delegation,

    mountSignIn(app, pages) {
      const records = createOauthRecords({ database, clock })
      const check = createTokenCheck({ provider: () => provider(), grants })
      const provider = createAuthorizationServer({
        issuer: publicUrl,
        keyring: parts.keyring,
        records,
        connectors,
        delegation,
        check,
        clock,
        endGrant: grants.endGrant,
        outbound: parts.outbound,
        defaultResource: () => `${publicUrl()}/mcp`,
        isResource: async (resource) =>
          namesOf(publicUrl()).some((url) => resource === `${url}/mcp`) || connectors.serves(resource),
        isActive,
        connectionOf: async (grantId) => (await grants.byGrant(grantId))?.id,
        unaskedOf: grants.unasked,
        errorPage: (title, text, id) => ({
          body: errorPage({ title, text, ...(id !== undefined && { id }) }),
          headers: PAGE_HEADERS,
        }),
        onFault: fault('oauth'),
      })
      mountOauth(app, { ...pages, grants, problemOf, provider, records, onFault: fault('oauth') })
      tokens = { check, issue: delegation.issue }
    },

    mountConnector(app, { settings, authenticate }) {
      const decideOf =
        (table: JournalOwner['table']): Decide =>
        (id, now, decide) =>
          decideExclusively(database, { table, id }, epochMs(now), decide)
      const audit = createAudit({ clock, newId })
      const connector = createConnector({
        settings,
        clock,
        publicUrl,
        stateKey: keyFor('questions'),
        tokens,
        async identify(c) {
          const { accountId } = await authenticate(c, { wallet: true })
          return { accountId, ...credentialsOf(c) }
        },
        fetch: app.fetch,
        decide: { client: decideOf('clients'), connection: decideOf('connections') },
        audit(accountId, { tool, connection, ...detail }) {
          const entry: AuditEntry = { actor: connection, action: `mcp ${tool}`, accountId, detail }
          database.write((tx) => audit(tx, entry), { patient: true }).catch(fault('connector'))
        },
        onFault: fault('connector'),
      })
      app.all('/mcp', connector.serve)
      if (tokens) app.on(['GET', 'HEAD', 'OPTIONS'], DESCRIPTIONS, connector.describe)
    },
  }
}
