import * as z from 'zod'
import { readText, wellKnown } from '../transports/index.ts'
import { SignInUnavailable } from './token-service.ts'

export interface AuthorizationServerOptions {
  /** Its name, which is also its address: `https://sms.example.com`. */
  issuer: string
  /** The connector's own credentials. */
  clientId: string
  clientSecret: string
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
  /** Ends a request that takes too long; by default, one of five seconds. */
  timeLimit?: (() => AbortSignal) | undefined
}

export type Endpoint = 'token_endpoint' | 'introspection_endpoint'

/** An answer of the OAuth protocol: a 200, or an error with its code in the body. */
export interface Answer {
  status: 200 | 400 | 401
  body: Readonly<Record<string, unknown>>
}

/** A client of an authorization server. Any answer outside the protocol rejects with {@link SignInUnavailable}. */
export interface AuthorizationServer {
  post(endpoint: Endpoint, form: Readonly<Record<string, string>>): Promise<Answer>
}

/** In bytes. Real answers are far smaller. */
const LARGEST_ANSWER = 65_536
/** In seconds. */
const LONGEST_PAUSE = 60
const JSON_TYPE = 'application/json'

const metadataSchema = z.object({
  issuer: z.string(),
  token_endpoint: z.url(),
  introspection_endpoint: z.url(),
})
type Metadata = z.infer<typeof metadataSchema>

/** Finds the endpoints in the metadata of the issuer (RFC 8414), and keeps them until a request fails. */
export function createAuthorizationServer(options: AuthorizationServerOptions): AuthorizationServer {
  const { issuer, clientId, clientSecret, fetch: send = fetch, timeLimit = fiveSeconds } = options
  const authorization = `Basic ${Buffer.from(`${encoded(clientId)}:${encoded(clientSecret)}`).toString('base64')}`
  let discovered: Promise<Metadata> | undefined

  /** Follows no redirect, so that the credentials reach no other address. */
  async function exchange(url: string, init: RequestInit) {
    try {
      const response = await send(url, { ...init, redirect: 'manual', signal: timeLimit() })
      const { status, headers } = response
      return {
        status,
        retryAfter: headers.get('retry-after'),
        body: parse(await readText(response, LARGEST_ANSWER)),
      }
    } catch (error) {
      throw new SignInUnavailable(`${url} can't be reached: ${reasonOf(error)}`, { cause: error })
    }
  }

  async function ask(url: string, init: RequestInit): Promise<Answer> {
    const { status, retryAfter, body } = await exchange(url, init)
    if (status === 429 || status >= 500) {
      throw new SignInUnavailable(`${url} answered ${status}`, { retryAfter: pauseOf(retryAfter) })
    }
    if ((status === 200 || status === 400 || status === 401) && body) return { status, body }
    const what = `${status} ${body ? 'with' : 'without'} a JSON object`
    throw wrong(`${url} does not answer as a gateway does: ${what}. Check WIGWAG_BASE_URL.`)
  }

  async function discover(): Promise<Metadata> {
    const url = wellKnown('oauth-authorization-server', issuer)
    const { body } = await ask(url, { headers: { accept: JSON_TYPE } })
    const { data } = metadataSchema.safeParse(body)
    if (!data) throw wrong(`${url} does not say where tokens are exchanged and introspected.`)
    if (data.issuer !== issuer) {
      throw wrong(
        `${url} belongs to ${JSON.stringify(data.issuer.slice(0, 200))}. Set WIGWAG_BASE_URL to the public URL of the ` +
          'gateway, exactly as it is configured there.',
      )
    }
    const { origin } = new URL(issuer)
    const places = [data.token_endpoint, data.introspection_endpoint]
    if (places.some((place) => new URL(place).origin !== origin)) {
      throw wrong(`${url} names endpoints outside ${origin}. The connector's credentials are not sent there.`)
    }
    return data
  }

  return {
    async post(endpoint, form) {
      discovered ??= discover()
      const metadata = discovered
      try {
        const answer = await ask((await metadata)[endpoint], {
          method: 'POST',
          headers: { authorization, accept: JSON_TYPE, 'content-type': 'application/x-www-form-urlencoded' },
          body: new URLSearchParams(form).toString(),
        })
        if (answer.status !== 401 && answer.body.error !== 'invalid_client') return answer
      } catch (error) {
        if (discovered === metadata) discovered = undefined
        throw error
      }
      throw wrong(
        `${issuer} refused the connector's credentials. Check WIGWAG_CONNECTOR_ID and WIGWAG_CONNECTOR_SECRET.`,
      )
    },
  }
}

function fiveSeconds(): AbortSignal {
  return AbortSignal.timeout(5_000)
}

/** Form-encoded (RFC 6749 §2.3.1), so that a colon in the id does not end it. */
function encoded(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1)
}

function wrong(message: string): SignInUnavailable {
  return new SignInUnavailable(message, { kind: 'set-up' })
}

function pauseOf(retryAfter: string | null): number | undefined {
  return /^\d{1,5}$/.test(retryAfter ?? '')
    ? Math.min(Math.max(Number(retryAfter), 1), LONGEST_PAUSE)
    : undefined
}

/** The JSON object in a text; undefined when there is none. */
function parse(text: string | undefined): Record<string, unknown> | undefined {
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(text ?? ''))
  } catch {
    return undefined
  }
}

/** `fetch` gives the reason of most failures in `cause`. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? error.cause.message : error.message
}
