import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import {
  type AuditLine,
  createGate,
  createHttpHandler,
  createMemoryJournal,
  type Identity,
  type Journal,
  type Limits,
} from '@wigwag/mcp'
import { createClient } from '@wigwag/sdk'
import { onTestFinished } from 'vitest'
import { createSandbox, type Sandbox, type SandboxOptions } from '../../../server/src/testing/index.ts'

export interface ConnectorOptions extends SandboxOptions {
  limits?: Limits
  canSend?: boolean
  journal?: Journal
  /** Stands between the connector and the gateway. */
  before?(request: Request, gateway: Sandbox['fetch']): Promise<Response>
}

export interface Result {
  isError: boolean
  text: string
  data: Record<string, unknown>
}

export interface Connector {
  sandbox: Sandbox
  identity: Identity
  mcp: Client
  audit: AuditLine[]
  faults: unknown[]
  /** The requests that reached the gateway, such as `POST /v1/messages/sms`. */
  requests: string[]
  call(name: string, args?: Record<string, unknown>): Promise<Result>
}

export const MESSAGE = { from: 'WIGWAG', to: '233241234567', content: 'Hello' }

/** Whether a request to the gateway is a send, and not the question what it costs. */
export function isSend(request: Request): boolean {
  return request.method === 'POST' && new URL(request.url).pathname === '/v1/messages/sms'
}

/** The library's own client, the connector and a gateway, joined by `fetch` in one process. */
export async function openConnector(options: ConnectorOptions = {}): Promise<Connector> {
  const { limits = {}, canSend = true, journal = createMemoryJournal(), before } = options
  const sandbox = await createSandbox(options)
  onTestFinished(() => sandbox.close())
  const audit: AuditLine[] = []
  const faults: unknown[] = []
  const requests: string[] = []
  const client = createClient({
    baseUrl: 'http://gateway.invalid',
    clientId: sandbox.credentials.clientId,
    clientSecret: sandbox.credentials.clientSecret,
    walletToken: sandbox.credentials.walletToken,
    clock: { now: () => sandbox.clock.now().getTime(), sleep: async () => {} },
    fetch: (request) => {
      requests.push(`${request.method} ${new URL(request.url).pathname}`)
      return before ? before(request, sandbox.fetch) : sandbox.fetch(request)
    },
  })
  const connection = 'test'
  const gate = createGate({
    connection,
    limits,
    journal,
    audit: (line) => audit.push(line),
    now: () => sandbox.clock.now().getTime(),
  })
  const identity = { connection, client, gate, canSend }
  const handle = createHttpHandler({
    identify: async () => identity,
    allowedHosts: ['connector.invalid'],
    onFault: (error) => faults.push(error),
  })
  const mcp = await connectTo(handle)
  return {
    sandbox,
    identity,
    mcp,
    audit,
    faults,
    requests,
    call: (name, args) => callTool(mcp, name, args),
  }
}

/** The library's client over a handler. */
async function connectTo(handle: (request: Request) => Promise<Response>): Promise<Client> {
  const mcp = new Client({ name: 'test', version: '1' })
  const transport = new StreamableHTTPClientTransport(new URL('http://connector.invalid/mcp'), {
    fetch: (url, init) => handle(new Request(url, init)),
  })
  // The library's types don't expect exactOptionalPropertyTypes of those who use them.
  await mcp.connect(transport as Parameters<Client['connect']>[0])
  await mcp.listTools()
  onTestFinished(() => mcp.close())
  return mcp
}

async function callTool(mcp: Client, name: string, args: Record<string, unknown> = {}): Promise<Result> {
  const { content, isError, structuredContent } = await mcp.callTool({ name, arguments: args })
  const text = Array.isArray(content) ? content.map((part) => part.text).join('\n') : ''
  return { isError: isError === true, text, data: { ...(structuredContent as object) } }
}
