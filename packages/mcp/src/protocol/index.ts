/**
 * The only folder that imports the protocol library. A change of its version, or of the library, stays in here. It speaks
 * every revision: clients of 2026-07-28 say with each request who they are, those before it begin with `initialize`.
 */
export type {
  JSONRPCRequest as ProtocolRequest,
  Server as ProtocolServer,
} from '@modelcontextprotocol/server'
export { serveConnection } from './connection.ts'
export { answerOverHttp, readHttpMessage } from './http.ts'
export { parseJson, protocolError, readMessage, toolCallOf } from './messages.ts'
export { supportedProtocolVersions } from './revisions.ts'
export { createToolServer } from './server.ts'
