import { namesOf } from '@wigwag/contract'
import {
  type Assistant,
  type AuditLine,
  createAsking,
  createBearerIdentify,
  createGate,
  createHttpHandler,
  type Identity,
  protectedResource,
  serveMetadata,
  TokenEnded,
  toWeb,
} from '@wigwag/mcp'
import { type ClientOptions, createClient } from '@wigwag/sdk'
import type { Context } from 'hono'
import type { McpSettings } from '../../config/config.ts'
import type { Clock } from '../../kernel/process/clock.ts'
import type { Database } from '../../store/database.ts'
import { StoredJournal } from './journal.ts'

/** A program of the account, identified by its REST API credentials. */
interface Caller {
  accountId: string
  clientId: string
  clientSecret: string
  walletToken: string
}

/** An assistant that a person has let into an account. */
export type Guest = Assistant & { accountId: string; lastUsedAt: number }

/** Checks assistants' tokens and issues tokens for the REST API. */
export interface Tokens {
  check(token: string, resource: string): Promise<Guest | undefined>
  issue(connection: string, canSend: boolean): Promise<{ accessToken: string; expiresAt: number }>
}

/** The gateway, as the tools use it. */
export interface ToolHost {
  settings: McpSettings
  clock: Clock
  publicUrl(): string
  /** Seals questions to people. */
  stateKey: string
  /** Undefined where people can't sign in. */
  tokens: Tokens | undefined
  /** Identifies a caller by REST API credentials; throws a problem if they are not valid. */
  identify(c: Context): Promise<Caller>
  /** Counts a request of a guest. Throws a problem when it is over the limit. */
  count(guest: Guest): void
  /** Notes that an assistant called, whether or not the call is then refused. */
  noteUse(guest: Guest): Promise<void>
  /** Calls the gateway's own HTTP interface, which the tools use like any other client. */
  fetch(request: Request): Response | Promise<Response>
  /** Holds the journals of what callers sent. */
  database: Database
  audit(accountId: string, line: AuditLine): void
  onFault(error: unknown): void
}

type Identify = (request: Request) => Promise<Identity | Response>

const OR_CREDENTIALS =
  ', or of a program API credentials: Authorization: Basic base64(<client_id>:<client_secret>) and X-Wallet: Token ' +
  '<WALLET_TOKEN>'

/**
 * Serves the ten tools: to assistants with a connection, within its limits, and to programs with REST API credentials,
 * within the operator's limits. It imports the `@wigwag/mcp` package, so it is loaded at the first call.
 */
export class McpRoutes {
  readonly #host: ToolHost
  /** How assistants are identified at each of the gateway's few names. */
  readonly #identifyAt = new Map<string, Identify>()

  constructor(host: ToolHost) {
    this.#host = host
  }

  /** Serves the tools at `/mcp`. */
  serve(c: Context): Promise<Response> {
    const { settings, publicUrl, tokens, onFault } = this.#host
    return createHttpHandler({
      allowedHosts: [...settings.hosts, new URL(publicUrl()).host],
      onFault,
      identify: async (request) => {
        const isProgram = /^basic\b/i.test(request.headers.get('authorization') ?? '')
        return tokens && !isProgram ? this.#identifyGuest(request, tokens) : identifyProgram(this.#host, c)
      },
    })(c.req.raw)
  }

  /** Serves the metadata that names the tools' authorization server (RFC 9728). */
  async describe(c: Context): Promise<Response> {
    const { path, method, raw } = c.req
    const { publicUrl } = this.#host
    const document = protectedResource({ resource: resourceOf(publicUrl(), raw), issuer: publicUrl() })
    const answer = serveMetadata(path, { method }, document)
    return answer ? toWeb(answer) : c.notFound()
  }

  #identifyGuest(request: Request, tokens: Tokens): Promise<Identity | Response> {
    const resource = resourceOf(this.#host.publicUrl(), request)
    const identify = this.#identifyAt.get(resource) ?? guestsAt(this.#host, tokens, resource)
    this.#identifyAt.set(resource, identify)
    return identify(request)
  }
}

/** The resource under the name that the request used. A token is valid for exactly one such address. */
function resourceOf(publicUrl: string, { headers }: Request): string {
  const names = namesOf(publicUrl)
  const called = names.find((url) => new URL(url).host === headers.get('host')) ?? names[0]
  return `${called}/mcp`
}

/** Identifies assistants by their tokens, each valid only at the resource that it was issued for. */
function guestsAt(host: ToolHost, { check, issue }: Tokens, resource: string): Identify {
  const { clock, publicUrl, database, audit, count, noteUse } = host
  return createBearerIdentify<Guest>({
    tokens: {
      async verify(token) {
        const guest = await check(token, resource)
        if (guest) {
          count(guest)
          await noteUse(guest)
        }
        return guest
      },
      async exchange(token) {
        const guest = await check(token, resource)
        if (!guest) throw new TokenEnded('the connection has ended')
        return issue(guest.connection, guest.canSend)
      },
    },
    resource: () => resource,
    portal: () => `${publicUrl()}/connections`,
    createClient: (access) => createClient({ ...insideOf(host), ...access }),
    journalOf: ({ connection: id }) => new StoredJournal(database, { table: 'connections', id }),
    stateKey: host.stateKey,
    audit: (line, { accountId }) => audit(accountId, line),
    now: clock.now,
    otherwise: OR_CREDENTIALS,
  })
}

/** Identifies the account's programs by their REST API credentials. Their limits hold when a send is accepted. */
async function identifyProgram(host: ToolHost, c: Context): Promise<Identity> {
  const { settings, clock, identify, database, audit } = host
  const { dailySpend, unasked } = settings
  const { accountId, ...credentials } = await identify(c)
  const connection = `client:${credentials.clientId}`
  const gate = createGate({
    connection,
    journal: new StoredJournal(database, { table: 'clients', id: credentials.clientId }),
    audit: (line) => audit(accountId, line),
    now: clock.now,
  })
  const client = createClient({ ...insideOf(host), ...credentials })
  const asking = createAsking({ connection, key: host.stateKey, unasked, now: clock.now })
  return { connection, client, gate, canSend: dailySpend !== undefined, asking }
}

/** Client options to call the gateway in this process, without a network. */
function insideOf({ fetch }: Pick<ToolHost, 'fetch'>): Pick<ClientOptions, 'baseUrl' | 'fetch'> {
  return { baseUrl: 'http://gateway.invalid', fetch: (url, init) => fetch(new Request(url, init)) }
}
