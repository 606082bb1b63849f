import { type Configuration, errors, type KoaContextWithOIDC } from 'oidc-provider'
import { opensSomething, READ, SCOPES, SEND } from './scopes.ts'

/** What is asked of a request for an authorization besides what the library asks. */
export const requestRules: NonNullable<Configuration['extraParams']> = {
  resource(_, resource) {
    // A person allows the use of one address: a token for a second one would be for what nobody was asked about.
    if (Array.isArray(resource)) throw new errors.InvalidTarget('expected one resource, got several')
  },
  scope(_, scope = '') {
    if (!opensSomething(new Set(scope.split(' '))))
      throw new errors.InvalidScope(`expected ${SCOPES.join(' or ')} among the scopes`, scope)
  },
}

const AUTHORIZE = '/oauth/authorize'
const WELL_KNOWN = /^\/\.well-known\//
/** No mode is called so: the library says to the assistant that it knows none like it. */
const UNKNOWN_MODE = 'unknown'

/**
 * Reads requests as we mean them, before the library does: no scope is every scope, and an answer goes to an assistant by
 * a redirect with a query only. The library's other ways are a page with a script, and what servers don't see.
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
