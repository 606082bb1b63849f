export { createHttpHandler, type HttpHandlerOptions, readText, replyOf, toWeb } from './http-handler.ts'
export { type HttpReply, type HttpRequest, problem } from './http-message.ts'
export { type HttpServer, type Place, serveHttp } from './http-server.ts'
export {
  challenge,
  metadataUrl,
  type ProtectedResource,
  protectedResource,
  serveMetadata,
  wellKnown,
} from './protected-resource.ts'
export { type StdioOptions, serveStdio } from './stdio.ts'
