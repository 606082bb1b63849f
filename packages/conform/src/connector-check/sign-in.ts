import { randomBytes } from 'node:crypto'
import {
  exchangeAuthorization,
  registerClient,
  startAuthorization,
} from '@modelcontextprotocol/sdk/client/auth.js'
import type { OAuthClientInformationFull, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js'
import { isWebUrl, span } from '@wigwag/contract'
import type { SignInPlace } from './discover.ts'
import { excerpt } from './excerpt.ts'
import { type Loopback, openLoopback } from './loopback.ts'
import { CLIENT } from './newest.ts'
import type { Progress } from './progress.ts'
import { createWatch, type Visit, type Watch, Wrong } from './visit.ts'

export interface SignInOptions {
  visit: Visit
  /** Makes a request to its end even when the person stops the check. */
  visitToTheEnd: Visit
  progress: Progress
  /** Shows the address to the person. */
  invite(url: string): void
  timeoutMs: number
  stopped: AbortSignal
}

export interface Connection {
  client: OAuthClientInformationFull
  tokens: OAuthTokens
}

/** Signs in through the person's browser. Undefined when something is wrong. */
export async function signIn(place: SignInPlace, options: SignInOptions): Promise<Connection | undefined> {
  const loopback = await openLoopback()
  try {
    return await signInBy(loopback, place, options)
  } finally {
    loopback.close()
  }
}

async function signInBy(
  loopback: Loopback,
  place: SignInPlace,
  options: SignInOptions,
): Promise<Connection | undefined> {
  const { visit, visitToTheEnd, progress } = options
  const { redirectUri } = loopback
  const client = await progress.attempt('registration', () => register(visit, place, redirectUri))
  if (!client) return undefined
  const asked = await progress.attempt('sign-in', async () => {
    const { metadata, issuer, resource, scope } = place
    const state = randomBytes(16).toString('base64url')
    const { authorizationUrl, codeVerifier } = await startAuthorization(issuer, {
      metadata,
      clientInformation: client,
      redirectUrl: redirectUri,
      state,
      resource: new URL(resource),
      ...(scope !== undefined && { scope }),
    })
    if (!isWebUrl(authorizationUrl.href))
      throw new Wrong(
        `expected an authorization_endpoint over http(s); got ${excerpt(authorizationUrl.href)}`,
      )
    options.invite(authorizationUrl.href)
    const code = readAnswer(await waitFor(loopback, options), { issuer, state })
    return {
      detail: `the person agreed; the answer is from ${excerpt(issuer, 300)}`,
      value: { code, codeVerifier },
    }
  })
  if (!asked) return undefined
  const tokens = await progress.attempt('token', () =>
    exchange(visitToTheEnd, place, { client, redirectUri, ...asked }),
  )
  return tokens && { client, tokens }
}

async function register(visit: Visit, { issuer, metadata }: SignInPlace, redirectUri: string) {
  if (metadata.registration_endpoint === undefined) {
    throw new Wrong(
      'this server knows clients by their metadata documents only, and this program has none; ' +
        'set WIGWAG_CONNECTOR_TOKEN to a token from another client to check the rest',
    )
  }
  const clientMetadata = {
    client_name: CLIENT.name,
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  }
  const client = await byLibrary(visit, '201 with a client_id', (fetchFn) =>
    registerClient(issuer, { metadata, clientMetadata, fetchFn }),
  )
  return { detail: `registered as ${excerpt(client.client_id)}`, value: client }
}

async function waitFor(
  { answer, redirectUri }: Loopback,
  { timeoutMs, stopped }: SignInOptions,
): Promise<URLSearchParams> {
  const { promise: ended, reject } = Promise.withResolvers<never>()
  const tooLong = () =>
    reject(
      new Wrong(
        `no answer came to ${redirectUri} within ${span(timeoutMs)}: the page was not opened, was closed, or is in a ` +
          'browser on another machine',
      ),
    )
  const timer = setTimeout(tooLong, timeoutMs)
  const stop = () => reject(stopped.reason)
  stopped.addEventListener('abort', stop)
  if (stopped.aborted) stop()
  try {
    return await Promise.race([answer, ended])
  } finally {
    clearTimeout(timer)
    stopped.removeEventListener('abort', stop)
  }
}

const UNUSED = 'Its code was not used'

/** The code in the answer that the browser brought, once it is sure who gave it (RFC 9207) and that it was asked for. */
function readAnswer(answer: URLSearchParams, { issuer, state }: { issuer: string; state: string }): string {
  const iss = answer.get('iss')
  if (iss === null)
    throw new Wrong(`the answer does not say who gave it: expected iss=${issuer}; got no iss. ${UNUSED}`)
  if (iss !== issuer) {
    const got = excerpt(iss, 300)
    throw new Wrong(`the answer is from another server: expected iss=${issuer}; got ${got}. ${UNUSED}`)
  }
  if (answer.get('state') !== state)
    throw new Wrong(`the answer is not to this request: its state is another one. ${UNUSED}`)
  const error = answer.get('error')
  if (error === 'access_denied') throw new Wrong('the person did not allow it')
  if (error !== null) {
    const said = excerpt([error, answer.get('error_description')].filter(Boolean).join(': '))
    throw new Wrong(`the server did not let the person decide: ${said}`)
  }
  const code = answer.get('code')
  if (code === null || code === '') throw new Wrong('the answer has neither a code nor an error')
  return code
}

interface Exchanged {
  client: OAuthClientInformationFull
  redirectUri: string
  code: string
  codeVerifier: string
}

async function exchange(
  visit: Visit,
  place: SignInPlace,
  { client, redirectUri, code, codeVerifier }: Exchanged,
) {
  const { issuer, metadata, resource } = place
  const tokens = await byLibrary(visit, '200 with an access_token', (fetchFn) =>
    exchangeAuthorization(issuer, {
      metadata,
      clientInformation: client,
      authorizationCode: code,
      codeVerifier,
      redirectUri,
      resource: new URL(resource),
      fetchFn,
    }),
  )
  const { scope, expires_in: seconds } = tokens
  const lasting = seconds === undefined ? 'for a time that is not said' : `for ${span(seconds * 1_000)}`
  return {
    detail: `valid ${lasting}${scope === undefined ? '' : `, for ${excerpt(scope)}`}`,
    value: tokens,
  }
}

/** Runs a request of the library. */
async function byLibrary<T>(
  visit: Visit,
  expected: string,
  work: (fetchFn: Watch['fetch']) => Promise<T>,
): Promise<T> {
  const watch = createWatch(visit)
  try {
    return await work(watch.fetch)
  } catch (error) {
    throw watch.explain(error, expected)
  }
}
