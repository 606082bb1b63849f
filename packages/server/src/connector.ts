/** The plug between the gateway and the connector's package, which is loaded when the first assistant calls. */
import type { Assistant, AuditLine, Identity, Journal, Limits } from '@wigwag/mcp'
import type { Context } from 'hono'
import type { Clock } from './clock.ts'
import type { ConnectorSettings } from './config.ts'
import { namesOf } from './domain/loopback.ts'

/** A program of the account's own, known by the credentials of the REST API. */
export interface Caller {
  accountId: string
  clientId: string
  clientSecret: string
  walletToken: string
}

/** An assistant that a person has let into an account. */
export type Guest = Assistant & { accountId: string }

/** Decides on the sends of one caller, one decision at a time. */
export type Decide = <Value>(
  id: string,
  now: number,
  decide: (entries: readonly string[]) => { append: readonly string[]; value: Value },
) => Promise<Value>

/** What sign-in knows of tokens. */
export interface Tokens {
  check(token: string, resource: string): Promise<Guest | undefined>
  issue(connection: string, canSend: boolean): Promise<{ accessToken: string; expiresAt: number }>
}

export interface ConnectorOptions {
  settings: ConnectorSettings
  clock: Clock
  publicUrl(): string
  /** Absent where nobody can sign in. */
  tokens: Tokens | undefined
  /** Knows a caller by the credentials of the REST API; throws the problem that turns the caller away. */
  identify(c: Context): Promise<Caller>
  /** The gateway's own door: the tools go through it like any other client. */
  fetch(request: Request): Response | Promise<Response>
  decide: { client: Decide; connection: Decide }
  audit(accountId: string, line: AuditLine): void
  onFault(error: unknown): void
}

export interface Connector {
  /** Serves the ten tools at `/mcp`. */
  serve(c: Context): Promise<Response>
  /** Says who gives out the tokens for them (RFC 9728). */
  describe(c: Context): Promise<Response>
}

/**
 * Serves the ten tools to assistants that people let in, within the limits that they chose; and to whoever shows the
 * credentials of the REST API, within the operator's.
 */
export function createConnector(options: ConnectorOptions): Connector {
  let loaded: Promise<Connector> | undefined
  const connector = () => {
    loaded ??= load(options)
    return loaded
  }
  return {
    serve: async (c) => (await connector()).serve(c),
    describe: async (c) => (await connector()).describe(c),
  }
}

async function load(options: ConnectorOptions): Promise<Connector> {
  const { settings, clock, publicUrl, tokens, identify, fetch, decide, audit, onFault } = options
  const mcp = await import('@wigwag/mcp')
  const { createClient } = await import('@wigwag/sdk')
  const inside = { baseUrl: 'http://gateway.invalid', fetch }
  const limits: Limits = {
    dailySpend:
      settings.dailySpend === undefined
        ? undefined
        : mcp.parseAmount(String(settings.dailySpend / 1_000_000)),
    dailyMessages: settings.dailyMessages,
    recipients: settings.recipients,
  }

  function journalOf(of: keyof typeof decide, id: string): Journal {
    return {
      exclusively: (now, step) =>
        decide[of](id, now, (lines) => {
          const { append, value } = step(lines.map((line) => mcp.entrySchema.parse(JSON.parse(line))))
          return { append: append.map((entry) => JSON.stringify(entry)), value }
        }),
    }
  }

  function identityOf({ accountId, ...credentials }: Caller): Identity {
    const id = credentials.clientId
    const connection = `client:${id}`
    return {
      connection,
      client: createClient({ ...inside, ...credentials }),
      gate: mcp.createGate({
        connection,
        limits,
        journal: journalOf('client', id),
        audit: (line) => audit(accountId, line),
        now: clock.now,
      }),
      canSend: limits.dailySpend !== undefined,
    }
  }

  /** The address that a request came to, by the name that it was called by: tokens are made for it letter by letter. */
  function addressOf(request: Request): string {
    const names = namesOf(publicUrl())
    return names.find((url) => new URL(url).host === request.headers.get('host')) ?? names[0]
  }

  function byTokenAt(resource: string, { check, issue }: Tokens) {
    return mcp.createBearerIdentify<Guest>({
      tokens: {
        verify: (token) => check(token, resource),
        async exchange(token) {
          const guest = await check(token, resource)
          if (!guest) throw new mcp.TokenEnded('the connection has ended')
          return issue(guest.connection, guest.canSend)
        },
      },
      resource: () => resource,
      portal: () => `${publicUrl()}/connections`,
      createClient: (access) => createClient({ ...inside, ...access }),
      journalOf: ({ connection }) => journalOf('connection', connection),
      audit: (line, { accountId }) => audit(accountId, line),
      now: clock.now,
    })
  }

  const byToken = new Map<string, ReturnType<typeof byTokenAt>>()
  function identifyByToken(request: Request, known: Tokens) {
    const resource = `${addressOf(request)}/mcp`
    const identifyIt = byToken.get(resource) ?? byTokenAt(resource, known)
    byToken.set(resource, identifyIt)
    return identifyIt(request)
  }

  return {
    serve: (c) =>
      mcp.createHttpHandler({
        allowedHosts: [...settings.hosts, new URL(publicUrl()).host],
        onFault,
        identify: async (request) =>
          tokens && !/^basic\b/i.test(request.headers.get('authorization') ?? '')
            ? identifyByToken(request, tokens)
            : identityOf(await identify(c)),
      })(c.req.raw),

    async describe(c) {
      const { path, method, raw } = c.req
      const document = mcp.protectedResource({ resource: `${addressOf(raw)}/mcp`, issuer: publicUrl() })
      const answer = mcp.serveMetadata(path, { method }, document)
      return answer ? mcp.toWeb(answer) : c.notFound()
    },
  }
}
