export { callTool, type OnFault, writingTool } from './call-tool.ts'
export { toolCatalogue } from './catalogue.ts'
export type { Outcome } from './outcome.ts'
export type { Arguments, Identity, Tool } from './tool.ts'
