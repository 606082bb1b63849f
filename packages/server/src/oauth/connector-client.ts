import type { AdapterPayload } from 'oidc-provider'
import type { Connector } from '../gateway/connectors.ts'
import { withDigest } from './client-secret.ts'
import { TOKEN_EXCHANGE } from './scopes.ts'

/** A connector that runs apart, as a client of the authorization server: it trades tokens and nothing else. */
export function connectorClient({ id, secret, resource }: Connector): AdapterPayload {
  return withDigest({
    client_id: id,
    client_secret: secret,
    client_name: `the connector at ${resource}`,
    token_endpoint_auth_method: 'client_secret_basic',
    grant_types: [TOKEN_EXCHANGE],
    response_types: [],
    redirect_uris: [],
  })
}
