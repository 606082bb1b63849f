import {
  type Configuration,
  errors,
  interactionPolicy,
  type KoaContextWithOIDC,
  Provider,
} from 'oidc-provider'
import type { Clock } from '../../kernel/process/clock.ts'
import { OUR_FAULT } from '../../net/pages/error.tsx'
import type { Connections } from '../connections.ts'
import type { Delegation } from '../delegation.ts'
import { isSecretOf, type Kept, StoredModel } from './adapter.ts'
import { type ClientDocuments, clientRules } from './clients.ts'
import type { OauthKeys } from './keys.ts'
import { readAsMeant, requestRules, rotate, stopErrors, tellUnasked } from './request-rules.ts'
import { SCOPES } from './scopes.ts'
import { registerExchange } from './token-exchange.ts'

/** The gateway, as the authorization server's library uses it. */
export interface ProviderHost extends Kept {
  clock: Clock
  issuer(): string
  connections: Pick<Connections, 'byGrant' | 'unasked' | 'endByGrant'>
  delegation: Pick<Delegation, 'issue'>
  check(token: string, resource: string): Promise<{ connection: string; canSend: boolean } | undefined>
  keys: OauthKeys
  /** The metadata documents of clients. */
  documents: ClientDocuments
  /** The resource of a request that names none. */
  defaultResource(): string
  isResource(resource: string): Promise<boolean>
  isActive(accountId: string): Promise<boolean>
  /** The id is what the log has about it. */
  errorPage(
    title: string,
    text: string,
    id: string | undefined,
  ): { body: string; headers: Record<string, string> }
  /** Returns the id that the log has. */
  onFault(error: unknown): string
}

const MINUTE = 60
const DAY = 24 * 3_600
const NOT_CONNECTED = 'The assistant could not be connected'

/**
 * Configures the authorization server's library: what it offers, and how long its tokens live. Tokens that an exchange gives
 * are those of `Delegation`.
 */
