import type { IncomingHttpHeaders } from 'node:http'

export interface Answer {
  status: number
  json?: unknown
  headers?: Record<string, string>
}

export const MCP_TOKEN = 'plain-mcp-token'

const TOOLS = [
  'get_balance',
  'list_sender_ids',
  'get_message_status',
  'search_messages',
  'get_rates',
  'delivery_insights',
  'estimate_cost',
  'send_sms',
  'schedule_sms',
  'cancel_scheduled',
]

export const mcpRules = {
  tools: (names: readonly string[]): readonly string[] => names,
  letsIn: (token: string | undefined): boolean => token === MCP_TOKEN,
  challengeMethods: ['S256'] as readonly string[],
  balanceIsError: false,
}
export type McpRules = typeof mcpRules

export interface Asked {
  url: string
  method: string | undefined
  headers: IncomingHttpHeaders
  body: string
  base: string
}

/** The part of a server at `/mcp`, with the descriptions of its sign-in. Undefined at other paths. */
export function answerOf(does: McpRules, { url, method, headers, body, base }: Asked): Answer | undefined {
  if (url === '/.well-known/oauth-protected-resource/mcp')
    return { status: 200, json: { resource: `${base}/mcp`, authorization_servers: [base] } }
  if (url === '/.well-known/oauth-authorization-server')
    return {
      status: 200,
      json: {
        issuer: base,
        authorization_endpoint: `${base}/authorize`,
        token_endpoint: `${base}/token`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: does.challengeMethods,
      },
    }
  if (url !== '/mcp') return undefined
  if (!does.letsIn(headers.authorization?.replace('Bearer ', ''))) return { status: 401, json: 'sign in' }
  return method === 'POST' ? speak(does, JSON.parse(body)) : { status: 405 }
}

interface Message {
  id?: number
  method: string
  params?: { protocolVersion?: string }
}

/** An earlier revision of the protocol than the newest two. */
function speak(does: McpRules, { id, method }: Message): Answer {
  if (id === undefined) return { status: 202 }
  const result = resultOf(does, method)
  const reply = result ? { result } : { error: { code: -32601, message: 'not known' } }
  return { status: 200, json: { jsonrpc: '2.0', id, ...reply } }
}

function resultOf(does: McpRules, method: string): object | undefined {
  if (method === 'initialize')
    return {
      protocolVersion: '2025-03-26',
      capabilities: { tools: {} },
      serverInfo: { name: 'plain', version: '1' },
    }
  if (method === 'tools/list')
    return { tools: does.tools(TOOLS).map((name) => ({ name, inputSchema: { type: 'object' } })) }
  if (method === 'tools/call')
    return { content: [{ type: 'text', text: '10 XTS' }], isError: does.balanceIsError }
  return undefined
}
