import type { Client } from '@wigwag/sdk'
import type { AuditLine } from './audit.ts'
import { systemNow } from './clock.ts'
import { createDelegatedClients, type DelegatedAccess } from './delegated-clients.ts'
import { createGate } from './gate.ts'
import { problem } from './http-message.ts'
import type { Identity } from './identity.ts'
import type { Journal } from './journal.ts'
import { challenge } from './protected-resource.ts'
import { type Assistant, isToken, SignInUnavailable, TokenEnded, type TokenService } from './sign-in.ts'
import { toWeb } from './web-message.ts'

export interface BearerIdentifyOptions<Caller extends Assistant = Assistant> {
  tokens: TokenService<Caller>
  /** The address of the tools, which tokens are made for: `https://sms.example.com/mcp`. */
  resource(): string
  /** The page where people see their connections: `https://sms.example.com/connections`. */
  portal(): string
  /** The gateway's REST API for one connection: the SDK's `createClient`, with these credentials and hooks. */
  createClient(access: DelegatedAccess): Client
  /** Remembers what a connection sent, for the refusal of the same message again. Its daily limits are the gateway's. */
  journalOf(caller: Caller): Journal
  /** Keeps the line of every call of a tool that writes. It must not throw. */
  audit?(line: AuditLine, caller: Caller): void
  now?: () => number
  /** Told, for the operator, why a call could not be let in nor turned away. */
  onUnavailable?(error: SignInUnavailable): void
}

/** The request, as far as it matters for who calls. */
interface Incoming {
  headers: { get(name: string): string | null }
}

/**
 * Says who calls by the bearer token in the Authorization header, and nowhere else. Every request is verified, so that a
 * connection that was revoked, or whose account was suspended, has no next call.
 */
export function createBearerIdentify<Caller extends Assistant>(
  options: BearerIdentifyOptions<Caller>,
): (request: Incoming) => Promise<Identity | Response> {
  const { tokens, resource, portal, createClient, journalOf, audit = () => {}, now = systemNow } = options
  const { onUnavailable = () => {} } = options
  const clientFor = createDelegatedClients({ tokens, createClient, now })

  function identityOf(caller: Caller, client: Client): Identity {
    const connection = `connection:${caller.connection}`
    const gate = createGate({
      connection,
      journal: journalOf(caller),
      audit: (line) => audit(line, caller),
      now,
    })
    return { connection, client, gate, canSend: caller.canSend, portal: portal(), resource: resource() }
  }

  function turnAway(error?: 'invalid_token'): Response {
    const said = error ? 'The access token is not valid here, or not any more.' : 'Expected an access token.'
    return toWeb(problem(401, said, { 'www-authenticate': challenge(resource(), error) }))
  }

  return async function identify({ headers }) {
    const token = bearerOf(headers.get('authorization'))
    if (token === undefined) return turnAway()
    // Nobody is asked about what can't be a token.
    if (!isToken(token)) return turnAway('invalid_token')
    try {
      const caller = await tokens.verify(token)
      return caller ? identityOf(caller, await clientFor(token, caller)) : turnAway('invalid_token')
    } catch (error) {
      if (error instanceof TokenEnded) return turnAway('invalid_token')
      if (!(error instanceof SignInUnavailable)) throw error
      onUnavailable(error)
      return toWeb(unavailable(error))
    }
  }
}

function unavailable({ retryAfter }: SignInUnavailable) {
  const said =
    'The gateway can not be asked about the access token now. It may well be good; try again in a moment.'
  return problem(503, said, { 'retry-after': String(retryAfter) }, -32_603)
}

/** What is given as a token; undefined when none is. */
function bearerOf(authorization: string | null): string | undefined {
  return /^bearer +(.*)$/i.exec(authorization ?? '')?.[1]
}