export function openProvider(host: ProviderHost): Provider {
  const { keys, standalone, connections, documents, defaultResource, errorPage, onFault } = host

  /** A connector may introspect the tokens that were issued for its own resource. */
  async function mayInspect(clientId: string, resource: string): Promise<boolean> {
    return (await standalone.find(clientId))?.resource === resource
  }

  const reported = new WeakMap<Error, string>()

  /** The library shows some errors on a page before it tells of them. */
  function report(error: Error): string {
    const id = reported.get(error) ?? onFault(error)
    reported.set(error, id)
    return id
  }

  const configuration: Configuration = {
    adapter: (model) => new StoredModel(model, host),
    jwks: { keys: keys.signing },
    cookies: {
      keys: keys.cookies,
      names: { session: 'wigwag_oauth', interaction: 'wigwag_asked', resume: 'wigwag_resume' },
      long: { signed: true, httpOnly: true, sameSite: 'lax' },
      short: { signed: true, httpOnly: true, sameSite: 'lax' },
    },
    scopes: ['openid', 'offline_access', ...SCOPES],
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    responseTypes: ['code'],
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
    clientDefaults: { id_token_signed_response_alg: 'ES256', application_type: 'native' },
    extraClientMetadata: clientRules,
    extraParams: requestRules,
    pkce: { required: () => true },
    allowOmittingSingleRegisteredRedirectUri: false,
    rotateRefreshToken: (ctx) => rotate(ctx, host.isResource),
    issueRefreshToken: async (_, client) => client.grantTypeAllowed('refresh_token'),
    // A connection does not end with the person's browser session.
    expiresWithSession: async () => false,
    revokeGrantPolicy: () => true,
    clockTolerance: 0,
    ttl: {
      AccessToken: 15 * MINUTE,
      AuthorizationCode: MINUTE,
      RefreshToken: 30 * DAY,
      Grant: 365 * DAY,
      IdToken: 15 * MINUTE,
      Interaction: 30 * MINUTE,
      Session: 30 * MINUTE,
    },
    findAccount: async (_, sub) =>
      (await host.isActive(sub)) ? { accountId: sub, claims: async () => ({ sub }) } : undefined,
    extraTokenClaims: async (_, token) => {
      const grantId = 'grantId' in token ? token.grantId : undefined
      return grantId ? { connection: (await connections.byGrant(grantId))?.id } : undefined
    },
    interactions: { policy: alwaysAsk(host.isActive), url: (_, { uid }) => `/oauth/interaction/${uid}` },
    routes: {
      authorization: '/oauth/authorize',
      token: '/oauth/token',
      registration: '/oauth/register',
      revocation: '/oauth/revoke',
      introspection: '/oauth/introspect',
      jwks: '/oauth/jwks',
    },
    clientBasedCORS: () => true,
    fetch: documents.read,
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      registration: { enabled: true, initialAccessToken: false, issueRegistrationAccessToken: false },
      clientIdMetadataDocument: {
        enabled: true,
        ack: 'draft-02',
        allowFetch: (ctx, clientId) => documents.prepare(ctx, clientId),
      },
      // A client that offers signed requests among other choices may use one of the others here.
      rpMetadataChoices: { enabled: true },
      revocation: {
        enabled: true,
        allowedPolicy: async (_, client, token) => token.clientId === client.clientId,
      },
      introspection: {
        enabled: true,
        allowedPolicy: async (_, client, token) => {
          if (!('accountId' in token) || !(await host.isActive(token.accountId))) return false
          if (token.clientId === client.clientId) return client.tokenEndpointAuthMethod !== 'none'
          return 'aud' in token && typeof token.aud === 'string' && mayInspect(client.clientId, token.aud)
        },
      },
      resourceIndicators: {
        enabled: true,
        async defaultResource(_, __, oneOf) {
          if (oneOf) throw new errors.InvalidTarget('expected one resource, got several')
          return defaultResource()
        },
        useGrantedResource: async () => true,
        async getResourceServerInfo(_, resource) {
          if (!(await host.isResource(resource)))
            throw new errors.InvalidTarget(
              `expected the address of a connector, such as ${defaultResource()}`,
            )
          return {
            scope: SCOPES.join(' '),
            audience: resource,
            accessTokenTTL: 15 * MINUTE,
            accessTokenFormat: 'opaque',
          }
        },
      },
    },
    async renderError(ctx, { error, error_description: description }, cause) {
      const id = error === 'server_error' ? report(cause) : undefined
      const { body, headers } = errorPage(NOT_CONNECTED, describe(error, description), id)
      ctx.set(headers)
      ctx.type = 'html'
      ctx.body = body
    },
  }
  const provider = new Provider(host.issuer(), configuration)
  provider.Client.prototype.compareClientSecret = isSecretOf
  // `answerByLibrary` sets the forwarded headers from the public address, so the library can trust them.
  provider.proxy = true
  registerExchange(provider, host)
  provider.on('server_error', (_, error) => report(error))
  stopErrors(provider, ({ error, error_description: description }) => ({
    title: NOT_CONNECTED,
    text: describe(error, description),
  }))
  provider.use(readAsMeant)
  provider.use(async function tell(ctx: KoaContextWithOIDC, next: () => Promise<void>) {
    await next()
    await tellUnasked(ctx, (connection) => connections.unasked(connection))
  })
  return provider
}

/**
 * Asks a person for every authorization; an earlier one is never enough. One whose account was suspended since starts over.
 */
function alwaysAsk(isActive: ProviderHost['isActive']): interactionPolicy.DefaultPolicy {
  const { base, Check, Prompt } = interactionPolicy
  const policy = base()
  policy.clear()
  policy.add(
    new Prompt(
      { name: 'login', requestable: true },
      new Check('not_signed_in', 'a person has to sign in', async ({ oidc }) => {
        const accountId = oidc.session?.accountId
        return accountId === undefined || !(await isActive(accountId))
      }),
    ),
  )
  policy.add(
    new Prompt(
      { name: 'consent', requestable: true },
      new Check('not_asked', 'a person has to allow it', ({ oidc }) => oidc.result?.consent === undefined),
    ),
  )
  return policy
}

function describe(error: string, description: string | undefined): string {
  if (error === 'server_error') return OUR_FAULT
  if (error === 'temporarily_unavailable') return `This can’t be answered now: ${description}.`
  return `The assistant's request is not valid (${error}${description ? `: ${description}` : ''}).`
}
