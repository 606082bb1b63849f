import { createAsking, createBearerIdentify, createGate, type Identity, TokenEnded } from '@wigwag/mcp'
import { type ClientOptions, createClient } from '@wigwag/sdk'
import type { Context } from 'hono'
import { createJournal } from './journal.ts'
import type { Guest, McpOptions, Tokens } from './options.ts'

/** Client options to call the gateway in this process, without a network. */
function insideOf({ fetch }: Pick<McpOptions, 'fetch'>): Pick<ClientOptions, 'baseUrl' | 'fetch'> {
  return { baseUrl: 'http://gateway.invalid', fetch: (url, init) => fetch(new Request(url, init)) }
}

type Identify = (request: Request) => Promise<Identity | Response>

const OR_CREDENTIALS =
  ', or of a program API credentials: Authorization: Basic base64(<client_id>:<client_secret>) and X-Wallet: Token ' +
  '<WALLET_TOKEN>'

/** Identifies assistants by their tokens, each valid only at the resource that it was issued for. */
export function createGuestIdentify(options: McpOptions, { check, issue }: Tokens) {
  const { clock, publicUrl, database, audit, count, noteUse } = options
  const byResource = new Map<string, Identify>()

  function identifyAt(resource: string): Identify {
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
      createClient: (access) => createClient({ ...insideOf(options), ...access }),
      journalOf: ({ connection: id }) => createJournal(database, { table: 'connections', id }),
      stateKey: options.stateKey,
      audit: (line, { accountId }) => audit(accountId, line),
      now: clock.now,
      otherwise: OR_CREDENTIALS,
    })
  }

  /** `resource` is one of the gateway's few names, so the map stays small. */
  return function identifyGuest(request: Request, resource: string): Promise<Identity | Response> {
    const identify = byResource.get(resource) ?? identifyAt(resource)
    byResource.set(resource, identify)
    return identify(request)
  }
}

/** Identifies the account's programs by their REST API credentials. Their limits hold when a send is accepted. */
export function createProgramIdentify(options: McpOptions): (c: Context) => Promise<Identity> {
  const { settings, clock, identify, database, audit } = options
  const { dailySpend, unasked } = settings

  return async function identifyProgram(c) {
    const { accountId, ...credentials } = await identify(c)
    const connection = `client:${credentials.clientId}`
    const gate = createGate({
      connection,
      journal: createJournal(database, { table: 'clients', id: credentials.clientId }),
      audit: (line) => audit(accountId, line),
      now: clock.now,
    })
    const client = createClient({ ...insideOf(options), ...credentials })
    const asking = createAsking({ connection, key: options.stateKey, unasked, now: clock.now })
    return { connection, client, gate, canSend: dailySpend !== undefined, asking }
  }
}
