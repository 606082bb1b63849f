import type { paths } from '@wigwag/contract/openapi'
import openapiFetch, { type Client } from 'openapi-fetch'
import type { FetchResponse } from './fetch.ts'
import { type ClientOptions, placeOf } from './options.ts'

/**
 * The typed HTTP client of every path, with the credentials set. It neither retries nor throws.
 * @example
 * import { createRawClient, type RawClient } from '@wigwag/sdk/raw'
 * const raw: RawClient = createRawClient({ baseUrl: 'http://127.0.0.1:8080', accessToken: 'token' })
 */
export type RawClient = Client<paths>

/**
 * Creates an openapi-fetch client, for what has no method in the client.
 * @example
 * import { createRawClient } from '@wigwag/sdk/raw'
 * const raw = createRawClient({ baseUrl: 'http://127.0.0.1:8080', accessToken: 'token' })
 * const { data, error } = await raw.GET('/v1/account/balance')
 */
export function createRawClient(options: ClientOptions = {}): RawClient {
  // In CommonJS, Node's interop gives the whole module as the default import.
  const create = 'default' in openapiFetch ? (openapiFetch.default as typeof openapiFetch) : openapiFetch
  const { fetch: given } = options
  return create<paths>({
    ...placeOf(options)(),
    redirect: 'manual',
    ...(given && { fetch: (request: Request) => fetchBy(given, request) }),
  })
}

/** Hands a `Request` to a function that takes its parts. */
async function fetchBy(given: NonNullable<ClientOptions['fetch']>, request: Request): Promise<Response> {
  const { url, method, headers, signal } = request
  const body = await request.text()
  const init = { method, headers: Object.fromEntries(headers), redirect: 'manual' as const, signal }
  return wholeOf(await given(url, body ? { ...init, body } : init))
}

/** The statuses that a `Response` with a body can't have. */
const bodiless = [204, 205, 304]

/** openapi-fetch reads more of a response than the client does. */
async function wholeOf(answer: FetchResponse): Promise<Response> {
  if (answer instanceof Response) return answer
  const { status, statusText } = answer
  const headers = new Headers()
  answer.headers.forEach((value, name) => {
    headers.append(name, value)
  })
  return new Response(bodiless.includes(status) ? null : await answer.text(), { status, statusText, headers })
}
