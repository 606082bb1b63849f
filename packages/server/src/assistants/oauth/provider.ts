import { type Configuration, errors, interactionPolicy, Provider } from 'oidc-provider'
import { OUR_FAULT } from '../../platform/pages/error.ts'
import { type AdapterOptions, createAdapter } from './adapter.ts'
import type { ClientDocuments } from './client-documents.ts'
import { clientRules, isSecretOf } from './client-rules.ts'
import { stopErrors } from './error-stop.ts'
import { type ExchangeOptions, registerExchange } from './exchange.ts'
import type { OauthKeys } from './keys.ts'
import { createRotation, createTellUnasked, readAsMeant, requestRules } from './request-rules.ts'
import { SCOPES } from './scopes.ts'

export interface ProviderOptions extends AdapterOptions, ExchangeOptions {
  issuer(): string
  keys: OauthKeys
  /** The metadata documents of clients. */
  documents: ClientDocuments
  /** The resource of a request that names none. */
  defaultResource(): string
  isResource(resource: string): Promise<boolean>
  isActive(accountId: string): Promise<boolean>
  connectionOf(grantId: string): Promise<string | undefined>
  /** What a connection does when its person can't be asked. */
  unaskedOf(connection: string): Promise<string | undefined>
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

/** Configures the authorization server's library. All choices about tokens are made here. */
export function createProvider(options: ProviderOptions): Provider {
  const { keys, standalone, documents, defaultResource, errorPage, onFault } = options

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
    adapter: (model) => createAdapter(model, options),
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
    rotateRefreshToken: createRotation(options.isResource),
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
      (await options.isActive(sub)) ? { accountId: sub, claims: async () => ({ sub }) } : undefined,
    extraTokenClaims: async (_, token) => {
      const grantId = 'grantId' in token ? token.grantId : undefined
      return grantId ? { connection: await options.connectionOf(grantId) } : undefined
    },
    interactions: { policy: alwaysAsk(options.isActive), url: (_, { uid }) => `/oauth/interaction/${uid}` },
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
      clientIdMetadataDocument: { enabled: true, ack: 'draft-02', allowFetch: documents.prepare },
      // A client that offers signed requests among other choices may use one of the others here.
      rpMetadataChoices: { enabled: true },
      revocation: {
        enabled: true,
        allowedPolicy: async (_, client, token) => token.clientId === client.clientId,
      },
      introspection: {
        enabled: true,
        allowedPolicy: async (_, client, token) => {
          if (!('accountId' in token) || !(await options.isActive(token.accountId))) return false
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
          if (!(await options.isResource(resource)))
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
  const provider = new Provider(options.issuer(), configuration)
  provider.Client.prototype.compareClientSecret = isSecretOf
  // `handOver` sets the forwarded headers from the public address, so the library can trust them.
  provider.proxy = true
  registerExchange(provider, options)
  provider.on('server_error', (_, error) => report(error))
  stopErrors(provider, ({ error, error_description: description }) => ({
    title: NOT_CONNECTED,
    text: describe(error, description),
  }))
  provider.use(readAsMeant)
  provider.use(createTellUnasked(options.unaskedOf))
  return provider
}

/**
 * Asks a person for every authorization; an earlier one is never enough. A person who was suspended since starts over.
 */
function alwaysAsk(isActive: ProviderOptions['isActive']): interactionPolicy.DefaultPolicy {
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
