import { Hono } from 'hono'
import type Provider from 'oidc-provider'
import type { Clock } from '../../platform/clock.ts'
import { errorPage, type Failures, failurePages } from '../../platform/pages/error.ts'
import { type PageContext, pageReply } from '../../platform/pages/reply.ts'
import { createAddressLimit, createHourlyLimit, type TooMany } from './address-limit.ts'
import { answering, handOver } from './hand-over.ts'
import { type InteractionOptions, mountInteractions } from './interaction.ts'

export interface OauthOptions extends InteractionOptions, Failures {
  provider(): Promise<Provider>
  clock: Clock
}

const FOR_PROGRAMS = [
  '/oauth/token',
  '/oauth/revoke',
  '/oauth/introspect',
  '/oauth/jwks',
  '/.well-known/oauth-authorization-server',
  '/.well-known/openid-configuration',
]
/** Neither needs a sign-in, and each leaves a record: a client for days, an authorization for half an hour. */
const MOST_CLIENTS_AN_HOUR = 20
const MOST_AUTHORIZATIONS_AN_HOUR = 300
/** From all addresses together. A client is at most 8 KiB and unused ones are kept for a day: at most 100 MB. */
const MOST_CLIENTS_IN_ALL = 500

/** Serves the authorization server on the gateway's own port. */
export function mountOauth(app: Hono, options: OauthOptions): void {
  const { provider, publicUrl, clock, addressOf } = options
  const moreClients = createAddressLimit(clock, MOST_CLIENTS_AN_HOUR)
  const moreClientsInAll = createHourlyLimit(clock, MOST_CLIENTS_IN_ALL)
  const moreAuthorizations = createAddressLimit(clock, MOST_AUTHORIZATIONS_AN_HOUR)
  const answer = (c: PageContext) =>
    answering(addressOf(c), async () => handOver(c, await provider(), publicUrl()))

  for (const path of FOR_PROGRAMS) app.all(path, answer)
  app.all('/oauth/register', (c: PageContext) => {
    if (c.req.method !== 'POST') return answer(c)
    const refused = moreClients(addressOf(c))
    if (refused) return tooManyClients(c, 'This address has registered too many clients', refused)
    const full = moreClientsInAll()
    return full ? tooManyClients(c, 'Too many clients were registered here', full) : answer(c)
  })

  const people = new Hono()
  people.all('/oauth/authorize', (c: PageContext) => {
    const refused = moreAuthorizations(addressOf(c))
    return refused ? tooManyPage(refused) : answer(c)
  })
  people.all('/oauth/authorize/:uid', answer)
  mountInteractions(people, options)
  people.onError(failurePages(options))
  app.route('/', people)
}

function tooManyClients(c: PageContext, why: string, { retryAfter }: TooMany): Response {
  const error = { error: 'temporarily_unavailable', error_description: `${why}; try again later.` }
  return c.json(error, 429, { 'retry-after': String(retryAfter), 'cache-control': 'no-store' })
}

/** A page rather than JSON: an assistant sent a person's browser here. */
function tooManyPage({ retryAfter }: TooMany): Response {
  const text =
    'There were too many attempts to connect an assistant from your network. Please try again later.'
  const page = errorPage({ title: 'The assistant could not be connected', text })
  return pageReply(page, { status: 429, headers: { 'retry-after': String(retryAfter) } })
}
