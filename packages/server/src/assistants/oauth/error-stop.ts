import type { errors, KoaContextWithOIDC, Provider } from 'oidc-provider'
import { PAGE_HEADERS } from '../../platform/pages/reply.ts'
import { refusedPage } from '../consent/leaving.ts'

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
