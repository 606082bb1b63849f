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
} from './consent/limits.tsx'
export { clientName, LONGEST_ADDRESS, theirWords } from './consent/their-words.tsx'
export { type Delegation, pruneDelegatedTokens } from './delegation.ts'
export { endOfPerson, forgetConnections, pruneJournal } from './end-connections.ts'
export type { HourlyLimits } from './oauth/hourly-limits.ts'
export { listKeys, OauthKeyring } from './oauth/keys.ts'
export { pruneClients, pruneRecords } from './oauth/records.ts'
export { endByOperator, OperatorConnections } from './operator.ts'
export { CallerLimits } from './send-limits.ts'
export { type ConnectSnippet, connectSnippets } from './snippets.ts'
export { StandaloneConnectors } from './standalone.ts'
export { openAssistants } from './wiring.ts'
