import {
  type AuditLine,
  createBearerIdentify,
  createHttpHandler,
  createMemoryJournal,
  type SignInUnavailable,
} from '@wigwag/mcp'
import { createClient } from '@wigwag/sdk'
import { createTokenExchange } from '../../src/exchange.ts'
import type { SignInGateway } from './gateway.ts'

const RESOURCE = 'https://mcp.example.com/mcp'

export interface ApartOptions {
  now?: () => number
  timeoutMs?: number
  /** Shown in place of the ones that the gateway gave. */
  connectorSecret?: string
}

export interface Apart {
  /** A message as an assistant with that token posts it; `get_balance` is called unless something else is. */
  post(token: string, tool?: string, args?: Record<string, unknown>): Promise<Response>
  /** The text of the tool's answer. */
  say(token: string, tool?: string, args?: Record<string, unknown>): Promise<string>
  /** A token for it. */
  token(): Promise<string>
  /** What the operator was told. */
  told: SignInUnavailable[]
  audit: AuditLine[]
}

/** A connector apart from the gateway, without a process of its own: its time can be moved. */
export async function openApart(gateway: SignInGateway, options: ApartOptions = {}): Promise<Apart> {
  const { now = Date.now, timeoutMs = 5_000 } = options
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
        timeoutMs,
      }),
      resource: () => RESOURCE,
      portal: () => `${issuer}/connections`,
      createClient: (access) => createClient({ baseUrl: issuer, ...access }),
      journalOf: () => journal,
      audit: (line) => audit.push(line),
      now,
      onUnavailable: (error) => told.push(error),
    }),
  })

  const post: Apart['post'] = (token, name = 'get_balance', args = {}) => {
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
