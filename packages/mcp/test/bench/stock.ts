/**
 * The same ten tools over the same SDK, served with the defaults of the protocol's 1.x SDK: for every request, a transport
 * and a server that registers all tools with their schemas. scripts/lab/bench/connector.ts compares the connector with it.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { stockTools } from './stock-tools.ts'

const http = createServer(async (request, response) => {
  const server = new McpServer({ name: 'stock', version: '1.0.0' })
  for (const { name, config, answer } of stockTools) server.registerTool(name, config, answer)
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true })
  response.once('close', () => server.close())
  await server.connect(transport)
  await transport.handleRequest(request, response)
})
http.listen(0, '127.0.0.1', () => {
  process.stderr.write(`listening on http://127.0.0.1:${(http.address() as AddressInfo).port}\n`)
})
