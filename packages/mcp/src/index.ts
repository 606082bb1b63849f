export { type Micros, parseAmount } from '@wigwag/contract'
export type { Audit, AuditLine } from './audit.ts'
export { type BearerIdentifyOptions, createBearerIdentify } from './bearer-identify.ts'
export { toolCatalogue } from './catalogue.ts'
export { configSnippet, remoteSnippet } from './config-snippet.ts'
export type { DelegatedAccess } from './delegated-clients.ts'
export { createFileJournal } from './file-journal.ts'
export { createGate, type Gate, type GateOptions } from './gate.ts'
export { toolInputs, wireNames } from './generated/tools.ts'
export { createHttpHandler, type HttpHandlerOptions } from './http.ts'
export type { Identity } from './identity.ts'
export { createMemoryJournal, entrySchema, type Journal } from './journal.ts'
export type { Limits } from './limits.ts'
export {
  challenge,
  metadataUrl,
  type ProtectedResource,
  protectedResource,
  serveMetadata,
} from './protected-resource.ts'
export {
  type Assistant,
  type DelegatedToken,
  SignInUnavailable,
  TokenEnded,
  type TokenService,
} from './sign-in.ts'
export { type StdioOptions, serveStdio } from './stdio.ts'
export type { Tool } from './tool.ts'
export { toWeb } from './web-message.ts'
