export { isUnasked, type Micros, parseAmount, UNASKED, type Unasked } from '@wigwag/contract'
export { toolInputs, wireNames } from '@wigwag/contract/tools'
export { configLink, configSnippet, remoteLink, remoteSnippet } from './config-snippet.ts'
export {
  type Asking,
  type AskingOptions,
  createAsking,
} from './confirm/index.ts'
export {
  type Attempt,
  type Audit,
  type AuditLine,
  createFileJournal,
  createGate,
  createMemoryJournal,
  type DayUse,
  type EarlierSend,
  type End,
  type Gate,
  type GateOptions,
  type Journal,
  KEY_LIFE,
  type Known,
  type Limits,
  TWO_MINUTES,
} from './gate/index.ts'
export {
  type Assistant,
  type BearerIdentifyOptions,
  createBearerIdentify,
  type DelegatedAccess,
  type DelegatedToken,
  SignInUnavailable,
  TokenEnded,
  type TokenService,
} from './sign-in/index.ts'
export { type Identity, type Tool, toolCatalogue } from './tools/index.ts'
export {
  challenge,
  createHttpHandler,
  type HttpHandlerOptions,
  metadataUrl,
  type ProtectedResource,
  protectedResource,
  type StdioOptions,
  serveMetadata,
  serveStdio,
  toWeb,
} from './transports/index.ts'
