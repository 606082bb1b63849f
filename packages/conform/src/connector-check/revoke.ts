import type { SignInPlace } from './discover.ts'
import { fail, ok, type Verdict, warn } from './finding.ts'
import type { Connection } from './sign-in.ts'
import { unexpected, type Visit } from './visit.ts'

const LEFT = 'so the connection is left: end it on the page that lists connections'

/** Ends the connection that the check made (RFC 7009). */
export async function revoke(
  { metadata }: SignInPlace,
  { client, tokens }: Connection,
  visit: Visit,
): Promise<Verdict> {
  const place = metadata.revocation_endpoint
  if (place === undefined) return warn(`the server offers no revocation, ${LEFT}`)
  const { refresh_token: refresh, access_token: access } = tokens
  const form = {
    client_id: client.client_id,
    ...(client.client_secret !== undefined && { client_secret: client.client_secret }),
    token: refresh ?? access,
    token_type_hint: refresh === undefined ? 'access_token' : 'refresh_token',
  }
  try {
    const visited = await visit(place, { method: 'POST', body: new URLSearchParams(form) })
    if (visited.status !== 200) throw unexpected(visited, '200')
    return ok('the connection that was made for this check is ended')
  } catch (error) {
    return fail(`${error instanceof Error ? error.message : String(error)}, ${LEFT}`)
  }
}
