import { errors, type KoaContextWithOIDC } from 'oidc-provider'

/**
 * Every refresh gives a new refresh token. The library uses the old one up before it looks at the resource, so it is
 * looked at here: a mistake must not cost the token, which would end the grant when it is shown again.
 */
export function createRotation(
  isResource: (resource: string) => Promise<boolean>,
): (ctx: KoaContextWithOIDC) => Promise<true> {
  return async function rotate({ oidc }) {
    const token = oidc.entities.RefreshToken
    const wanted = [oidc.params?.resource || (token?.resource ?? [])].flat().map(String)
    if (wanted.length > 1) throw new errors.InvalidTarget('expected one resource, got several')
    for (const resource of wanted) {
      if (!token?.resourceIndicators.has(resource) || !(await isResource(resource)))
        throw new errors.InvalidTarget('expected the resource that was allowed, which is still served')
    }
    return true
  }
}
