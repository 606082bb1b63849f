import { type Configuration, errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider'
import { PAGE_HEADERS } from '../../net/pages/reply.ts'
import { refusedPage } from '../consent/leaving.tsx'
import { opensSomething, READ, SCOPES, SEND } from './scopes.ts'

/** Checks of an authorization request beyond the library's. */
export const requestRules: NonNullable<Configuration['extraParams']> = {
  resource(_, resource) {
    // A person allows the use of one resource: they were not asked about a second one.
    if (Array.isArray(resource)) throw new errors.InvalidTarget('expected one resource, got several')
  },
  scope(_, scope = '') {
    if (!opensSomething(new Set(scope.split(' '))))
      throw new errors.InvalidScope(`expected ${SCOPES.join(' or ')} among the scopes`, scope)
  },
}

const AUTHORIZE = '/oauth/authorize'
const WELL_KNOWN = /^\/\.well-known\//
/** No such mode exists, so the library answers the assistant that the mode is not supported. */
const UNKNOWN_MODE = 'unknown'

/**
 * Rewrites requests before the library reads them. No scope means every scope, and the only response mode is `query`:
 * the library's others are a page with a script, and a fragment, which servers don't see.
 */
export async function readAsMeant(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  if (ctx.path === AUTHORIZE) {
    const { scope, response_mode: mode } = ctx.query
    const meant = {
      ...(scope ? {} : { scope: `${READ} ${SEND}` }),
      ...(typeof mode === 'string' && mode !== 'query' ? { response_mode: UNKNOWN_MODE } : {}),
    }
    if (Object.keys(meant).length > 0) ctx.query = { ...ctx.query, ...meant }
  }
  await next()
  if (WELL_KNOWN.test(ctx.path) && typeof ctx.body === 'object')
    Object.assign(ctx.body ?? {}, { response_modes_supported: ['query'] })
}

/**
 * Every refresh gives a new refresh token. The library consumes the old one before it checks the resource, so that is
 * checked here: a mistake must not consume the token, because using it again would then end the grant.
 */
export async function rotate(
  { oidc }: KoaContextWithOIDC,
  isResource: (resource: string) => Promise<boolean>,
): Promise<true> {
  const token = oidc.entities.RefreshToken
  const wanted = [oidc.params?.resource || (token?.resource ?? [])].flat().map(String)
  if (wanted.length > 1) throw new errors.InvalidTarget('expected one resource, got several')
  for (const resource of wanted) {
    if (!token?.resourceIndicators.has(resource) || !(await isResource(resource)))
      throw new errors.InvalidTarget('expected the resource that was allowed, if it is still served')
  }
  return true
}

/**
 * Adds to what a connector is told of a token what its connection does when the person can't be asked. Claims are stored
 * with a token; this one may change while it lives.
 */
export async function tellUnasked(
  ctx: KoaContextWithOIDC,
  unaskedOf: (connection: string) => Promise<string | undefined>,
): Promise<void> {
  const body: unknown = ctx.body
  if (ctx.oidc?.route !== 'introspection' || typeof body !== 'object' || body === null) return
  if (!('connection' in body) || typeof body.connection !== 'string') return
  Object.assign(body, { unasked: await unaskedOf(body.connection) })
}

/**
 * Keeps errors from redirecting a browser (RFC 9700 §4.11.2). Clients register themselves, so their redirect URIs can't
 * be trusted: an error is shown on our page, and the browser goes to the client only when the person clicks.
 */
export function stopErrors(
  provider: Provider,
  describe: (error: errors.OIDCProviderError) => { title: string; text: string },
): void {
  const failures = new WeakMap<KoaContextWithOIDC, errors.OIDCProviderError>()
  provider.on('authorization.error', (ctx, error) => failures.set(ctx, error))

  provider.use(async function stop(ctx: KoaContextWithOIDC, next: () => Promise<void>) {
    await next()
    const error = failures.get(ctx)
    const to = ctx.response.get('location')
    if (!error || !to || isRefusal(ctx, error)) return
    ctx.remove('location')
    // Some errors have the status of a redirect.
    ctx.status = 400
    ctx.set(PAGE_HEADERS)
    ctx.type = 'html'
    ctx.body = refusedPage({ ...describe(error), to })
  })
}

/** The person has just clicked Deny on a page that showed where the answer goes. */
function isRefusal({ oidc }: KoaContextWithOIDC, { error }: errors.OIDCProviderError): boolean {
  return error === 'access_denied' && oidc.entities.Interaction?.result?.error === error
}
