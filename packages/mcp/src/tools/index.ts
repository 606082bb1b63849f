export { callTool, type OnFault, type Outcome, writingTool } from './call-tool.ts'
export { toolCatalogue } from './catalogue.ts'
export type { Arguments, Identity, Tool } from './tool.ts'
