import { Problem } from '../domain/errors.ts'
import type { Scope } from './principal.ts'

/** The challenges are those of RFC 6750. */
export function invalidToken(): Problem {
  return new Problem(
    'invalid_credentials',
    'Expected an access token that is valid; this one is unknown, has expired or was revoked. Get a new one.',
    { headers: { 'www-authenticate': 'Bearer error="invalid_token"' } },
  )
}

export function insufficientScope(scope: Scope): Problem {
  return new Problem(
    'insufficient_scope',
    `This needs the scope ${scope}, which the person who made the connection did not allow it.`,
    { headers: { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"` } },
  )
}
