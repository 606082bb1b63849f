import * as z from 'zod'
import { SignInUnavailable } from './sign-in.ts'
import { readText } from './web-message.ts'
import { wellKnown } from './well-known.ts'

export interface AuthorizationServerOptions {
  /** Its name, which is its address as well: `https://sms.example.com`. */
  issuer: string
  /** What the connector itself shows. */
  clientId: string
  clientSecret: string
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
  /** How long one question may take. */
  timeoutMs?: number | undefined
}

export type Endpoint = 'token_endpoint' | 'introspection_endpoint'

/** An answer that its protocol knows: 200, or one with the `error` in the body. */
export interface Answer {
  status: 200 | 400 | 401
  body: Readonly<Record<string, unknown>>
}

/** Asks an authorization server. Whatever is not an answer of one is a {@link SignInUnavailable}. */
export interface AuthorizationServer {
  post(endpoint: Endpoint, form: Readonly<Record<string, string>>): Promise<Answer>
}

/** Answers are far smaller. */
const LARGEST_ANSWER = 65_536
const LONGEST_PAUSE = 60
const JSON_TYPE = 'application/json'

const metadataSchema = z.object({
  issuer: z.string(),
  token_endpoint: z.url(),
  introspection_endpoint: z.url(),
})
type Metadata = z.infer<typeof metadataSchema>

/** The server that `issuer` names. Where its endpoints are, it says itself (RFC 8414); that is remembered. */
export function createAuthorizationServer(options: AuthorizationServerOptions): AuthorizationServer {
  const { issuer, clientId, clientSecret, fetch: send = fetch, timeoutMs = 5_000 } = options
  const authorization = `Basic ${Buffer.from(`${encoded(clientId)}:${encoded(clientSecret)}`).toString('base64')}`
  let known: Promise<Metadata> | undefined

  /** Follows nothing: credentials go to where they were sent. */
  async function received(url: string, init: RequestInit) {
    try {
      const signal = AbortSignal.timeout(timeoutMs)
      const response = await send(url, { ...init, redirect: 'manual', signal })
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
    const { status, retryAfter, body } = await received(url, init)
    if (status === 429 || status >= 500) {
      throw new SignInUnavailable(`${url} answered ${status}`, { retryAfter: pauseOf(retryAfter) })
    }
    if ((status === 200 || status === 400 || status === 401) && body) return { status, body }
    const what = `${status}, ${body ? 'JSON' : 'and no object of JSON'}`
    throw wrong(`${url} does not answer as a gateway does: ${what}. Check WIGWAG_BASE_URL.`)
  }

  async function discover(): Promise<Metadata> {
    const url = wellKnown('oauth-authorization-server', issuer)
    const { body } = await ask(url, { headers: { accept: JSON_TYPE } })
    const { data } = metadataSchema.safeParse(body)
    if (!data) throw wrong(`${url} does not say where tokens are exchanged and introspected.`)
    if (data.issuer !== issuer) {
      throw wrong(
        `${url} is of ${JSON.stringify(data.issuer.slice(0, 200))}. Set WIGWAG_BASE_URL to the public URL of the ` +
          'gateway, as the gateway itself has it.',
      )
    }
    const { origin } = new URL(issuer)
    const places = [data.token_endpoint, data.introspection_endpoint]
    if (places.some((place) => new URL(place).origin !== origin)) {
      throw wrong(`${url} names endpoints outside ${origin}, where the connector's credentials do not go.`)
    }
    return data
  }

  return {
    async post(endpoint, form) {
      known ??= discover()
      const metadata = known
      try {
        const answer = await ask((await metadata)[endpoint], {
          method: 'POST',
          headers: { authorization, accept: JSON_TYPE, 'content-type': 'application/x-www-form-urlencoded' },
          body: new URLSearchParams(form).toString(),
        })
        if (answer.status !== 401 && answer.body.error !== 'invalid_client') return answer
      } catch (error) {
        if (known === metadata) known = undefined
        throw error
      }
      throw wrong(
        `${issuer} refused the connector's credentials. Check WIGWAG_CONNECTOR_ID and WIGWAG_CONNECTOR_SECRET.`,
      )
    },
  }
}

/** RFC 6749 §2.3.1: encoded as in a form, so that a colon does not end the name. */
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

/** The object in a text; undefined when there is none. */
function parse(text: string | undefined): Record<string, unknown> | undefined {
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(text ?? ''))
  } catch {
    return undefined
  }
}

/** `fetch` tells of most failures in the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? error.cause.message : error.message
}
