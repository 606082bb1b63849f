import type { Client } from '@wigwag/sdk'
import { systemNow } from '../clock.ts'
import { createAsking } from '../confirm/index.ts'
import { type AuditLine, createGate, type Journal } from '../gate/index.ts'
import type { Identity } from '../tools/index.ts'
import { challenge, problem, toWeb } from '../transports/index.ts'
import { createDelegatedClients, type DelegatedAccess } from './delegated-clients.ts'
import { type Assistant, isToken, SignInUnavailable, TokenEnded, type TokenService } from './token-service.ts'

export interface BearerIdentifyOptions<Caller extends Assistant = Assistant> {
  tokens: TokenService<Caller>
  /** The address of the tools, for which tokens are issued: `https://sms.example.com/mcp`. */
  resource(): string
  /** The page that lists a person's connections: `https://sms.example.com/connections`. */
  portal(): string
  /** Creates the client of the REST API for one connection: the SDK's `createClient` with these credentials and hooks. */
  createClient(access: DelegatedAccess): Client
  /** Records what a connection sends, so that duplicates are refused. Its daily limits are kept by the gateway. */
  journalOf(caller: Caller): Journal
  /** Seals questions to people. The same in every process that serves the resource. */
  stateKey: string
  /** Stores the audit line of a call that writes. It must not throw. */
  audit?(line: AuditLine, caller: Caller): void
  now?: () => number
  /** Ends the 401 of a request without a token, behind `Expected an access token`: how else it may say who calls. */
  otherwise?: string
  /** Receives, for the operator, the reason why a token could not be checked. */
  onUnavailable?(error: SignInUnavailable): void
}

/** The part of a request that identifies its caller. */
interface Incoming {
  headers: { get(name: string): string | null }
}

/**
 * Identifies the caller by the bearer token in the Authorization header; a token anywhere else is ignored. Every request
 * is verified, so that a revoked connection or a suspended account is refused from its next call on.
 */
export function createBearerIdentify<Caller extends Assistant>(
  options: BearerIdentifyOptions<Caller>,
): (request: Incoming) => Promise<Identity | Response> {
  const { tokens, resource, portal, createClient, journalOf, audit = () => {}, now = systemNow } = options
  const { stateKey, otherwise = '', onUnavailable = () => {} } = options
  const clientFor = createDelegatedClients({ tokens, createClient, now })

  function identityOf(caller: Caller, client: Client): Identity {
    const connection = `connection:${caller.connection}`
    const gate = createGate({
      connection,
      journal: journalOf(caller),
      audit: (line) => audit(line, caller),
      now,
    })
    const { canSend, unasked } = caller
    const asking = createAsking({ connection, key: stateKey, unasked, now })
    return { connection, client, gate, canSend, asking, portal: portal(), resource: resource() }
  }

  function unauthorized(error?: 'invalid_token'): Response {
    const detail = error
      ? 'The access token is not valid here, or no longer valid.'
      : `Expected an access token${otherwise}.`
    return toWeb(problem(401, detail, { 'www-authenticate': challenge(resource(), error) }))
  }

  return async function identify({ headers }) {
    const token = bearerOf(headers.get('authorization'))
    if (token === undefined) return unauthorized()
    if (!isToken(token)) return unauthorized('invalid_token')
    try {
      const caller = await tokens.verify(token)
      return caller ? identityOf(caller, await clientFor(token, caller)) : unauthorized('invalid_token')
    } catch (error) {
      if (error instanceof TokenEnded) return unauthorized('invalid_token')
      if (!(error instanceof SignInUnavailable)) throw error
      onUnavailable(error)
      return toWeb(unavailable(error))
    }
  }
}

function unavailable({ retryAfter }: SignInUnavailable) {
  const detail =
    'The access token could not be checked with the gateway. It may be valid; try again in a moment.'
  return problem(503, detail, { 'retry-after': String(retryAfter) }, -32_603)
}

/** The token in the header; undefined when there is none. */
function bearerOf(authorization: string | null): string | undefined {
  return /^bearer +(.*)$/i.exec(authorization ?? '')?.[1]
}
