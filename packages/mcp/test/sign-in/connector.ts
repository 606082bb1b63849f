import { createServer } from 'node:net'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { onTestFinished } from 'vitest'
import { freshState, listening, type Program, startProgram } from '../stdio/process.ts'
import type { SignInGateway } from './gateway.ts'

export interface RunningConnector {
  /** The public address, which is also the real one. */
  url: string
  program: Program
  /** The file that remembers sends. */
  state: string
}

/** The program, apart from the gateway, as an operator sets it up. */
export async function startConnector(gateway: SignInGateway, args: string[] = []): Promise<RunningConnector> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}/mcp`
  const { id, secret } = await gateway.addConnector(url)
  const state = freshState()
  const program = startProgram(
    {
      WIGWAG_BASE_URL: gateway.issuer,
      WIGWAG_CONNECTOR_ID: id,
      WIGWAG_CONNECTOR_SECRET: secret,
      WIGWAG_MCP_STATE: state,
    },
    ['--http', '--public-url', url, '--port', String(port), ...args],
  )
  await listening(program)
  return { url, program, state }
}

/** A port that nobody listened at a moment ago: the public URL has to be known before the program starts. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (typeof address !== 'object' || !address) throw new Error('expected a port')
  return address.port
}

export interface ConnectedAssistant {
  names(): Promise<string[]>
  call(name: string, args?: Record<string, unknown>): Promise<{ isError: boolean; text: string }>
}

/** The protocol library's own client, with a token that it was given. */
export async function connectAssistant(url: string, token: string): Promise<ConnectedAssistant> {
  const mcp = new Client({ name: 'test', version: '1' })
  const requestInit = { headers: { authorization: `Bearer ${token}` } }
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit })
  await mcp.connect(transport as Parameters<Client['connect']>[0])
  onTestFinished(() => mcp.close())
  return {
    names: async () => (await mcp.listTools()).tools.map(({ name }) => name),
    async call(name, args = {}) {
      const { content, isError = false } = await mcp.callTool({ name, arguments: args })
      const [part] = content as { text?: string }[]
      return { isError: isError === true, text: part?.text ?? '' }
    },
  }
}

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' }

/** One message, as any program would post it. */
export function post(
  url: string,
  headers: Record<string, string> = {},
  body: object = LIST,
): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
    body: JSON.stringify(body),
  })
}
