/**
 * Assistants that people let into their accounts: their connections, the authorization server (`oauth/`), the page
 * that asks a person (`consent/`) and the MCP tools (`mcp/`). Start with `wiring.ts`, then `connections.ts`.
 */

export type {
  ConnectionLimits,
  Connections,
  ConnectionView,
} from './connections.ts'
export {
  type LimitErrors,
  type LimitValues,
  limitsFields,
  limitsWrong,
  limitValues,
  readLimits,
  sharedLimits,
  writtenLimits,
} from './consent/limits.ts'
export { clientName, LONGEST_ADDRESS, theirWords } from './consent/their-words.ts'
export { type Delegation, pruneDelegatedTokens } from './delegation.ts'
export { createEndByOperator, createEndOfPerson } from './end-connections.ts'
export { forgetConnections } from './forget-connections.ts'
export { pruneJournal } from './mcp/prune.ts'
export { createOauthKeyring, listKeys, type OauthKeyring } from './oauth/keys.ts'
export { pruneClients, pruneRecords } from './oauth/records.ts'
export { createOperatorConnections, type OperatorConnections } from './operator.ts'
export { createSendLimits } from './send-limits.ts'
export { type ConnectSnippet, connectSnippets } from './snippets.ts'
export { createStandaloneConnectors, type StandaloneConnectors } from './standalone.ts'
export { createAssistants } from './wiring.ts'
