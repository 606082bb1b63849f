export { toolCatalogue } from './catalogue.ts'
export { explain } from './explain.ts'
export { plainText } from './plain-text.ts'
export type { Arguments, Identity, Tool, ToolName } from './tool.ts'
