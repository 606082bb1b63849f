/**
 * The same ten tools over the same SDK, served with the defaults of the protocol's 2.x library, which speaks every
 * revision. scripts/lab/bench/connector.ts compares the connector with it.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { stockTools } from './stock-tools.ts'

const handle = toNodeHandler(
  createMcpHandler(() => {
    const server = new McpServer({ name: 'stock', version: '2.0.0' })
    for (const { name, config, answer } of stockTools) server.registerTool(name, config, answer)
    return server
  }),
)
// The library's types do not allow for exactOptionalPropertyTypes.
const http = createServer(
  (request, response) => void handle(request as Parameters<typeof handle>[0], response),
)
http.listen(0, '127.0.0.1', () => {
  process.stderr.write(`listening on http://127.0.0.1:${(http.address() as AddressInfo).port}\n`)
})
