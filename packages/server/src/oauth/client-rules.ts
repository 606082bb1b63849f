import { type Configuration, errors } from 'oidc-provider'

const GRANTS = ['authorization_code', 'refresh_token']
const LONGEST_NAME = 200
const MOST_REDIRECTS = 20

/**
 * What holds for clients that introduce themselves, by registration or by a document. The library asks about one more
 * property of theirs than there is, and with it hands over all of them.
 */
export const clientRules: NonNullable<Configuration['extraClientMetadata']> = {
  properties: ['wigwag'],
  validator(_, __, ___, metadata) {
    // A scope that a client registers would pin it: it could never ask for another one.
    delete metadata.scope
    delete metadata.wigwag
    if (metadata.redirect_uris?.length === 0) return
    const other = metadata.grant_types?.find((type) => !GRANTS.includes(type))
    if (other !== undefined)
      throw new errors.InvalidClientMetadata(`grant_types: expected ${GRANTS.join(' or ')}, got ${other}`)
    if ((metadata.client_name?.length ?? 0) > LONGEST_NAME)
      throw new errors.InvalidClientMetadata(`client_name: expected at most ${LONGEST_NAME} characters`)
    if ((metadata.redirect_uris?.length ?? 0) > MOST_REDIRECTS)
      throw new errors.InvalidClientMetadata(`redirect_uris: expected at most ${MOST_REDIRECTS}`)
  },
}
