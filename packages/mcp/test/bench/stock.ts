/**
 * The same ten tools over the same SDK, served with the protocol library's defaults: for every request, a transport and a
 * server that registers all tools with their schemas. scripts/bench/connector.ts compares the connector with it.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { createClient } from '@wigwag/sdk'
import { nodeTransport } from '@wigwag/sdk/node'
import * as z from 'zod'
import { createGate, toolCatalogue, toolInputs } from '../../src/index.ts'

const settings = z
  .object({
    WIGWAG_BASE_URL: z.url(),
    WIGWAG_CLIENT_ID: z.string(),
    WIGWAG_CLIENT_SECRET: z.string(),
    WIGWAG_WALLET_TOKEN: z.string(),
  })
  .parse(process.env)

const client = createClient({
  baseUrl: settings.WIGWAG_BASE_URL,
  clientId: settings.WIGWAG_CLIENT_ID,
  clientSecret: settings.WIGWAG_CLIENT_SECRET,
  walletToken: settings.WIGWAG_WALLET_TOKEN,
  transport: nodeTransport(),
})
const context = { client, gate: createGate({ connection: 'bench' }) }
/** The fields of each tool's answer. An ordinary server would have them as Zod schemas from the start. */
const outputs = new Map(
  toolCatalogue.map(({ name, outputSchema }) => {
    const output = z.fromJSONSchema(outputSchema)
    if (!(output instanceof z.ZodObject)) throw new Error(`expected ${name} to answer with an object`)
    return [name, output.shape]
  }),
)

function registerTools(server: McpServer): void {
  for (const { name, title, description, annotations, call } of toolCatalogue) {
    server.registerTool(
      name,
      {
        ...{ title, description, annotations },
        inputSchema: z.strictObject(toolInputs[name].shape),
        outputSchema: z.object(outputs.get(name) ?? {}),
      },
      async (input: Record<string, unknown>): Promise<CallToolResult> => {
        const { structured, text } = await call(input, context)
        return { structuredContent: structured, content: [{ type: 'text', text }] }
      },
    )
  }
}

const http = createServer(async (request, response) => {
  const server = new McpServer({ name: 'stock', version: '1.0.0' })
  registerTools(server)
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true })
  response.once('close', () => server.close())
  await server.connect(transport)
  await transport.handleRequest(request, response)
})
http.listen(0, '127.0.0.1', () => {
  process.stderr.write(`listening on http://127.0.0.1:${(http.address() as AddressInfo).port}\n`)
})
