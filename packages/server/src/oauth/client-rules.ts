import { type ClientMetadata, type Configuration, errors } from 'oidc-provider'
import { isDocument } from './client-documents.ts'
import { wrongRedirect } from './redirect-rules.ts'

const GRANTS = ['authorization_code', 'refresh_token']
const LONGEST_NAME = 200
const MOST_REDIRECTS = 20
const LARGEST_BYTES = 8 * 1_024

/**
 * What holds for clients that introduce themselves, by registration or by a document. The library asks about one more
 * property of theirs than there is, and with it hands over all of them.
 */
export const clientRules: NonNullable<Configuration['extraClientMetadata']> = {
  properties: ['wigwag'],
  validator(registration: unknown, _, __, metadata) {
    // A scope that a client registers would pin it: it could never ask for another one.
    delete metadata.scope
    delete metadata.wigwag
    // The library would fetch it.
    delete metadata.sector_identifier_uri
    const hasDocument = isDocument(metadata.client_id)
    // What comes from the store was looked at when it came, or is a connector, which only the operator adds.
    if (registration === undefined && !hasDocument) return
    // A document is written for every server there is: what it says of other grants is not meant for this one.
    if (hasDocument && Array.isArray(metadata.grant_types))
      metadata.grant_types = metadata.grant_types.filter((type) => GRANTS.includes(type))
    const wrong = wrongIn(metadata)
    if (wrong !== undefined) throw new errors.InvalidClientMetadata(wrong)
  },
}

function wrongIn(metadata: ClientMetadata): string | undefined {
  const { grant_types: grants = GRANTS, redirect_uris: redirects, client_name: name } = metadata
  if (!Array.isArray(grants) || grants.length === 0 || !grants.every((type) => GRANTS.includes(type)))
    return `grant_types: expected ${GRANTS.join(' or ')}`
  if (!Array.isArray(redirects) || redirects.length === 0 || redirects.length > MOST_REDIRECTS)
    return `redirect_uris: expected 1 to ${MOST_REDIRECTS}`
  const redirect = redirects.map(wrongRedirect).find((found) => found !== undefined)
  if (redirect !== undefined) return `redirect_uris: ${redirect}`
  if (typeof name === 'string' && name.length > LONGEST_NAME)
    return `client_name: expected at most ${LONGEST_NAME} characters`
  if (typeof name === 'string' && name.includes('\0')) return 'client_name: expected no zero character'
  if (JSON.stringify(metadata).length > LARGEST_BYTES)
    return `expected at most ${LARGEST_BYTES} bytes about the client`
  return undefined
}
