import {
  type AuditLine,
  createBearerIdentify,
  createHttpHandler,
  createMemoryJournal,
  type SignInUnavailable,
} from '@wigwag/mcp'
import { createClient } from '@wigwag/sdk'
import { createTokenExchange } from '../../src/sign-in/index.ts'
import type { SignInGateway } from './gateway.ts'

const RESOURCE = 'https://mcp.example.com/mcp'

export interface BearerConnectorOptions {
  now?: () => number
  /** Ends the connector's requests to the gateway; by default, nothing does. */
  timeLimit?: () => AbortSignal
  /** Used in place of the one that the gateway gave. */
  connectorSecret?: string
}

export interface BearerConnector {
  /** Posts a call as an assistant with that token. The default tool is `get_balance`. */
  post(token: string, tool?: string, args?: Record<string, unknown>): Promise<Response>
  /** The text of the tool's answer. */
  say(token: string, tool?: string, args?: Record<string, unknown>): Promise<string>
  /** A token of a new connection. */
  token(): Promise<string>
  /** The errors that the operator was told about. */
  told: SignInUnavailable[]
  audit: AuditLine[]
}

/** A connector that reaches the gateway over HTTP, in this process, so that a test controls its time. */
export async function openBearerConnector(
  gateway: SignInGateway,
  options: BearerConnectorOptions = {},
): Promise<BearerConnector> {
  const { now = Date.now, timeLimit = () => new AbortController().signal } = options
  const { issuer } = gateway
  const { id, secret } = await gateway.addConnector(RESOURCE)
  const told: SignInUnavailable[] = []
  const audit: AuditLine[] = []
  const journal = createMemoryJournal()
  const handle = createHttpHandler({
    allowedHosts: ['mcp.example.com'],
    identify: createBearerIdentify({
      tokens: createTokenExchange({
        issuer,
        resource: RESOURCE,
        connectorId: id,
        connectorSecret: options.connectorSecret ?? secret,
        now,
        timeLimit,
      }),
      resource: () => RESOURCE,
      portal: () => `${issuer}/connections`,
      createClient: (access) => createClient({ baseUrl: issuer, ...access }),
      journalOf: () => journal,
      stateKey: secret,
      audit: (line) => audit.push(line),
      now,
      onUnavailable: (error) => told.push(error),
    }),
  })

  const post: BearerConnector['post'] = (token, name = 'get_balance', args = {}) => {
    const params = { name, arguments: args }
    return handle(
      new Request(RESOURCE, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      }),
    )
  }
  return {
    post,
    async say(...call) {
      const { result } = await (await post(...call)).json()
      return result.content[0].text
    },
    token: async () => (await gateway.allow(RESOURCE, { canSend: true })).token,
    told,
    audit,
  }
}
