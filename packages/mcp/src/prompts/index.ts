export { promptsOf, writePrompt } from './catalogue.ts'
