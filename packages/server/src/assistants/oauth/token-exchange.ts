import { errors, type Provider } from 'oidc-provider'
import type { Clock } from '../../kernel/process/clock.ts'
import type { Delegation } from '../delegation.ts'
import type { StandaloneConnectors } from '../standalone.ts'
import { ACCESS_TOKEN, READ, SEND, TOKEN_EXCHANGE } from './scopes.ts'

const PARAMETERS = [
  'subject_token',
  'subject_token_type',
  'actor_token',
  'requested_token_type',
  'resource',
  'audience',
  'scope',
] as const
type Parameters = Partial<Record<(typeof PARAMETERS)[number], string>>

/**
 * Token exchange (RFC 8693): a standalone connector shows an assistant's token, issued for its own resource, and gets
 * one for the REST API under the assistant's connection.
 */
export function registerExchange(
  provider: Provider,
  own: {
    clock: Clock
    standalone: Pick<StandaloneConnectors, 'find'>
    delegation: Pick<Delegation, 'issue'>
    check(token: string, resource: string): Promise<{ connection: string; canSend: boolean } | undefined>
    /** Our issuer URL, which is also the resource name of the REST API. */
    issuer(): string
  },
): void {
  const { standalone, delegation, check, issuer, clock } = own
  provider.registerGrantType<Parameters>(
    TOKEN_EXCHANGE,
    async (ctx) => {
      const { client, params } = ctx.oidc
      const connector = await standalone.find(client.clientId)
      if (!connector)
        throw new errors.UnauthorizedClient('only a connector that the operator added may exchange tokens')
      const token = readSubject(params)
      const api = issuer()
      for (const wanted of [params.resource, params.audience]) {
        if (wanted !== undefined && wanted !== api)
          throw new errors.InvalidTarget(`expected the resource ${api}`)
      }
      const assistant = await check(token, connector.resource)
      if (!assistant) {
        throw new errors.InvalidRequest(
          'the subject_token is not valid here: unknown, ended, or made for another resource',
        )
      }
      const canSend = assistant.canSend && wants(SEND, params.scope)
      const { accessToken, expiresAt } = await delegation.issue(assistant.connection, canSend)
      ctx.body = {
        access_token: accessToken,
        issued_token_type: ACCESS_TOKEN,
        token_type: 'Bearer',
        expires_in: Math.max(0, Math.floor((expiresAt - clock.now()) / 1_000)),
        scope: canSend ? `${READ} ${SEND}` : READ,
      }
    },
    PARAMETERS,
  )
}

function readSubject({
  subject_token,
  subject_token_type,
  actor_token,
  requested_token_type,
}: Parameters): string {
  if (!subject_token) throw new errors.InvalidRequest('expected subject_token, the token of the assistant')
  if (subject_token_type !== ACCESS_TOKEN)
    throw new errors.InvalidRequest(`expected subject_token_type ${ACCESS_TOKEN}`)
  if (actor_token !== undefined) throw new errors.InvalidRequest('expected no actor_token')
  if (requested_token_type !== undefined && requested_token_type !== ACCESS_TOKEN)
    throw new errors.InvalidRequest(`expected requested_token_type ${ACCESS_TOKEN}, or none`)
  return subject_token
}

/** Without a scope, everything that the subject token has is wanted. */
function wants(scope: string, requested: string | undefined): boolean {
  return requested === undefined || requested.split(' ').includes(scope)
}
